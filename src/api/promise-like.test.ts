import { describe, expect, it } from 'vitest';
import { isPromise } from './promise-like.ts';

describe('isPromise', () => {
  it('knows promises and whatever can be awaited like one', () => {
    expect([Promise.resolve(), { then: () => {} }].map(isPromise)).toEqual([true, true]);
    expect([undefined, null, 'then', {}, { then: 1 }, () => {}, []].some(isPromise)).toBe(false);
  });

  it('takes care of the failure of what it knows', async () => {
    const listening = new Promise<boolean>((resolve) => {
      isPromise({ then: (_: unknown, onFailure: unknown) => resolve(typeof onFailure === 'function') });
    });
    expect(await Promise.race([listening, new Promise((resolve) => setImmediate(resolve, 'nobody listens'))])).toBe(
      true,
    );
  });
});
