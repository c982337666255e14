import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { asArray, asObject, getPath, type JsonObject } from '../values/json.ts';

const OBJECTS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';
const PATIENCE = { timeout: 30_000 };

describe('the garbage collector', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    client = new RequestClient(server.transport());
  });
  afterEach(() => server.stop());

  const create = async (name: string, metadata: JsonObject = {}) =>
    (await client.post(OBJECTS, { metadata: { name, ...metadata } })).body;
  const reference = (owner: JsonObject, overrides: JsonObject = {}): JsonObject => ({
    apiVersion: 'v1',
    kind: String(owner.kind),
    name: String(getPath(owner, 'metadata', 'name')),
    uid: String(getPath(owner, 'metadata', 'uid')),
    ...overrides,
  });
  const blocking = { blockOwnerDeletion: true };
  const remove = (name: string, propagationPolicy = 'Foreground') =>
    client.delete(`${OBJECTS}/${name}`, { propagationPolicy });
  const status = async (name: string) => (await client.get(`${OBJECTS}/${name}`)).status;
  const gone = (name: string) => expect.poll(() => status(name), PATIENCE).toBe(404);
  const ownersOf = async (path: string) =>
    asArray(getPath((await client.get(path)).body, 'metadata', 'ownerReferences')).map((item) => asObject(item).name);

  it('keeps dependents that have a second owner while the first waits for its dependents', async () => {
    const first = await create('first');
    const second = await create('second');
    for (let count = 0; count < 20; count++) {
      const both = [reference(first, blocking), reference(second)];
      const ownerReferences = count % 2 === 0 ? both : both.slice(0, 1);
      await client.post(PODS, {
        metadata: { name: `p${count}`, ownerReferences },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      });
    }
    await remove('first');
    await gone('first');
    const pods = asArray((await client.get(PODS)).body.items).map(asObject);
    expect(pods.map((pod) => getPath(pod, 'metadata', 'ownerReferences'))).toEqual(
      Array.from({ length: 10 }, () => [reference(second)]),
    );
    expect(pods.every((pod) => getPath(pod, 'metadata', 'deletionTimestamp') === undefined)).toBe(true);
  });

  it('keeps such a dependent even when its reference does not block', async () => {
    const [first, second] = [await create('first'), await create('second')];
    await create('blocker', { ownerReferences: [reference(first, blocking)], finalizers: ['example.com/x'] });
    await create('child', { ownerReferences: [reference(first), reference(second)] });
    await remove('first');
    expect(await status('first')).toBe(200);
    await expect.poll(() => ownersOf(`${OBJECTS}/child`), PATIENCE).toEqual(['second']);
  });

  it('is not blocked by a circle of owners', async () => {
    const names = ['a', 'b', 'c'];
    const made: JsonObject[] = [];
    for (const name of names) made.push(await create(name));
    for (const [index, name] of names.entries()) {
      const owner = made[(index + 2) % 3] as JsonObject;
      const ownerReferences = [reference(owner, { controller: true, ...blocking })];
      await client.patch(`${OBJECTS}/${name}`, { metadata: { ownerReferences } });
    }
    await remove('a');
    for (const name of names) await gone(name);
  });

  it('deletes in the foreground all the way down', async () => {
    const owner = await create('owner');
    const child = await create('child', { ownerReferences: [reference(owner, blocking)] });
    await create('leaf', { ownerReferences: [reference(child, blocking)], finalizers: ['example.com/x'] });
    await remove('owner');
    const waiting = await client.get(`${OBJECTS}/child`);
    expect(waiting.body.metadata).toMatchObject({ finalizers: ['foregroundDeletion'] });
    await client.patch(`${OBJECTS}/leaf`, { metadata: { finalizers: null } });
    for (const name of ['leaf', 'child', 'owner']) await gone(name);
  });

  it('lets a waiting owner go when a dependent stops blocking it', async () => {
    const owner = await create('owner');
    const held = { finalizers: ['example.com/x'] };
    await create('child', { ownerReferences: [reference(owner, blocking)], ...held });
    await remove('owner');
    expect(await status('owner')).toBe(200);
    const ownerReferences = [reference(owner, { blockOwnerDeletion: false })];
    await client.patch(`${OBJECTS}/child`, { metadata: { ownerReferences } });
    await gone('owner');
    expect(await status('child')).toBe(200);
  });

  it('honours the finalizer by which a dependent asks to leave its own dependents alone', async () => {
    const owner = await create('owner');
    const child = await create('child', { ownerReferences: [reference(owner)], finalizers: ['orphan'] });
    await create('leaf', { ownerReferences: [reference(child)] });
    await remove('owner', 'Background');
    await gone('child');
    expect(await ownersOf(`${OBJECTS}/leaf`)).toEqual([]);
    expect(await status('leaf')).toBe(200);
  });

  it('goes by the name and the kind of an owner, not by its uid alone', async () => {
    const owner = await create('owner');
    await create('renamed', { ownerReferences: [reference(owner, { name: 'another' })] });
    await create('secret', { ownerReferences: [reference(owner, { kind: 'Secret' })] });
    await gone('renamed');
    await gone('secret');
  });

  it('leaves objects alone whose owner is of a kind that nobody serves, until somebody does', async () => {
    const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'u' }];
    await create('child', { ownerReferences });
    expect(await status('child')).toBe(200);
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    await client.post('/apis/example.com/v1/namespaces/default/widgets', {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'other' },
    });
    await gone('child');
  });

  it('leaves cluster-scoped objects alone that name an owner in a namespace', async () => {
    const owner = await create('owner');
    const role = { metadata: { name: 'r', ownerReferences: [reference(owner)] }, rules: [] };
    const roles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
    await client.post(roles, role);
    await remove('owner', 'Background');
    await gone('owner');
    expect((await client.get(`${roles}/r`)).status).toBe(200);
  });

  it('does not look after events', async () => {
    const events = '/api/v1/namespaces/default/events';
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'nobody' }];
    await client.post(events, { metadata: { name: 'e', ownerReferences }, involvedObject: { namespace: 'default' } });
    await create('witness', { ownerReferences });
    await gone('witness');
    expect((await client.get(`${events}/e`)).status).toBe(200);
  });

  it('deletes under the condition that the object is still the same one', async () => {
    const owner = await create('owner');
    await create('child', { ownerReferences: [reference(owner)] });
    const answer = await client.delete(`${OBJECTS}/owner`, {
      propagationPolicy: 'Background',
      preconditions: { uid: 'another' },
    });
    expect(answer.status).toBe(409);
    expect(await status('child')).toBe(200);
  });
});
