import { describe, expect, it } from 'vitest';
import { checkedOptions } from './reconcile-options.ts';

describe('the options of a controller', () => {
  it('that are undefined are as those that are not set', () => {
    const unset = checkedOptions('web', {});
    const given = { concurrency: undefined, timeoutMs: undefined, stuckMs: undefined, debounceMs: undefined };
    expect(checkedOptions('web', { ...given, syncTimeoutMs: undefined })).toEqual(unset);
    expect(unset).toEqual({ concurrency: 1, debounceMs: 0, stuckMs: 600_000, syncTimeoutMs: 120_000 });
  });

  it.each([{ concurrency: 0 }, { concurrency: 1.5 }, { stuckMs: 0 }, { debounceMs: -1 }, { timeoutMs: Number.NaN }])(
    'that cannot be meant are refused: %o',
    (options) => {
      expect(() => checkedOptions('web', options)).toThrow(/controller web: \w+ must be/);
    },
  );
});
