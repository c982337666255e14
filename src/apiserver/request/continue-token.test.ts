import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeContinue, encodeContinue } from './continue-token.ts';

describe('a continue token', () => {
  it('comes back as it was', () => {
    const startKey = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8})?$/).map((key) => `${key}\0`);
    const revision = fc.oneof(fc.integer({ min: 1 }), fc.constant(-1));
    fc.assert(
      fc.property(startKey, revision, (start, rv) => {
        const token = { startKey: start, revision: rv };
        expect(decodeContinue(encodeContinue(token))).toEqual(token);
      }),
    );
  });

  it('has the form of the real server', () => {
    const token = encodeContinue({ startKey: 'default/a\0', revision: 7 });
    expect(Buffer.from(token, 'base64url').toString()).toBe('{"v":"meta.k8s.io/v1","rv":7,"start":"default/a\\u0000"}');
  });

  it.each([
    ['!!'],
    ['abc'],
    [Buffer.from('[]').toString('base64url')],
    [encodeContinue({ startKey: '', revision: 1 })],
    [encodeContinue({ startKey: '../secrets', revision: 1 })],
    [encodeContinue({ startKey: 'a', revision: 0 })],
  ])('is refused when it is %s', (token) => {
    expect(() => decodeContinue(token)).toThrow('continue key is not valid');
  });
});
