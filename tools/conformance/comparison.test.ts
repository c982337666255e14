import { describe, expect, it } from 'vitest';
import { compareResults } from './comparison.ts';
import type { SpecResult } from './suite-run.ts';

const spec = (name: string, state: SpecResult['state'] = 'passed'): SpecResult => ({
  name,
  state,
  seconds: 1,
  message: '',
});

describe('the results of two servers', () => {
  it('differ without a reason where the real one passes, and this one fails, skips or does not run a spec', () => {
    const onReal = [spec('[sig-a] one'), spec('[sig-a] two'), spec('[sig-a] three'), spec('[sig-b] four')];
    const here = [spec('[sig-a] one'), spec('[sig-a] two', 'failed'), spec('[sig-a] three', 'skipped')];
    const { unexplained, specs } = compareResults(here, onReal, {});
    expect(unexplained.map(({ name }) => name)).toEqual(['[sig-a] three', '[sig-a] two', '[sig-b] four']);
    expect(specs.map(({ group }) => group)).toEqual(['[sig-a]', '[sig-a]', '[sig-a]', '[sig-b]']);
  });

  it('agree where both fail', () => {
    expect(compareResults([spec('x', 'failed')], [spec('x', 'failed')], {}).unexplained).toEqual([]);
  });

  it('are explained by a reason, which is outdated as soon as the spec passes', () => {
    const reasons = { two: 'needs a scheduler' };
    const differing = compareResults([spec('two', 'failed')], [spec('two')], reasons);
    expect(differing).toMatchObject({ unexplained: [], outdated: [] });
    expect(differing.specs[0]?.reason).toBe('needs a scheduler');
    expect(compareResults([spec('two')], [spec('two')], reasons).outdated).toEqual(['two']);
  });
});
