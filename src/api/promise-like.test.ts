import { describe, expect, it } from 'vitest';
import { isPromise } from './promise-like.ts';

/** Awaitable, and not a promise. */
function thenable(then: unknown): object {
  return Object.defineProperty({}, 'then', { value: then });
}

describe('isPromise', () => {
  it('knows promises and whatever can be awaited like one', () => {
    expect([Promise.resolve(), thenable(() => {})].map(isPromise)).toEqual([true, true]);
    expect([undefined, null, 'then', {}, thenable(1), () => {}, []].some(isPromise)).toBe(false);
  });

  it('takes care of the failure of what it knows', async () => {
    const listening = new Promise<boolean>((resolve) => {
      isPromise(thenable((_: unknown, onFailure: unknown) => resolve(typeof onFailure === 'function')));
    });
    const nobody = new Promise((resolve) => setImmediate(resolve, 'nobody listens'));
    expect(await Promise.race([listening, nobody])).toBe(true);
  });
});
