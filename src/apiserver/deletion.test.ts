import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './apiserver.ts';
import { RequestClient } from './request-client-fixture.ts';
import { asArray, getPath, type JsonObject } from './values/json.ts';

const OBJECTS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

describe('a deletion', () => {
  let clock: FakeClock;
  let server: ApiServer;
  let client: RequestClient;

  const start = async (controllers: boolean) => {
    clock = new FakeClock();
    server = await ApiServer.start({ listen: false, clock, controllers });
    client = new RequestClient(server.transport());
  };

  beforeEach(() => start(true));
  afterEach(() => server.stop());

  const exists = async (path: string) => (await client.get(path)).status === 200;
  const create = async (name: string, metadata: JsonObject = {}) =>
    (await client.post(OBJECTS, { metadata: { name, ...metadata } })).body;
  const ownedBy = (owner: JsonObject, block = false) => ({
    ownerReferences: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: String(getPath(owner, 'metadata', 'name')),
        uid: String(getPath(owner, 'metadata', 'uid')),
        blockOwnerDeletion: block,
      },
    ],
  });
  const remove = (name: string, options: JsonObject = {}) => client.delete(`${OBJECTS}/${name}`, options);

  it.each([
    [{ dryRun: 'All' }, 400, 'cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string'],
    [{ dryRun: [''] }, 422, 'dryRun: Unsupported value: [""]: supported values: "All"'],
    [{ preconditions: { resourceVersion: 5 } }, 400, 'Preconditions.preconditions.resourceVersion of type string'],
    [{ preconditions: 'x' }, 400, 'cannot unmarshal string into Go struct field DeleteOptions.preconditions'],
    [{ gracePeriodSeconds: 1.5 }, 400, 'cannot unmarshal number 1.5 into Go struct field'],
    [{ orphanDependents: 'true' }, 400, 'DeleteOptions.orphanDependents of type bool'],
    [{ kind: 'Nope' }, 400, 'no kind "Nope" is registered for version "meta.k8s.io/v1" in scheme'],
    [{ propagationPolicy: '' }, 422, 'propagationPolicy: Unsupported value: ""'],
  ])('is refused with the options %j, and leaves the object', async (options, status, message) => {
    await create('a');
    const answer = await remove('a', options);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)]);
    expect(await exists(`${OBJECTS}/a`)).toBe(true);
  });

  it('and a creation are refused with an empty dry run, which is neither one nor none', async () => {
    await create('a');
    expect((await client.delete(`${OBJECTS}/a?dryRun=`)).status).toBe(422);
    expect((await client.post(`${OBJECTS}?dryRun=`, { metadata: { name: 'b' } })).status).toBe(422);
    expect([await exists(`${OBJECTS}/a`), await exists(`${OBJECTS}/b`)]).toEqual([true, false]);
  });

  it('waits for finalizers, and happens when the last one goes', async () => {
    await create('a', { finalizers: ['example.com/x'] });
    const answer = await remove('a');
    expect(answer.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
    });
    const added = await client.patch(`${OBJECTS}/a`, { metadata: { finalizers: ['example.com/x', 'example.com/y'] } });
    expect(added.body).toMatchObject({ code: 422 });
    await client.patch(`${OBJECTS}/a`, { metadata: { finalizers: null } });
    expect(await exists(`${OBJECTS}/a`)).toBe(false);
  });

  it('happens only under the conditions that were set', async () => {
    const object = await create('a');
    const wrongUid = await remove('a', { preconditions: { uid: 'other' } });
    expect(wrongUid.body).toMatchObject({ code: 409, reason: 'Conflict' });
    const wrongVersion = await remove('a', { preconditions: { resourceVersion: '1' } });
    expect(wrongVersion.status).toBe(409);
    const uid = String(getPath(object, 'metadata', 'uid'));
    expect((await remove('a', { preconditions: { uid } })).body).toMatchObject({ status: 'Success', details: { uid } });
  });

  it('without a body has its conditions in the query', async () => {
    const object = await create('a');
    for (const condition of ['resourceVersion=1', 'uid=other']) {
      expect((await client.delete(`${OBJECTS}/a?${condition}`)).status, condition).toBe(409);
    }
    const { uid, resourceVersion } = object.metadata as JsonObject;
    const answer = await client.delete(`${OBJECTS}/a?uid=${uid}&resourceVersion=${resourceVersion}`);
    expect(answer.body).toMatchObject({ status: 'Success', details: { uid } });
  });

  it('changes nothing on a dry run', async () => {
    await create('a');
    expect((await client.delete(`${OBJECTS}/a?dryRun=All`)).status).toBe(200);
    expect(await exists(`${OBJECTS}/a`)).toBe(true);
  });

  it('of a collection takes what is selected', async () => {
    await create('a', { labels: { x: '1' } });
    await create('b', { labels: { x: '1' } });
    await create('c');
    const answer = await client.delete(`${OBJECTS}?labelSelector=x%3D1`);
    expect(asArray(answer.body.items)).toHaveLength(2);
    expect(await exists(`${OBJECTS}/c`)).toBe(true);
    expect(await exists(`${OBJECTS}/a`)).toBe(false);
  });

  describe('of a pod', () => {
    const pod = (nodeName?: string) =>
      client.post(PODS, {
        metadata: { name: 'p' },
        spec: { ...(nodeName === undefined ? {} : { nodeName }), containers: [{ name: 'c', image: 'i' }] },
      });

    it('that is on no node is immediate', async () => {
      await pod();
      await client.delete(`${PODS}/p`);
      expect(await exists(`${PODS}/p`)).toBe(false);
    });

    it('on a node waits until somebody deletes it without grace', async () => {
      await pod('n1');
      const { body } = await client.delete(`${PODS}/p`);
      expect(body.metadata).toMatchObject({
        deletionTimestamp: '2026-01-01T00:00:30Z',
        deletionGracePeriodSeconds: 30,
      });
      expect((await client.delete(`${PODS}/p`)).body.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
      const shorter = await client.delete(`${PODS}/p?gracePeriodSeconds=5`);
      expect(shorter.body.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:05Z' });
      await client.delete(`${PODS}/p?gracePeriodSeconds=0`);
      expect(await exists(`${PODS}/p`)).toBe(false);
    });

    it('by eviction respects a budget', async () => {
      await client.post(PODS, {
        metadata: { name: 'p', labels: { app: 'x' } },
        spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
      });
      await client.patch(`${PODS}/p/status`, { status: { phase: 'Running' } });
      await client.post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', {
        metadata: { name: 'b' },
        spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } },
      });
      const evict = () => client.post(`${PODS}/p/eviction`, { metadata: { name: 'p' } });
      expect((await evict()).body).toMatchObject({ code: 429, details: { causes: [{ reason: 'DisruptionBudget' }] } });
      await client.patch('/apis/policy/v1/namespaces/default/poddisruptionbudgets/b/status', {
        status: { disruptionsAllowed: 1 },
      });
      expect((await evict()).status).toBe(201);
      expect((await client.get(`${PODS}/p`)).body.metadata).toHaveProperty('deletionTimestamp');
    });
  });

  describe('with dependents', () => {
    it('in the background takes them afterwards, all the way down', async () => {
      const owner = await create('owner');
      const child = await create('child', ownedBy(owner));
      await create('grandchild', ownedBy(child));
      await remove('owner', { propagationPolicy: 'Background' });
      for (const name of ['owner', 'child', 'grandchild']) expect(await exists(`${OBJECTS}/${name}`)).toBe(false);
    });

    it('in the foreground waits for those that block it', async () => {
      const owner = await create('owner');
      await create('child', { ...ownedBy(owner, true), finalizers: ['example.com/x'] });
      const answer = await remove('owner', { propagationPolicy: 'Foreground' });
      expect(answer.body.metadata).toMatchObject({ finalizers: ['foregroundDeletion'] });
      expect((await client.get(`${OBJECTS}/child`)).body.metadata).toHaveProperty('deletionTimestamp');
      expect(await exists(`${OBJECTS}/owner`)).toBe(true);
      await client.patch(`${OBJECTS}/child`, { metadata: { finalizers: null } });
      expect(await exists(`${OBJECTS}/owner`)).toBe(false);
    });

    it('as orphans leaves them without an owner', async () => {
      const owner = await create('owner');
      await create('child', ownedBy(owner));
      await remove('owner', { propagationPolicy: 'Orphan' });
      expect(await exists(`${OBJECTS}/owner`)).toBe(false);
      expect((await client.get(`${OBJECTS}/child`)).body.metadata).not.toHaveProperty('ownerReferences');
    });

    it('spares one that has another owner', async () => {
      const [first, second] = [await create('first'), await create('second')];
      const references = [...ownedBy(first).ownerReferences, ...ownedBy(second).ownerReferences];
      await create('child', { ownerReferences: references });
      await remove('first', { propagationPolicy: 'Background' });
      const child = await client.get(`${OBJECTS}/child`);
      expect(getPath(child.body, 'metadata', 'ownerReferences')).toMatchObject([{ name: 'second' }]);
    });

    it('takes objects whose owner never was', async () => {
      await create('child', { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'nobody' }] });
      expect(await exists(`${OBJECTS}/child`)).toBe(false);
    });

    it('is left to others without controllers, but the finalizers are set', async () => {
      await server.stop();
      await start(false);
      const owner = await create('owner');
      await create('child', ownedBy(owner, true));
      await remove('owner', { propagationPolicy: 'Foreground' });
      expect(await exists(`${OBJECTS}/owner`)).toBe(true);
      await client.patch(`${OBJECTS}/owner`, { metadata: { finalizers: null } });
      expect(await exists(`${OBJECTS}/child`)).toBe(true);
    });
  });

  describe('of a namespace', () => {
    const inside = '/api/v1/namespaces/work/configmaps';

    it('empties it and then lets it go', async () => {
      await client.post('/api/v1/namespaces', { metadata: { name: 'work' } });
      await client.post(inside, { metadata: { name: 'a', finalizers: ['example.com/x'] } });
      await client.post('/api/v1/namespaces/work/pods', {
        metadata: { name: 'p' },
        spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
      });
      const answer = await client.delete('/api/v1/namespaces/work');
      expect(answer.body).toMatchObject({ status: { phase: 'Terminating' } });
      expect(await exists('/api/v1/namespaces/work/pods/p')).toBe(false);
      const late = await client.post(inside, { metadata: { name: 'b' } });
      expect(late.body).toMatchObject({ code: 403, details: { causes: [{ reason: 'NamespaceTerminating' }] } });
      await client.patch(`${inside}/a`, { metadata: { finalizers: null } });
      expect(await exists('/api/v1/namespaces/work')).toBe(false);
    });

    it('is refused for those that the cluster needs', async () => {
      const answer = await client.delete('/api/v1/namespaces/default');
      expect(answer.body).toMatchObject({
        code: 403,
        message: 'namespaces "default" is forbidden: this namespace may not be deleted',
      });
    });

    it('without controllers is finished by whoever empties its finalizers', async () => {
      await server.stop();
      await start(false);
      await client.post('/api/v1/namespaces', { metadata: { name: 'work' } });
      await client.delete('/api/v1/namespaces/work');
      expect(await exists('/api/v1/namespaces/work')).toBe(true);
      await client.put('/api/v1/namespaces/work/finalize', { metadata: { name: 'work' }, spec: { finalizers: [] } });
      expect(await exists('/api/v1/namespaces/work')).toBe(false);
    });
  });

  it('of a volume waits until it is not bound', async () => {
    const volumes = '/api/v1/persistentvolumes';
    const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } };
    for (const name of ['free', 'bound']) await client.post(volumes, { metadata: { name }, spec });
    await client.patch(`${volumes}/bound/status`, { status: { phase: 'Bound' } });
    for (const name of ['free', 'bound']) await client.delete(`${volumes}/${name}`);
    expect(await exists(`${volumes}/free`)).toBe(false);
    expect(await exists(`${volumes}/bound`)).toBe(true);
    await client.patch(`${volumes}/bound/status`, { status: { phase: 'Released' } });
    expect(await exists(`${volumes}/bound`)).toBe(false);
  });

  it('of a claim waits until no pod uses it', async () => {
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    await client.post(claims, {
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await client.post(PODS, {
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }],
      },
    });
    await client.delete(`${claims}/c`);
    expect(await exists(`${claims}/c`)).toBe(true);
    await client.delete(`${PODS}/p`);
    expect(await exists(`${claims}/c`)).toBe(false);
  });

  it('comes to events by itself after an hour without a write', async () => {
    const events = '/api/v1/namespaces/default/events';
    const event = (name: string) => ({ metadata: { name }, involvedObject: { kind: 'Pod', namespace: 'default' } });
    await client.post(events, event('a'));
    await clock.advance(30 * 60_000);
    await client.post(events, event('b'));
    await client.patch(`${events}/a`, { count: 2 });
    await clock.advance(45 * 60_000);
    expect(await exists(`${events}/a`)).toBe(true);
    await clock.advance(15 * 60_000);
    expect(await exists(`${events}/a`)).toBe(false);
    expect(await exists(`${events}/b`)).toBe(false);
  });

  it.each([7_200_000, -7_200_000])('comes to events then though the wall clock jumps by %d ms', async (byMs) => {
    const events = '/api/v1/namespaces/default/events';
    const event = { metadata: { name: 'a' }, involvedObject: { kind: 'Pod', namespace: 'default' } };
    await client.post(events, event);
    clock.jump(byMs);
    await client.post(events, { ...event, metadata: { name: 'b' } });
    await clock.advance(59 * 60_000);
    expect(await exists(`${events}/a`)).toBe(true);
    await clock.advance(60_000);
    expect(await exists(`${events}/a`)).toBe(false);
    expect(await exists(`${events}/b`)).toBe(false);
  });
});
