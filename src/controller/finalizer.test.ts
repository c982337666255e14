import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withOrigin } from '../api/origin.ts';
import type { Client } from '../cluster/client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type ConfigMap, configMaps } from '../generated/api/core/v1.ts';
import { ApiServer } from '../testing/api-server.ts';
import { TestContext } from './context-fixture.ts';
import { type Cleanup, withFinalizer } from './finalizer.ts';

const MINE = 'example.com/bucket';
const OTHER = 'example.com/other';

describe('withFinalizer', () => {
  let server: ApiServer;
  let cluster: Cluster;
  let client: Client<ConfigMap>;
  let calls: string[];
  let onCleanup: Cleanup<ConfigMap>;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false });
    cluster = server.cluster();
    client = cluster.client(configMaps, { namespace: 'default' });
    calls = [];
    onCleanup = async () => {};
  });
  afterEach(() => server.stop());

  const reconcile = withFinalizer<ConfigMap>(
    MINE,
    async (context) => {
      calls.push(`cleanup ${context.object.metadata.name}`);
      return onCleanup(context);
    },
    async ({ object, own, name }) => {
      calls.push(`reconcile ${name} ${object?.metadata.finalizers} ${object?.metadata.resourceVersion}`);
      if (object) own({ metadata: { name: 'child' } });
      return { requeueAfterMs: 1 };
    },
    configMaps,
  );
  const create = (finalizers: string[] = []) => client.create({ metadata: { name: 'a', finalizers } });
  const run = (object: ConfigMap | undefined) => reconcile(new TestContext(cluster, configMaps, object, 'default/a'));
  const finalizers = async () => (await client.get('a')).metadata?.finalizers;

  it('adds the finalizer before the first reconcile, which sees the object with it', async () => {
    expect(await run(await create([OTHER]))).toEqual({ requeueAfterMs: 1 });
    const stored = await client.get('a');
    expect(stored.metadata?.finalizers).toEqual([OTHER, MINE]);
    expect(calls).toEqual([`reconcile a ${OTHER},${MINE} ${stored.metadata?.resourceVersion}`]);
  });

  it('writes nothing when the finalizer is there', async () => {
    const before = await create([MINE]);
    await run(before);
    expect((await client.get('a')).metadata?.resourceVersion).toBe(before.metadata?.resourceVersion);
    expect(calls).toHaveLength(1);
  });

  it('cleans up when the object is to be deleted, then removes its own name alone', async () => {
    await create([OTHER, MINE, 'example.com/third']);
    await client.delete('a');
    expect(await run(await client.get('a'))).toBeUndefined();
    expect(calls).toEqual(['cleanup a']);
    expect(await finalizers()).toEqual([OTHER, 'example.com/third']);
  });

  it('lets the object go when its finalizer was the last one', async () => {
    await create([MINE]);
    await client.delete('a');
    await run(await client.get('a'));
    await expect(client.get('a')).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('does nothing for an object that is to be deleted without it', async () => {
    await create([OTHER]);
    await client.delete('a');
    await run(await client.get('a'));
    expect(calls).toEqual([]);
    expect(await finalizers()).toEqual([OTHER]);
  });

  it('keeps the finalizer while the cleanup fails, or says that it needs more time', async () => {
    await create([MINE]);
    await client.delete('a');
    onCleanup = () => Promise.reject(new RangeError('no bucket'));
    await expect(run(await client.get('a'))).rejects.toThrow('no bucket');
    onCleanup = async () => ({ requeueAfterMs: 5_000 });
    expect(await run(await client.get('a'))).toEqual({ requeueAfterMs: 5_000 });
    expect(await finalizers()).toEqual([MINE]);
  });

  it.each<[string, unknown]>([
    ['an error', new RangeError('no bucket')],
    ['a field of another runtime', { requeueAfter: 5_000 }],
    ['a list', []],
    ['false', false],
  ])('keeps the finalizer, and fails, when the cleanup returns %s', async (_, returned) => {
    await create([MINE]);
    await client.delete('a');
    onCleanup = async () => returned as undefined;
    await expect(run(await client.get('a'))).rejects.toThrow(
      /^the cleanup of the finalizer example.com\/bucket returned/,
    );
    expect(await finalizers()).toEqual([MINE]);
  });

  it('cleans up for each of two finalizers, and runs no reconcile of what is to be deleted', async () => {
    const names: string[] = [];
    const inner = withFinalizer<ConfigMap>(
      OTHER,
      () => void names.push('inner'),
      () => void names.push('run'),
      configMaps,
    );
    const both = withFinalizer<ConfigMap>(MINE, () => void names.push('outer'), inner, configMaps);
    const runBoth = async () => both(new TestContext(cluster, configMaps, await client.get('a'), 'default/a'));
    await create();
    await runBoth();
    await client.delete('a');
    await runBoth();
    expect(names).toEqual(['run', 'outer', 'inner']);
    await expect(client.get('a')).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('cleans up for the inner one of two finalizers when somebody else has removed the outer one', async () => {
    const names: string[] = [];
    const inner = withFinalizer<ConfigMap>(
      OTHER,
      () => void names.push('inner'),
      () => {},
      configMaps,
    );
    const both = withFinalizer<ConfigMap>(MINE, () => void names.push('outer'), inner, configMaps);
    await create([OTHER]);
    await client.delete('a');
    await both(new TestContext(cluster, configMaps, await client.get('a'), 'default/a'));
    expect(names).toEqual(['inner']);
  });

  it('fails with the conflict when the object has changed since it was cached, and removes no finalizer of others', async () => {
    const cached = await create();
    await client.patch('a', { metadata: { finalizers: [OTHER] } });
    await expect(run(cached)).rejects.toMatchObject({ kind: 'conflict' });
    expect(calls).toEqual([]);
    expect(await finalizers()).toEqual([OTHER]);

    await client.patch('a', { metadata: { finalizers: [MINE] } });
    await client.delete('a');
    const deleting = await client.get('a');
    onCleanup = async () => void (await client.patch('a', { metadata: { labels: { a: 'b' } } }));
    await expect(run(deleting)).rejects.toMatchObject({ kind: 'conflict' });
    expect(await finalizers()).toEqual([MINE]);
  });

  it('ends quietly when the object is gone in the meantime', async () => {
    const cached = await create();
    await client.delete('a');
    await run(cached);
    expect(calls).toEqual([]);
  });

  it('passes on that the object is gone', async () => {
    await run(undefined);
    expect(calls).toEqual(['reconcile  undefined undefined']);
  });

  it('asks the server where the cache may have left out the finalizers', async () => {
    const { metadata } = await create([OTHER]);
    const { finalizers: _, ...rest } = metadata ?? {};
    const cached = () => withOrigin({ metadata: rest }, () => ({ what: 'leaves out a part', concernsStatus: true }));
    await run(cached());
    expect(await finalizers()).toEqual([OTHER, MINE]);
    await client.patch('a', { metadata: { finalizers: [] } });
    await client.delete('a');
    await create();
    await run(cached());
    expect(await finalizers()).toBeUndefined();
  });

  it('refuses a name without a domain', () => {
    for (const name of ['bucket', 'Example.com/x', 'example.com/', 'a/b/c', '']) {
      expect(() =>
        withFinalizer(
          name,
          () => {},
          () => {},
          configMaps,
        ),
      ).toThrow(/cannot be a finalizer/);
    }
  });
});
