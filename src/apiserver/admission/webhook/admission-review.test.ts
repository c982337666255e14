import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../values/json.ts';
import { readReview, rejection } from './admission-review.ts';

const review = (response: JsonObject, more: JsonObject = {}): JsonObject => ({
  kind: 'AdmissionReview',
  apiVersion: 'admission.k8s.io/v1',
  response: { uid: 'u', allowed: true, ...response },
  ...more,
});
const base64 = (text: string) => Buffer.from(text).toString('base64');
const read = (answer: JsonObject, mutating = true) => readReview(answer, { uid: 'u', reviewVersion: 'v1', mutating });

describe('the answer of an admission webhook', () => {
  it('is what it allows, changes and warns of', () => {
    const patch = base64('[{"op":"remove","path":"/data"}]');
    expect(read(review({ patchType: 'JSONPatch', patch, warnings: ['w'] }))).toEqual({
      allowed: true,
      status: undefined,
      patch: [{ op: 'remove', path: '/data' }],
      warnings: ['w'],
    });
  });

  const LIES: [string, JsonObject, string, boolean?][] = [
    ['is to another review', review({ uid: 'other' }), 'expected response.uid="u", got "other"'],
    ['is to none', review({ uid: '' }), 'expected response.uid="u", got ""'],
    ['has no response', review({}, { response: null }), 'webhook response was absent'],
    ['is of another version', review({}, { apiVersion: 'admission.k8s.io/v1beta1' }), 'expected webhook response of'],
    ['is another object', { kind: 'Pod', apiVersion: 'v1' }, 'no kind "Pod" is registered for version "v1"'],
    ['patches without saying how', review({ patch: base64('[]') }), 'response.patch but not response.patchType'],
    ['says how, and does not patch', review({ patchType: 'JSONPatch' }), 'response.patchType but not response.patch'],
    ['patches in another way', review({ patch: base64('[{}]'), patchType: 'Merge' }), 'unsupported patch type "Merge"'],
    ['patches with what is not JSON', review({ patch: base64('x'), patchType: 'JSONPatch' }), 'undecodable patch'],
    ['patches and may not', review({ patch: base64('[]') }), 'may not return response.patch', false],
  ];
  it.each(LIES)('that %s does not count', (_what, answer, message, mutating) => {
    expect(() => read(answer, mutating)).toThrow(message);
  });

  it('that says no is the answer to the client, with a status that says no too', () => {
    expect(rejection('w.example.com', { code: 200, status: 'Success', message: 'why' }).status).toMatchObject({
      status: 'Failure',
      code: 400,
      message: 'admission webhook "w.example.com" denied the request: why',
    });
    expect(rejection('w', undefined).status.message).toBe(
      'admission webhook "w" denied the request without explanation',
    );
  });
});
