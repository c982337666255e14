import { describe, expect, it } from 'vitest';
import { type KnownDifference, verdict } from './verdict.ts';

const passes = { check: 'it reads' };
const fails = { check: 'it writes', failure: 'no such function' };
const difference: KnownDifference = { runtime: 'bun', check: 'it writes', reason: 'Bun has no such function.' };

describe('the verdict on a runtime', () => {
  it('is good when every check passes', () => {
    expect(verdict('node', [passes], [])).toEqual({ lines: ['ok      it reads'], problems: [] });
  });

  it('names a failure that is not listed', () => {
    const { lines, problems } = verdict('bun', [passes, fails], []);
    expect(lines).toEqual(['ok      it reads', 'FAILED  it writes']);
    expect(problems).toEqual(['On bun, "it writes" fails:\nno such function']);
  });

  it('is good when what fails is listed, and shows the reason', () => {
    const { lines, problems } = verdict('bun', [passes, fails], [difference]);
    expect(lines).toEqual(['ok      it reads', 'differs it writes: Bun has no such function.']);
    expect(problems).toEqual([]);
  });

  it('names a listed failure that passes', () => {
    const { problems } = verdict('bun', [passes, { check: 'it writes' }], [difference]);
    expect(problems).toEqual([
      'On bun, "it writes" passes, but is listed as a known difference: remove it from the list.',
    ]);
  });

  it('names a listed check that does not exist', () => {
    const { problems } = verdict('bun', [passes], [difference]);
    expect(problems).toEqual(['The known differences of bun name "it writes", which is not a check.']);
  });

  it('does not look at the list of another runtime', () => {
    expect(verdict('deno', [passes, fails], [difference]).problems).toHaveLength(1);
    expect(verdict('deno', [passes], [difference]).problems).toEqual([]);
  });
});
