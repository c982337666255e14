import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

describe('a duration', () => {
  it.each([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['500ms', 500],
    ['1.5h', 5_400_000],
    ['30', 30_000],
    ['0', 0],
  ])('of %j is %d ms', (text, ms) => {
    expect(parseDuration('--resync', text)).toBe(ms);
  });

  it.each(['', 's', '30x', '-1s', '1s2', 'Infinity', '1e3'])('is not %j', (text) => {
    expect(() => parseDuration('--resync', text)).toThrow(`--resync "${text}" is not a duration`);
  });
});
