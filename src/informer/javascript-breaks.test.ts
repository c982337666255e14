/**
 * What broke in other JavaScript clients when it was tried on them, each as a test that holds here. The numbers are those of the
 * table of breaks that the project keeps of them.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import { pods } from '../generated/api/core/v1.ts';
import { networkPolicies } from '../generated/api/networking/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { ListWatch } from '../reflector/list-watch.ts';
import { ApiServer } from '../testing/api-server.ts';
import { informerFixture, listener, type Thing } from './informer-fixture.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);
beforeEach(() => void process.on('unhandledRejection', onRejection));
afterEach(() => {
  process.off('unhandledRejection', onRejection);
  expect(rejections.splice(0)).toEqual([]);
});

/** The most requests that begin within any 2 s. */
function busiest(timesMs: readonly number[]): number {
  return Math.max(0, ...timesMs.map((start) => timesMs.filter((time) => time >= start && time < start + 2_000).length));
}

describe('an informer', () => {
  it('1: leaves a quiet watch open, with bookmarks asked for', async () => {
    const { source, informer, run, settle } = informerFixture();
    source.set('a');
    void run();
    await settle(100_000);
    expect(source.requests).toEqual(['list 0', 'watch 1']);
    await informer.stop();
    const asked: unknown[] = [];
    const watcher = new SharedIndexInformer<Thing>({
      listWatch: new ListWatch({
        list: () => ({ metadata: { resourceVersion: '1' }, items: [] }),
        watch: (options) => {
          asked.push(options);
          return new Promise(() => {});
        },
      }),
    });
    void watcher.run();
    await watcher.waitForSync();
    while (asked.length === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(asked[0]).toMatchObject({ allowWatchBookmarks: true, resourceVersion: '1' });
    await watcher.stop();
  });

  it('2: reports no error when it is stopped while watching', async () => {
    const { errors, logger, informer, run, settle } = informerFixture();
    void run();
    await settle();
    await informer.stop();
    expect([...errors, ...logger.lines]).toEqual([]);
  });

  it('3: stops during the list, and nothing fires afterwards', async () => {
    let release = () => {};
    const watched: string[] = [];
    const informer = new SharedIndexInformer<Thing>({
      listWatch: new ListWatch<Thing>({
        list: async () => {
          await new Promise<void>((resolve) => {
            release = resolve;
          });
          return { metadata: { resourceVersion: '1' }, items: [{ metadata: { name: 'a' } }] };
        },
        watch: () => {
          watched.push('watch');
          return new Promise(() => {});
        },
      }),
    });
    const handler = listener();
    informer.addEventHandler(handler);
    const running = informer.run();
    await new Promise<void>((resolve) => setImmediate(resolve));
    await informer.stop();
    await running;
    release();
    for (let turn = 0; turn < 10; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    expect([...handler.heard, ...watched]).toEqual([]);
  });

  it('4: has one watch however often it is started, and none after stop', async () => {
    const { source, informer, run, settle } = informerFixture();
    void run();
    void run();
    await settle();
    expect(source.openWatches).toBe(1);
    await informer.stop();
    expect(source.openWatches).toBe(0);
  });

  it('5: goes on after a handler that throws, for every handler and with the version advanced', async () => {
    const { source, informer, run, settle } = informerFixture();
    informer.addEventHandler({
      onAdd: () => {
        throw new Error('boom');
      },
    });
    const other = listener();
    informer.addEventHandler(other);
    source.set('a');
    void run();
    await settle();
    source.set('b');
    await settle();
    expect(other.heard).toEqual(['add a@1!', 'add b@2']);
    expect(informer.lastSyncResourceVersion()).toBe('2');
    await informer.stop();
  });

  it('6: lists again after a 429', async () => {
    const { source, informer, run, settle } = informerFixture();
    source.listFailures.push(new ApiError({ code: 429, details: { retryAfterSeconds: 1 } }));
    void run();
    await settle(4_000);
    expect(informer.hasSynced()).toBe(true);
    await informer.stop();
  });

  it('7: resumes after the socket was reset', async () => {
    const { source, informer, run, settle } = informerFixture();
    void run();
    await settle(2_000);
    source.cut(Object.assign(new Error('terminated'), { code: 'ECONNRESET' }));
    source.set('a');
    await settle(2_000);
    expect(informer.store.listKeys()).toEqual(['default/a']);
    await informer.stop();
  });

  it('8: reports an error in the stream', async () => {
    const { source, informer, errors, run, settle } = informerFixture();
    void run();
    await settle(2_000);
    source.send({ type: 'ERROR', object: { kind: 'Status', code: 500, message: 'etcd is away' } });
    await settle();
    expect(errors.map(({ message }) => message)).toEqual(['500 InternalError: etcd is away']);
    await settle(5_000);
    expect(informer.state.phase).toBe('watching');
    await informer.stop();
  });

  it('9: reports credentials that fail on a reconnect, and recovers', async () => {
    const { source, informer, errors, run, settle } = informerFixture();
    void run();
    await settle(2_000);
    source.watchFailures.push(new Error('the credential plugin failed'));
    source.cut();
    await settle(10_000);
    expect(errors.map(({ message }) => message)).toContain('the credential plugin failed');
    expect(informer.state.phase).toBe('watching');
    await informer.stop();
  });

  it.each([
    ['10: one event and a close, again and again', false],
    ['11: a 410 on every watch', true],
  ])('does not storm the server on %s', async (_what, expired) => {
    const { clock } = informerFixture();
    const timesMs: number[] = [];
    const listsMs: number[] = [];
    let version = 1;
    const informer = new SharedIndexInformer<Thing>({
      clock,
      logger: silentLogger,
      listWatch: new ListWatch({
        list: () => {
          timesMs.push(clock.now());
          listsMs.push(clock.now());
          return { metadata: { resourceVersion: String(version) }, items: [] };
        },
        watch: async () => {
          timesMs.push(clock.now());
          if (expired) throw new ApiError({ code: 410, reason: 'Expired' });
          return (async function* () {
            yield { type: 'ADDED' as const, object: { metadata: { name: 'a', resourceVersion: String(++version) } } };
          })();
        },
      }),
    });
    void informer.run();
    await clock.advance(20_000);
    expect(timesMs.length).toBeGreaterThan(2);
    expect(busiest(timesMs)).toBeLessThanOrEqual(5);
    if (expired)
      for (const [n, time] of listsMs.entries())
        if (n > 0) expect(time - (listsMs[n - 1] ?? 0)).toBeGreaterThanOrEqual(500);
    await informer.stop();
  });

  it('12: lists 150,000 objects of one namespace', async () => {
    const items = Array.from({ length: 150_000 }, (_, n) => ({
      metadata: { namespace: 'default', name: `p${n}`, uid: `${n}` },
    }));
    const informer = new SharedIndexInformer<KubernetesObject>({
      listWatch: new ListWatch<KubernetesObject>({
        list: () => ({ metadata: { resourceVersion: '1' }, items }),
        watch: () => new Promise(() => {}),
      }),
    });
    void informer.run();
    await informer.waitForSync();
    expect(informer.store.list()).toHaveLength(150_000);
    expect(informer.lister().namespace('default').list()).toHaveLength(150_000);
    await informer.stop();
  });

  it('15: says that it watches when it does, and not before', async () => {
    const { informer, run, settle } = informerFixture();
    void run();
    expect(informer.state.phase).not.toBe('watching');
    await settle();
    expect(informer.state.phase).toBe('watching');
    await informer.stop();
  });

  it('keeps the order of changes, however slow an async handler is', async () => {
    const { source, informer, run, settle, clock } = informerFixture();
    const heard: string[] = [];
    const slowly = async (line: string) => {
      await clock.sleep(200);
      heard.push(line);
    };
    informer.addEventHandler({
      onAdd: ({ metadata }) => slowly(`add ${metadata?.resourceVersion}`),
      onUpdate: (_old, { metadata }) => slowly(`update ${metadata?.resourceVersion}`),
    });
    void run();
    await settle();
    for (let n = 0; n < 3; n++) source.set('a');
    await settle(2_000);
    expect(heard).toEqual(['add 1', 'update 2', 'update 3']);
    await informer.stop();
  });

  it('does not call an object deleted because a list is older than the watch that added it', async () => {
    const { source, informer, run, settle } = informerFixture();
    const handler = listener();
    informer.addEventHandler(handler);
    source.set('a');
    void run();
    await settle(2_000);
    source.set('x');
    await settle();
    // A server that lags behind: its list does not know of x, at a version from before it.
    const known = [...source.objects];
    source.objects.delete('x');
    source.compact();
    source.cut();
    await settle(600);
    source.objects.clear();
    for (const [name, thing] of known) source.objects.set(name, thing);
    await settle(60_000);
    expect(informer.store.listKeys().sort()).toEqual(['default/a', 'default/x']);
    await informer.stop();
  });
});

describe('objects', () => {
  let server: ApiServer;
  beforeEach(async () => {
    server = await ApiServer.start({ listen: false, logger: silentLogger });
  });
  afterEach(() => server.stop());

  it.each([
    [
      '13: a NetworkPolicy',
      networkPolicies as Resource,
      { spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] } },
    ],
    ['14: a Pod', pods as Resource, { spec: { containers: [{ name: 'a', image: 'a' }] } }],
  ])('have one shape from a list and from a watch: %s', async (_what, resource, body) => {
    const cluster = server.cluster();
    const create = (name: string) =>
      cluster.client(resource).create({ metadata: { name, namespace: 'default' }, ...body });
    await create('listed');
    const informer = new SharedIndexInformer({ cluster, resource, logger: silentLogger });
    void informer.run();
    await informer.waitForSync();
    await informer.waitFor(await create('watched'));
    const [listed, watched] = ['listed', 'watched'].map((name) => informer.store.getByKey(`default/${name}`));
    const shape = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shape);
      if (typeof value !== 'object' || value === null) return typeof value;
      return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shape(field)]));
    };
    expect(shape(watched)).toEqual(shape(listed));
    expect(listed?.kind).toBe(resource.kind);
    expect(typeof listed?.metadata?.creationTimestamp).toBe('string');
    await informer.stop();
    await cluster.close();
  });
});
