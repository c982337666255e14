import { describe, expect, it } from 'vitest';
import { humanDuration } from './human-duration.ts';

const s = 1000;
const m = 60 * s;
const h = 60 * m;
const d = 24 * h;

describe('humanDuration', () => {
  it.each([
    [-5 * s, '<invalid>'],
    [-1.5 * s, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [119 * s + 999, '119s'],
    [2 * m, '2m'],
    [5 * m + 30 * s, '5m30s'],
    [10 * m + 30 * s, '10m'],
    [3 * h - 1, '179m'],
    [3 * h, '3h'],
    [7 * h + 59 * m, '7h59m'],
    [8 * h + 59 * m, '8h'],
    [47 * h, '47h'],
    [2 * d, '2d'],
    [7 * d + 23 * h, '7d23h'],
    [8 * d + 23 * h, '8d'],
    [729 * d, '729d'],
    [730 * d, '2y'],
    [733 * d, '2y3d'],
    [8 * 365 * d + 20 * d, '8y'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});
