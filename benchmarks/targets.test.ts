import { describe, expect, it } from 'vitest';
import type { Result } from './measured-run.ts';
import { STANDARD, titleOf } from './scene.ts';
import { Summary } from './summary.ts';
import { targets } from './targets.ts';

const result = (peer: string, figures: Partial<Result>): Result => ({
  peer,
  scene: titleOf(STANDARD),
  objects: 20_000,
  round: 1,
  syncSeconds: 1,
  cpuSeconds: 1,
  heapBytesPerObject: 1,
  peakRssMb: 1,
  ...figures,
});

/** Whether the check accepts that all names take this long when client-go takes so much CPU time. */
function accepts(readListNamesMs: number, cpuSeconds: number): { holds: boolean; nearlyHolds: boolean } | undefined {
  const summary = new Summary([
    result('tidewatch, packed, protobuf', { readListNamesMs }),
    result('client-go, protobuf', { cpuSeconds }),
  ]);
  return targets(summary).find(({ what }) => what === 'list, all names');
}

describe('a time that is promised', () => {
  it('is judged as it is', () => {
    expect([accepts(39, 9)?.holds, accepts(41, 9)?.holds]).toEqual([true, false]);
  });

  it('is guarded by how fast the machine is', () => {
    expect(
      [accepts(70, 2.5), accepts(80, 2.5), accepts(80, 5.06), accepts(150, 5.06)].map((it) => it?.nearlyHolds),
    ).toEqual([true, false, true, false]);
  });

  it('is guarded as on the usual machine when that cannot be told', () => {
    const summary = new Summary([result('tidewatch, packed, protobuf', { readListNamesMs: 80 })]);
    expect(targets(summary).map(({ nearlyHolds }) => nearlyHolds)).toEqual([false]);
  });
});
