import { describe, expect, it } from 'vitest';
import type { Result } from './measured-run.ts';
import { Summary } from './summary.ts';

const round = (number: number, figures: Partial<Result>): Result => ({
  peer: 'a',
  scene: '10 pods',
  objects: 10,
  round: number,
  syncSeconds: 1,
  cpuSeconds: 1,
  heapBytesPerObject: 1,
  peakRssMb: 1,
  ...figures,
});

describe('what remains of several rounds', () => {
  const summary = new Summary([
    round(1, { syncSeconds: 3, eventsPerSecond: 100, peakRssMb: 9 }),
    round(2, { syncSeconds: 2, eventsPerSecond: 300, peakRssMb: 5 }),
    round(3, { syncSeconds: 4, eventsPerSecond: 200, peakRssMb: 6 }),
    round(1, { scene: '20 pods', peakRssMb: 5 }),
    round(2, { scene: '20 pods', peakRssMb: 8 }),
  ]);

  it('is the shortest time and the highest rate', () => {
    expect(summary.figure('a', '10 pods', 'syncSeconds')).toBe(2);
    expect(summary.figure('a', '10 pods', 'eventsPerSecond')).toBe(300);
  });

  it('is the median of memory', () => {
    expect(summary.figure('a', '10 pods', 'peakRssMb')).toBe(6);
    expect(summary.figure('a', '20 pods', 'peakRssMb')).toBe(6.5);
  });

  it('is nothing for a figure, a peer or a size that is not there', () => {
    expect(summary.figure('a', '10 pods', 'readGetMicros')).toBeUndefined();
    expect(summary.figure('b', '10 pods', 'peakRssMb')).toBeUndefined();
    expect(summary.figure('a', '30 pods', 'syncSeconds')).toBeUndefined();
  });
});
