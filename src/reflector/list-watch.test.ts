import { describe, expect, it } from 'vitest';
import type { CachedFrame } from '../api/cached.ts';
import type { KubernetesList, KubernetesObject } from '../api/metadata.ts';
import type { WatchEvent } from '../api/watch-event.ts';
import { ListWatch } from './list-watch.ts';
import { plainSource } from './plain-source.ts';
import { Scene } from './scripted-fixture.ts';

const signal = new AbortController().signal;

const list = async () => ({ metadata: { resourceVersion: '1' }, items: [] });
async function* noEvents(): AsyncGenerator<WatchEvent> {}

const listing = (answer: unknown) =>
  plainSource(new ListWatch({ list: () => answer as KubernetesList<KubernetesObject>, watch: noEvents })).list(
    {},
    { signal },
  );

async function framesOf(...events: unknown[]): Promise<CachedFrame[]> {
  async function* watch(): AsyncGenerator<WatchEvent> {
    yield* events as WatchEvent[];
  }
  const frames: CachedFrame[] = [];
  for await (const batch of await plainSource(new ListWatch({ list, watch })).watch({}, { signal }))
    frames.push(...batch);
  return frames;
}

const object = (name: string) => ({ metadata: { name, resourceVersion: '5' } });

const deployments = { kind: 'Deployment', group: 'apps', version: 'v1' };

it('keeps an error for each of the first hundred unusable items alone', async () => {
  const { broken } = await listing({ items: Array.from({ length: 300 }, () => ({})) });
  expect(broken).toHaveLength(300);
  expect(new Set(broken.map(({ problem }) => problem)).size).toBe(101);
});

describe('ListWatch with a resource', () => {
  it.each<[string, object, object, string]>([
    ['another kind', {}, { kind: 'Pod', apiVersion: 'v1' }, 'a Pod of v1'],
    ['another version', {}, { kind: 'Deployment', apiVersion: 'apps/v1beta1' }, 'a Deployment of apps/v1beta1'],
    ['another group', {}, { apiVersion: 'extensions/v1' }, 'a nameless kind of extensions/v1'],
    ['a list of another kind', { kind: 'PodList', apiVersion: 'v1' }, {}, 'an item of a PodList'],
  ])('names objects of %s as broken, and takes the others', async (_, ofList, ofObject, got) => {
    const items = [
      { ...object('good'), kind: 'Deployment', apiVersion: 'apps/v1' },
      { ...object('other'), ...ofObject },
    ];
    const listWatch = new ListWatch<KubernetesObject>({
      list: () => ({ ...ofList, items }),
      watch: async function* () {
        for (const item of items)
          yield { type: 'ADDED', object: { ...item, ...('kind' in ofList && { kind: 'Pod' }) } };
      },
    });
    const lw = plainSource(listWatch, deployments);
    const listed = await lw.list({}, { signal });
    expect(listed.items.map(({ key }) => key)).toEqual(['good']);
    expect(listed.broken).toMatchObject([
      { key: 'other', problem: { message: `expected a Deployment of apps/v1 and got ${got}` } },
    ]);
    const frames: CachedFrame[] = [];
    for await (const batch of await lw.watch({}, { signal })) frames.push(...batch);
    expect(frames.at(-1)).toMatchObject({ type: 'BROKEN', broken: { key: 'other' } });
  });

  it.each([
    ['say nothing', {}, {}],
    ['come in a List', { kind: 'List', apiVersion: 'v1' }, {}],
    ['come in a list of their kind', { kind: 'DeploymentList', apiVersion: 'apps/v1' }, {}],
    ['say what they are', {}, { kind: 'Deployment', apiVersion: 'apps/v1' }],
  ])('takes objects that %s', async (_, ofList, ofObject) => {
    const listWatch = new ListWatch<KubernetesObject>({
      list: () => ({ ...ofList, items: [{ ...object('a'), ...ofObject }] }),
      watch: noEvents,
    });
    const { items, broken } = await plainSource(listWatch, deployments).list({}, { signal });
    expect(items).toHaveLength(1);
    expect(broken).toEqual([]);
  });

  it('does not judge custom resources by the name of their list, which their definition may choose', async () => {
    const listWatch = new ListWatch<KubernetesObject>({
      list: () => ({ kind: 'Sheep', apiVersion: 'example.com/v1', items: [object('a')] }),
      watch: noEvents,
    });
    const sheep = { kind: 'Sheep', group: 'example.com', version: 'v1' };
    expect((await plainSource(listWatch, sheep).list({}, { signal })).items).toHaveLength(1);
  });
});

