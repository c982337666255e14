import { afterEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Pod } from '../generated/api/core/v1.ts';
import { informerFixture } from './informer-fixture.ts';
import type { Transform } from './transform.ts';
import { wireFixture } from './wire-fixture.ts';

const web = { name: 'web', nodeName: 'node-1', labels: { app: 'web' } };
const POLL = { timeout: 50_000, interval: 5 };
const IDENTITY = { name: 'web', namespace: 'default', uid: 'uid-web', resourceVersion: '1' };

const stores = [
  ['a packed store', {}],
  ['a plain store', { store: 'plain' }],
] as const;
const encodings = ['protobuf', 'json'] as const;
const cases = stores.flatMap(([name, options]) => encodings.map((encoding) => [name, encoding, options] as const));

/** What makes another object of its argument, as far as it can. */
const impostors: [string, Transform<Pod>][] = [
  ['returns an object of another name', (pod) => ({ ...pod, metadata: { ...pod.metadata, name: 'other' } })],
  ['returns an object of another namespace', (pod) => ({ ...pod, metadata: { ...pod.metadata, namespace: 'other' } })],
  ['returns another uid', (pod) => ({ ...pod, metadata: { ...pod.metadata, uid: 'x' } })],
  ['returns another version', (pod) => ({ ...pod, metadata: { ...pod.metadata, resourceVersion: '9' } })],
  ['returns an object without an identity', (pod) => ({ ...pod, metadata: { labels: { app: 'web' } } })],
  ['returns an object without metadata', ({ metadata: _, ...pod }) => pod as Pod],
  ['returns an object without a type', ({ kind: _, apiVersion: __, ...pod }) => pod as Pod],
  ['returns a frozen object', (pod) => Object.freeze({ ...pod })],
  [
    'changes the identity of its argument',
    (pod) => {
      Object.assign(pod.metadata ?? {}, { name: 'other', uid: 'x', resourceVersion: '9' });
      return pod;
    },
  ],
];

describe.each(cases)('a transform in %s, from a server that sends %s,', (_store, encoding, options) => {
  let stop = async () => {};
  afterEach(() => stop());

  async function started(transform: Transform<Pod>) {
    const fixture = wireFixture(encoding, { ...options, transform });
    stop = () => fixture.informer.stop();
    fixture.server.set(web);
    await fixture.start();
    await expect.poll(() => fixture.informer.hasSynced(), POLL).toBe(true);
    return fixture;
  }

  it.each(impostors)('that %s changes nothing about who the object is', async (_what, transform) => {
    const { informer, server } = await started(transform);
    const view = informer.lister().get('default/web');
    expect(view).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: IDENTITY, spec: { nodeName: 'node-1' } });
    expect(informer.store.listKeys()).toEqual(['default/web']);
    server.set({ ...web, nodeName: 'node-2' });
    await expect
      .poll(() => informer.store.list(), POLL)
      .toMatchObject([{ metadata: { ...IDENTITY, resourceVersion: '2' }, spec: { nodeName: 'node-2' } }]);
    server.remove(web);
    await expect.poll(() => informer.store.list(), POLL).toEqual([]);
  });

  it.each([
    ['a promise', () => Promise.resolve({})],
    ['a promise that rejects', () => Promise.reject(new Error('too late'))],
    // biome-ignore lint/suspicious/noThenProperty: it is what is tested
    ['another thenable', () => ({ then() {} })],
  ])('that returns %s leaves the object out, and says that transforms are synchronous', async (_what, late) => {
    const { informer } = await started((pod) => (pod.metadata?.name === 'web' ? (late() as never) : pod));
    await expect
      .poll(() => informer.state.leftOut, POLL)
      .toMatchObject([{ key: 'default/web', reason: expect.stringContaining('synchronous') }]);
    expect(informer.store.listKeys()).toEqual([]);
  });

  it.each<[string, Transform<Pod>, string]>([
    [
      'throws',
      () => {
        throw new Error('no colour');
      },
      'the transform failed on default/web: no colour',
    ],
    ['returns nothing', () => undefined as never, 'the transform returned undefined for default/web'],
    ['returns what cannot be kept', (pod) => ({ ...pod, kind: 'Node' }) as never, 'cannot be kept'],
  ])('that %s is reported as the cause, with its kind and the key', async (_what, transform, message) => {
    const { reports } = await started(transform);
    expect(reports[0]?.error).toMatchObject({
      name: 'ReflectorError',
      kind: 'unusable',
      key: 'default/web',
      cause: {
        name: 'TransformError',
        kind: 'transform',
        key: 'default/web',
        message: expect.stringContaining(message),
      },
    });
  });

  it('that returns an object of another kind leaves it out', async () => {
    const { informer } = await started((pod) => ({ ...pod, kind: 'Node' }) as never);
    await expect
      .poll(() => informer.state.leftOut, POLL)
      .toMatchObject([{ reason: expect.stringContaining('expected a Pod') }]);
    expect(informer.store.listKeys()).toEqual([]);
  });
});

describe('a transform of what the functions of the user list', () => {
  it('changes nothing about who an object is', async () => {
    const { source, informer, run, stop } = informerFixture({
      transform: (thing) => ({ ...thing, metadata: { ...thing.metadata, name: 'other', labels: { a: 'b' } } }),
    });
    source.set('web');
    const running = run();
    await expect.poll(() => informer.store.listKeys(), POLL).toEqual(['default/web']);
    const [object] = informer.store.list() as KubernetesObject[];
    expect(object?.metadata).toMatchObject({ name: 'web', labels: { a: 'b' } });
    expect(informer.store.listKeys()).toEqual(['default/web']);
    expect(informer.lister().list('a=b')).toHaveLength(1);
    stop.abort();
    await running;
  });
});
