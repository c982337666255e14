import { describe, expect, it } from 'vitest';
import { WebhookCallError } from '../../admission/webhook/webhook-client.ts';
import { asArray, asObject, asString, getPath, type JsonObject, type JsonValue } from '../../values/json.ts';
import { webhookConverter } from './webhook-converter.ts';

const V1 = 'example.com/v1';
const V2 = 'example.com/v2';
const metadata = { name: 'a', namespace: 'b', uid: 'u', labels: { l: '1' }, generation: 3, resourceVersion: '7' };
const original: JsonObject = { apiVersion: V1, kind: 'Site', metadata, spec: { a: 1 } };

type Post = (review: JsonObject) => JsonValue | Promise<JsonValue>;
const converts = (post: Post, reviewVersions = ['v1']) => {
  const webhooks = { post: async (_config: JsonObject, review: JsonObject) => post(review) };
  return webhookConverter({ webhooks, uid: () => 'of-review' }, { clientConfig: {}, reviewVersions })(original, V2);
};
const answer = (review: JsonObject, response: JsonObject): JsonObject => ({
  kind: 'ConversionReview',
  apiVersion: asString(review.apiVersion),
  response: { uid: asString(getPath(review, 'request', 'uid')), result: { status: 'Success' }, ...response },
});
const sent = (review: JsonObject) => asObject(asArray(getPath(review, 'request', 'objects'))[0]);
/** The right answer, with something done to the object. */
const right =
  (change: (object: JsonObject) => JsonObject = (object) => object): Post =>
  (review) =>
    answer(review, { convertedObjects: [change({ ...sent(review), apiVersion: V2 })] });
const withMetadata = (more: JsonObject): Post =>
  right((object) => ({ ...object, metadata: { ...asObject(object.metadata), ...more } }));

describe('a conversion webhook', () => {
  it('is sent the object without its revision, and may change all but its metadata', async () => {
    let seen: JsonObject = {};
    const converted = await converts((review) => {
      seen = review;
      return right((object) => ({
        ...object,
        spec: { b: 2 },
        metadata: { name: 'a', namespace: 'b', uid: 'u', labels: { l: '2' }, generation: 9 },
      }))(review);
    });
    const { resourceVersion: _revision, ...kept } = metadata;
    expect(sent(seen)).toEqual({ ...original, metadata: kept });
    expect(converted).toEqual({
      apiVersion: V2,
      kind: 'Site',
      metadata: { ...kept, labels: { l: '2' } },
      spec: { b: 2 },
    });
  });

  it('may drop labels, and add annotations', async () => {
    const { metadata: found } = await converts(withMetadata({ labels: null, annotations: { x: 'y' } }));
    expect(found).toMatchObject({ name: 'a', annotations: { x: 'y' } });
    expect(asObject(found).labels).toBeUndefined();
  });

  it('of the older version of reviews need not repeat whose answer it is', async () => {
    const post: Post = (review) => {
      expect(review.apiVersion).toBe('apiextensions.k8s.io/v1beta1');
      const { response, ...rest } = right()(review) as JsonObject;
      return { ...rest, response: { ...asObject(response), uid: 'other' } };
    };
    expect(await converts(post, ['v9', 'v1beta1', 'v1'])).toMatchObject({ apiVersion: V2 });
  });

  const FAILED = 'conversion webhook for example.com/v1, Kind=Site failed:';
  const RETURNED = 'conversion webhook for example.com/v1, Kind=Site returned';
  const LIES: [string, Post, string][] = [
    [
      'cannot be called',
      () => {
        throw new WebhookCallError('connection refused');
      },
      `${FAILED} connection refused`,
    ],
    ['says no', (review) => answer(review, { result: { status: 'Failure', message: 'no' } }), `${FAILED} no`],
    [
      'says no more than no',
      (review) => answer(review, { result: { status: 'Failure' } }),
      `${FAILED} response.result.status was 'Failure', not 'Success'`,
    ],
    [
      'answers another review',
      (review) => answer(review, { uid: 'other' }),
      `${FAILED} expected response.uid="of-review", got "other"`,
    ],
    [
      'answers in another version',
      (review) => ({ ...answer(review, {}), apiVersion: 'apiextensions.k8s.io/v1beta1' }),
      `${FAILED} converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`,
    ],
    [
      'answers without a response',
      (review) => ({ ...answer(review, {}), response: null }),
      `${FAILED} no response provided`,
    ],
    ['gives nothing', (review) => answer(review, { convertedObjects: [] }), `${RETURNED} 0 objects, expected 1`],
    [
      'gives too much',
      (review) => answer(review, { convertedObjects: [sent(review), sent(review)] }),
      `${RETURNED} 2 objects, expected 1`,
    ],
    [
      'gives the object back as it was',
      (review) => answer(review, { convertedObjects: [sent(review)] }),
      `${RETURNED} invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)`,
    ],
    [
      'gives another kind',
      right((object) => ({ ...object, kind: 'Other' })),
      `${RETURNED} invalid object at index 0: invalid kind (expected Site, received Other)`,
    ],
    ['gives another name', withMetadata({ name: 'c' }), `${RETURNED} invalid object: must have the same name: a != c`],
    [
      'gives another namespace',
      withMetadata({ namespace: 'c' }),
      `${RETURNED} invalid object: must have the same namespace: b != c`,
    ],
    ['gives another uid', withMetadata({ uid: 'c' }), `${RETURNED} invalid object: must have the same UID: u != c`],
    [
      'gives labels that are not texts',
      withMetadata({ labels: { l: 1 } }),
      `${RETURNED} invalid metadata: metadata.labels[l] must be a string, but is int64 in converted object`,
    ],
    [
      'gives annotations that are a text',
      withMetadata({ annotations: 'x' }),
      `${RETURNED} invalid metadata: invalid metadata.annotations of type string in converted object`,
    ],
  ];
  it.each(LIES)('that %s fails the request', async (_what, post, message) => {
    await expect(converts(post)).rejects.toMatchObject({ status: { code: 500, message } });
  });

  it('whose labels are not labels fails the request with what is wrong with them', async () => {
    await expect(converts(withMetadata({ labels: { 'a b': 'c' } }))).rejects.toMatchObject({
      status: { message: expect.stringContaining('invalid metadata: metadata.labels: Invalid value: "a b"') },
    });
  });
});