describe('ListWatch', () => {
  it('hands the options and the signal on', async () => {
    const calls: unknown[] = [];
    const lw = plainSource(
      new ListWatch({
        list: (...call) => {
          calls.push(call);
          return { items: [] };
        },
        watch: (...call) => {
          calls.push(call);
          return noEvents();
        },
      }),
    );
    await lw.list({ limit: 5 }, { signal });
    await lw.watch({ resourceVersion: '7' }, { signal });
    expect(calls).toEqual([
      [{ limit: 5 }, { signal }],
      [{ resourceVersion: '7' }, { signal }],
    ]);
  });

  it('takes lists, and names the items that cannot be used', async () => {
    const result = await listing({
      metadata: { resourceVersion: '9', continue: 'c' },
      items: [object('a'), {}, null, object('b')],
    });
    expect(result.items.map(({ key }) => key)).toEqual(['a', 'b']);
    expect(result.broken).toHaveLength(2);
    expect(result.metadata).toEqual({ resourceVersion: '9', continue: 'c' });
  });

  it('takes null for no items, and the spelling of @kubernetes/client-node', async () => {
    expect(await listing({ items: null, metadata: { _continue: 'c', resourceVersion: '2' } })).toEqual({
      items: [],
      broken: [],
      metadata: { resourceVersion: '2', continue: 'c' },
    });
  });

  it.each([[undefined], [null], [{}], [[]], [{ items: {} }]])(
    'fails when the list function returns %j',
    async (answer) => {
      await expect(listing(answer)).rejects.toThrow('must return an object with "items"');
    },
  );

  it('fails with the ApiError that a Status stands for', async () => {
    await expect(listing({ kind: 'Status', code: 403, message: 'no' })).rejects.toMatchObject({ code: 403 });
  });

  it('takes events of every type', async () => {
    const bookmark = { metadata: { resourceVersion: '6', annotations: { 'k8s.io/initial-events-end': 'true' } } };
    const frames = await framesOf(
      { type: 'ADDED', object: object('a') },
      { type: 'MODIFIED', object: object('a') },
      { type: 'DELETED', object: object('a') },
      { type: 'BOOKMARK', object: bookmark },
      { type: 'ERROR', object: { kind: 'Status', code: 410 } },
    );
    expect(frames.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']);
    expect(frames[3]).toEqual({ type: 'BOOKMARK', resourceVersion: '6', initialEventsEnd: true });
    expect(frames[4]).toEqual({ type: 'ERROR', status: { kind: 'Status', code: 410 } });
  });

  it('calls events broken that make no sense, with the key when there is one', async () => {
    const frames = await framesOf(
      undefined,
      null,
      7,
      {},
      { type: 'PUT', object: object('a') },
      { type: 'ADDED' },
      { type: 'ADDED', object: {} },
    );
    expect(frames.map((frame) => (frame.type === 'BROKEN' ? frame.broken.key : frame.type))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'a',
      undefined,
      undefined,
    ]);
  });

  it('leaves an ERROR without a Status an error', async () => {
    expect(await framesOf({ type: 'ERROR', object: object('a') })).toMatchObject([
      { type: 'ERROR', status: { status: 'Failure' } },
    ]);
  });

  it('fails when the watch function returns nothing to iterate', async () => {
    const lw = plainSource(new ListWatch({ list, watch: () => ({}) as AsyncIterable<WatchEvent> }));
    await expect(lw.watch({}, { signal })).rejects.toThrow('async iterable');
  });

  it('rejects when a function throws, and is never called without functions', async () => {
    const throwing = () => {
      throw new Error('bug');
    };
    const lw = plainSource(new ListWatch({ list: throwing, watch: throwing }));
    await expect(lw.list({}, { signal })).rejects.toThrow('bug');
    await expect(lw.watch({}, { signal })).rejects.toThrow('bug');
    expect(() => new ListWatch({ list } as unknown as ConstructorParameters<typeof ListWatch>[0])).toThrow(
      'ListWatch needs the option watch: a function',
    );
  });

  it('does not try WatchList unless told that the functions know it', () => {
    expect(plainSource(new ListWatch({ list, watch: noEvents })).supportsWatchList).toBe(false);
    expect(plainSource(new ListWatch({ list, watch: noEvents, supportsWatchList: true })).supportsWatchList).toBe(true);
  });

  it('feeds a reflector', async () => {
    const closed: string[] = [];
    const listWatch = new ListWatch<KubernetesObject>({
      list: () => ({ metadata: { resourceVersion: '5' }, items: [object('a')] }),
      async *watch(_, context) {
        try {
          yield { type: 'ADDED', object: object('b') };
          yield { type: 'DELETED', object: object('a') };
          await new Promise((_resolve, reject) =>
            context.signal.addEventListener('abort', () => reject(new Error('aborted'))),
          );
        } finally {
          closed.push('watch');
        }
      },
    });
    const scene = await Scene.start({ around: () => plainSource(listWatch) });
    expect(scene.target.calls).toEqual(['replace 5: a', 'add b@5', 'delete a@5']);
    await scene[Symbol.asyncDispose]();
    await scene.settle();
    expect(closed).toEqual(['watch']);
    expect(scene.reports).toEqual([]);
  });
});
