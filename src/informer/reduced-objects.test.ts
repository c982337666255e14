import { reactive } from '@vue/reactivity';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../cluster/client.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type Pod, pods } from '../generated/api/core/v1.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from './shared-informer-factory.ts';

let server: ApiServer;
let cluster: Cluster;
let client: Client<Pod>;
let factory: SharedInformerFactory | undefined;

beforeEach(async () => {
  server = await ApiServer.start({ listen: false, logger: silentLogger });
  cluster = server.cluster();
  client = cluster.client(pods);
  await client.create({
    metadata: { name: 'web', labels: { app: 'web' }, annotations: { note: 'n' } },
    spec: { containers: [{ name: 'main', image: 'web:1', env: [{ name: 'A', value: '1' }] }] },
  });
});

afterEach(async () => {
  await factory?.shutdown();
  factory = undefined;
  await cluster.close();
  await server.stop();
});

/** The pod as a reader of the cache gets it, with another label. */
async function cached(options: SharedInformerFactoryOptions): Promise<Pod> {
  factory = new SharedInformerFactory(cluster, { logger: silentLogger, ...options });
  const lister = factory.for(pods).lister();
  factory.start();
  await factory.waitForCacheSync({ timeoutMs: 60_000 });
  const pod = lister.get('default/web');
  if (!pod?.metadata) throw new Error('the pod is not there');
  pod.metadata.labels = { ...pod.metadata.labels, changed: 'yes' };
  return pod;
}

const identity = <O>(object: O): O => object;
const reductions: [string, SharedInformerFactoryOptions, string][] = [
  ['drop', { drop: ['spec.containers.*.env'] }, 'leaves out spec.containers.*.env'],
  ['drop of annotations', { drop: ['metadata.annotations'] }, 'leaves out metadata.annotations'],
  ['keep', { keep: ['metadata', 'spec', 'status'], managedFields: 'keep' }, 'keeps only metadata, spec, status'],
  [
    'both',
    { keep: ['metadata', 'spec'], drop: ['spec.nodeName'] },
    'keeps only metadata, spec and leaves out spec.nodeName',
  ],
  ['a transform', { transform: identity }, 'has a transform'],
];

describe.each([{ store: 'packed' }, { store: 'plain' }] as const)('an object from a $store cache', (kept) => {
  it.each(reductions)('that was reduced by %s is not sent in an update', async (_name, options, what) => {
    const pod = await cached({ ...kept, ...options });
    const before = await client.get('web');
    for (const object of [pod, new Proxy(pod, {}), reactive(pod) as Pod, Object.create(pod) as Pod]) {
      const refusal = await client.update(object).catch((error: Error) => error);
      expect(refusal).toBeInstanceOf(TypeError);
      expect((refusal as Error).message).toMatch(/default\/web.*patch or apply/s);
      expect((refusal as Error).message).toContain(what);
    }
    expect(await client.get('web')).toEqual(before);
  });

  it.each(reductions)('that was reduced by %s is not applied', async (_name, options, what) => {
    const pod = await cached({ ...kept, ...options });
    const before = await client.get('web');
    const refusal = await client.apply(pod, { fieldManager: 'test', force: true }).catch((error: Error) => error);
    expect(refusal).toBeInstanceOf(TypeError);
    expect((refusal as Error).message).toMatch(/default\/web.*apply an object with just the fields/s);
    expect((refusal as Error).message).toContain(what);
    expect(await client.get('web')).toEqual(before);
  });

  it('is refused as it comes in an event, too', async () => {
    factory = new SharedInformerFactory(cluster, { logger: silentLogger, drop: ['spec.containers.*.env'], ...kept });
    const heard = new Promise<Pod>((resolve) => {
      factory?.for(pods).informer().addEventHandler({ onAdd: resolve });
    });
    factory.start();
    await expect(client.update(await heard)).rejects.toThrow('spec.containers.*.env');
  });

  it.each([
    ['nothing left out', {}],
    ['nothing but managed fields left out', { drop: ['metadata.managedFields'] }],
    ['managed fields', { managedFields: 'keep' }],
    ['everything kept', { keep: ['*'] }],
    ['who it is always kept', { drop: ['metadata.uid', 'kind'] }],
  ] as const)('with %s is sent in an update', async (_name, options) => {
    const updated = await client.update(await cached({ ...kept, ...options }));
    expect(updated).toMatchObject({
      metadata: { labels: { app: 'web', changed: 'yes' }, annotations: { note: 'n' } },
      spec: { containers: [{ env: [{ name: 'A', value: '1' }] }] },
    });
  });

  it.each([
    ['spec.containers.*.env', { drop: ['spec.containers.*.env'] }, false],
    ['all but metadata and status', { keep: ['metadata', 'status'] }, false],
    ['a part of status', { drop: ['status.conditions'] }, true],
    ['a part of metadata', { drop: ['metadata.annotations'] }, true],
    ['whatever field has that name', { drop: ['*.env'] }, true],
    ['status', { keep: ['metadata', 'spec'] }, true],
    ['a part of what is in keep', { keep: ['metadata', 'status.phase'] }, true],
    ['whatever a transform takes', { transform: identity }, true],
  ] as const)('that lacks %s is sent as a status unless that is concerned', async (_name, options, isRefused) => {
    const pod = await cached({ ...kept, ...options });
    pod.status = { ...pod.status, message: 'changed' };
    const update = client.update(pod, { subresource: 'status' });
    if (isRefused) await expect(update).rejects.toThrow(TypeError);
    else expect((await update).status?.message).toBe('changed');
    const { spec } = await client.get('web');
    expect(spec?.containers[0]?.env).toEqual([{ name: 'A', value: '1' }]);
  });

  it('can be patched and applied', async () => {
    const pod = await cached({ ...kept, drop: ['spec.containers.*.env'] });
    await client.patch('web', { metadata: { labels: pod.metadata?.labels ?? {} } });
    const applied = { metadata: { name: 'web', namespace: 'default', labels: { applied: 'yes' } } };
    const whole = await client.apply(applied as Pod, { fieldManager: 'test', force: true });
    expect(whole.metadata?.labels).toEqual({ app: 'web', changed: 'yes', applied: 'yes' });
    expect(whole.spec?.containers[0]?.env).toEqual([{ name: 'A', value: '1' }]);
  });
});
