import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from './apiserver.ts';
import { serviceStrategy } from './kinds/service.ts';
import { RequestClient } from './request-client-fixture.ts';
import type { WriteContext } from './storage/strategy.ts';
import type { JsonObject } from './values/json.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const THINGS = '/apis/example.com/v1/namespaces/default/things';

const definition = {
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};

let clock: FakeClock;
let server: ApiServer;
let client: RequestClient;

beforeEach(async () => {
  clock = new FakeClock();
  server = await ApiServer.start({ listen: false, logger: silentLogger, clock });
  client = new RequestClient(server.transport());
});

afterEach(() => server.stop());

const create = (name: string) => client.post(MAPS, { metadata: { name } });

async function listed(path = MAPS): Promise<string[]> {
  const { body } = await client.get(path);
  const items = body.items as { metadata: { name: string; resourceVersion: string } }[];
  return items.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`);
}

describe('a server that is restored', () => {
  it('has the objects and the version of the snapshot, and numbers what comes as it did before', async () => {
    await create('a');
    await create('b');
    const before = await listed();
    const snapshot = server.snapshot();
    expect(snapshot.resourceVersion).toBe(server.resourceVersion);
    await client.put(`${MAPS}/a`, { metadata: { name: 'a' }, data: { changed: 'yes' } });
    await client.send('DELETE', `${MAPS}/b`);
    await create('c');

    server.restore(snapshot);
    expect(server.resourceVersion).toBe(snapshot.resourceVersion);
    expect(await listed()).toEqual(before);
    const { body } = await create('d');
    expect(body.metadata).toMatchObject({ resourceVersion: String(Number(snapshot.resourceVersion) + 1) });
  });

  it('can be restored again, also to a state with the same versions and other contents', async () => {
    const empty = server.snapshot();
    await client.post(MAPS, { metadata: { name: 'a' }, data: { life: 'first' } });
    const first = server.snapshot();
    server.restore(empty);
    await client.post(MAPS, { metadata: { name: 'a' }, data: { life: 'second' } });
    expect(server.resourceVersion).toBe(first.resourceVersion);
    server.restore(first);
    expect((await client.get(`${MAPS}/a`)).body.data).toEqual({ life: 'first' });
    server.restore(empty);
    expect(await listed()).toEqual([]);
  });

  it('breaks every watch, and has forgotten the history', async () => {
    const old = server.resourceVersion;
    await create('a');
    const snapshot = server.snapshot();
    const watch = await client.watch(`${MAPS}?resourceVersion=${server.resourceVersion}`);
    server.restore(snapshot);
    await expect(watch.next()).rejects.toThrow('broke off');
    const again = await client.watch(`${MAPS}?resourceVersion=${old}`);
    expect(await again.next()).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });

  it('accepts a watch from a version that is yet to come, and is silent until it has passed', async () => {
    const snapshot = server.snapshot();
    for (const name of ['a', 'b']) await create(name);
    const ahead = server.resourceVersion;
    server.restore(snapshot);
    const watch = await client.watch(`${MAPS}?resourceVersion=${ahead}&allowWatchBookmarks=true`);
    expect(watch.status).toBe(200);
    await create('c');
    await clock.advance(120_000);
    await create('d');
    await create('e');
    expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'e' } } });
    await watch.close();
  });

  it('answers a list that is to be no older than such a version with 504', async () => {
    const snapshot = server.snapshot();
    await create('a');
    const ahead = server.resourceVersion;
    server.restore(snapshot);
    const answer = client.get(`${MAPS}?resourceVersion=${ahead}&resourceVersionMatch=NotOlderThan`);
    await clock.advance(3_000);
    expect(await answer).toMatchObject({
      status: 504,
      body: { reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } },
    });
  });

  it('serves the custom resources of then', async () => {
    const without = server.snapshot();
    await client.post(DEFINITIONS, definition);
    await client.post(THINGS, { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a' } });
    const served = await listed(THINGS);
    const withThem = server.snapshot();
    server.restore(without);
    expect((await client.get(THINGS)).status).toBe(404);
    server.restore(withThem);
    expect(await listed(THINGS)).toEqual(served);
  });

  it('keeps a namespace that was not being deleted then', async () => {
    await client.post('/api/v1/namespaces', { metadata: { name: 'n' } });
    await client.post('/api/v1/namespaces/n/configmaps', { metadata: { name: 'a', finalizers: ['x.com/y'] } });
    const snapshot = server.snapshot();
    await client.send('DELETE', '/api/v1/namespaces/n');
    server.restore(snapshot);
    await client.post('/api/v1/namespaces/n/configmaps', { metadata: { name: 'b' } });
    await client.post('/api/v1/namespaces/n/configmaps', { metadata: { name: 'c' } });
    expect((await listed('/api/v1/namespaces/n/configmaps')).map((name) => name[0])).toEqual(['a', 'b', 'c']);
    expect((await client.get('/api/v1/namespaces/n')).body.status).toEqual({ phase: 'Active' });
  });

  it('collects the dependents of owners of then', async () => {
    const owner = (await create('owner')).body.metadata as { uid: string };
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid }];
    await client.post(MAPS, { metadata: { name: 'dependent', ownerReferences } });
    const snapshot = server.snapshot();
    await client.send('DELETE', `${MAPS}/owner`);
    expect(await listed()).toEqual([]);
    server.restore(snapshot);
    await create('other');
    expect(await listed()).toHaveLength(3);
    await client.send('DELETE', `${MAPS}/owner`);
    expect((await listed()).map((name) => name.split('@')[0])).toEqual(['other']);
  });

  it('gives the address and the node port of a service of then to nobody else, and those of a later one back', () => {
    const strategy = serviceStrategy();
    const service = (clusterIP: string, nodePort: number) => ({ spec: { clusterIP, ports: [{ port: 80, nodePort }] } });
    const context = { random: () => 0, dryRun: false } as WriteContext;
    const addressOf = () => {
      const object: JsonObject = { spec: { type: 'NodePort', ports: [{ port: 80 }] } };
      strategy.prepareForCreate?.(object, context);
      const { clusterIP, ports } = object.spec as { clusterIP: string; ports: { nodePort: number }[] };
      return [clusterIP, ports[0]?.nodePort];
    };
    strategy.afterRestore?.(undefined, service('10.96.0.10', 30_000));
    expect(addressOf()).toEqual(['10.96.0.11', 30_001]);
    strategy.afterRestore?.(service('10.96.0.10', 30_000), undefined);
    expect(addressOf()).toEqual(['10.96.0.10', 30_000]);
  });
});
