import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './apiserver.ts';
import { RequestClient } from './request-client-fixture.ts';
import { asString, getPath, type JsonObject } from './values/json.ts';

const OBJECTS = '/api/v1/namespaces/default/configmaps';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

describe('a write', () => {
  let clock: FakeClock;
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    clock = new FakeClock();
    server = await ApiServer.start({ listen: false, clock });
    client = new RequestClient(server.transport());
  });

  afterEach(() => server.stop());

  const meta = (body: JsonObject, field: string) => getPath(body, 'metadata', field);

  describe('that creates', () => {
    it('gives the object its identity, and takes none from the client', async () => {
      const { body } = await client.post(OBJECTS, {
        metadata: { name: 'a', uid: 'mine', creationTimestamp: '2000-01-01T00:00:00Z', selfLink: '/x' },
      });
      expect(meta(body, 'uid')).toMatch(/^[0-9a-f-]{36}$/);
      expect(meta(body, 'creationTimestamp')).toBe('2026-01-01T00:00:00Z');
      expect(body.metadata).not.toHaveProperty('selfLink');
    });

    it('makes a name from a prefix', async () => {
      const first = await client.post(OBJECTS, { metadata: { generateName: 'web-' } });
      const second = await client.post(OBJECTS, { metadata: { generateName: 'web-' } });
      expect(meta(first.body, 'name')).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      expect(meta(second.body, 'name')).not.toBe(meta(first.body, 'name'));
    });

    it('is repeatable when chance is', async () => {
      const run = async () => {
        let state = 1;
        const random = () => {
          state = (state * 48271) % 2147483647;
          return state / 2147483647;
        };
        await using repeated = await ApiServer.start({ listen: false, clock: new FakeClock(), random });
        const own = new RequestClient(repeated.transport());
        return (await own.post(OBJECTS, { metadata: { generateName: 'web-' } })).text;
      };
      expect(await run()).toBe(await run());
    });

    it('needs its namespace', async () => {
      const answer = await client.post('/api/v1/namespaces/nowhere/configmaps', { metadata: { name: 'a' } });
      expect(answer.body).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' });
    });

    it.each([
      [
        { metadata: { name: 'a', resourceVersion: '7' } },
        500,
        'resourceVersion should not be set on objects to be created',
      ],
      [{ metadata: { name: 'a', namespace: 'other' } }, 400, 'the namespace of the provided object does not match'],
      [
        { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' } },
        400,
        'Secret in version "v1" cannot be handled as a ConfigMap',
      ],
      [{ metadata: {} }, 422, 'metadata.name: Required value: name or generateName is required'],
      [{ metadata: { name: 'A' } }, 422, 'metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain'],
    ])('refuses %j with %i', async (object, code, message) => {
      const answer = await client.post(OBJECTS, object);
      expect(answer.status).toBe(code);
      expect(answer.body.message).toContain(message);
    });

    it('stores nothing on a dry run, but answers as if', async () => {
      const revision = server.resourceVersion;
      const dry = await client.post(`${OBJECTS}?dryRun=All`, { metadata: { name: 'a' } });
      expect(dry.status).toBe(201);
      expect(dry.body.metadata).not.toHaveProperty('resourceVersion');
      expect((await client.get(`${OBJECTS}/a`)).status).toBe(404);
      expect(server.resourceVersion).toBe(revision);
    });
  });

  describe('with unknown or duplicate fields', () => {
    const body = '{"metadata":{"name":"a"},"datum":1,"data":{"x":"1","x":"2"}}';

    it('is warned about by default', async () => {
      const answer = await client.post(OBJECTS, body);
      expect(answer.status).toBe(201);
      expect(answer.headers.get('warning')).toBe(
        '299 - "unknown field \\"datum\\"", 299 - "duplicate field \\"data.x\\""',
      );
      expect(answer.body).not.toHaveProperty('datum');
    });

    it('is refused when asked to be strict, and quietly taken when asked to ignore', async () => {
      const strict = await client.post(`${OBJECTS}?fieldValidation=Strict`, body);
      expect(strict.body).toMatchObject({
        code: 400,
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "datum", duplicate field "data.x"',
      });
      const lax = await client.post(`${OBJECTS}?fieldValidation=Ignore`, body);
      expect(lax.status).toBe(201);
      expect(lax.headers.has('warning')).toBe(false);
    });
  });

  describe('that updates', () => {
    it('moves the generation when the desired state changes, and only then', async () => {
      const created = await client.post(DEPLOYMENTS, deployment('web'));
      expect(meta(created.body, 'generation')).toBe(1);
      const path = `${DEPLOYMENTS}/web`;
      expect(meta((await client.patch(path, { metadata: { labels: { a: 'b' } } })).body, 'generation')).toBe(1);
      expect(meta((await client.patch(`${path}/status`, { status: { replicas: 3 } })).body, 'generation')).toBe(1);
      expect(meta((await client.patch(path, { spec: { replicas: 3 } })).body, 'generation')).toBe(2);
    });

    it('keeps status and spec apart', async () => {
      await client.post(DEPLOYMENTS, { ...deployment('web'), status: { replicas: 9 } });
      const path = `${DEPLOYMENTS}/web`;
      expect((await client.patch(path, { status: { replicas: 5 } })).body.status).not.toHaveProperty('replicas');
      const status = await client.patch(`${path}/status`, { spec: { replicas: 7 }, status: { replicas: 5 } });
      expect(status.body).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 5 } });
    });

    it('that starts from an older version is a conflict', async () => {
      const path = '/api/v1/namespaces/default/configmaps';
      const { body: first } = await client.post(path, { metadata: { name: 'raced' } });
      expect((await client.put(`${path}/raced`, { ...first, data: { a: '1' } })).status).toBe(200);
      const late = await client.put(`${path}/raced`, { ...first, data: { b: '2' } });
      expect(late.body).toMatchObject({ code: 409, reason: 'Conflict' });
      expect((await client.get(`${path}/raced`)).body.data).toEqual({ a: '1' });
    });

    it('refuses to change what is fixed', async () => {
      await client.post(DEPLOYMENTS, deployment('web'));
      const answer = await client.patch(`${DEPLOYMENTS}/web`, {
        spec: { selector: { matchLabels: { app: 'other' } }, template: { metadata: { labels: { app: 'other' } } } },
      });
      expect(answer.body).toMatchObject({
        code: 422,
        reason: 'Invalid',
        details: { causes: [{ reason: 'FieldValueInvalid', field: 'spec.selector' }] },
      });
    });

    it('fails on the uid of another object, and on a name that is not in the path', async () => {
      const created = await client.post(OBJECTS, { metadata: { name: 'a' } });
      const foreign = { ...created.body, metadata: { name: 'a', uid: 'other' } };
      const refused = (await client.put(`${OBJECTS}/a`, foreign)).body;
      expect(refused).toMatchObject({ code: 409, reason: 'Conflict' });
      expect(refused.message).toContain('Key: /registry/configmaps/default/a, ResourceVersion: 0');
      const renamed = await client.put(`${OBJECTS}/a`, { metadata: { name: 'b' } });
      expect(renamed.body).toMatchObject({ code: 400 });
    });

    it('by a patch may leave out the namespace, and not the name', async () => {
      await client.post(OBJECTS, { metadata: { name: 'a', labels: { x: 'y' } } });
      const replaced = { metadata: { $patch: 'replace', name: 'a' } };
      const { status, body } = await client.patch(`${OBJECTS}/a`, replaced, 'strategic-merge-patch+json');
      expect([status, meta(body, 'namespace'), meta(body, 'labels')]).toEqual([200, 'default', undefined]);
      const nameless = await client.patch(`${OBJECTS}/a`, { metadata: { name: null } });
      expect(nameless.body).toMatchObject({
        code: 400,
        message: 'the name of the object (a based on URL) was undeterminable: name must be provided',
      });
    });

    it('creates leases and roles that are not there, and no other kinds', async () => {
      const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/l';
      expect((await client.put(lease, { metadata: { name: 'l' }, spec: {} })).status).toBe(201);
      expect((await client.put(lease, { metadata: { name: 'l' }, spec: {} })).body).toMatchObject({
        code: 422,
        details: { causes: [{ field: 'metadata.resourceVersion' }] },
      });
      expect((await client.put(`${OBJECTS}/none`, { metadata: { name: 'none' } })).status).toBe(404);
    });

    it('through a patch of each type changes what it says', async () => {
      await client.post(DEPLOYMENTS, deployment('web'));
      const path = `${DEPLOYMENTS}/web`;
      const containers = async () => getPath((await client.get(path)).body, 'spec', 'template', 'spec', 'containers');
      await client.patch(path, [{ op: 'replace', path: '/spec/replicas', value: 4 }], 'json-patch+json');
      await client.patch(
        path,
        { spec: { template: { spec: { containers: [{ name: 'd', image: 'j' }] } } } },
        'strategic-merge-patch+json',
      );
      expect(await containers()).toMatchObject([{ name: 'd' }, { name: 'c' }]);
      await client.patch(path, { spec: { template: { spec: { containers: [{ name: 'e', image: 'k' }] } } } });
      expect(await containers()).toMatchObject([{ name: 'e' }]);
      expect((await client.patch(path, {}, 'foo+json')).status).toBe(415);
    });
  });

  describe('by server-side apply', () => {
    const apply = (manager: string, data: Record<string, string>, more = '') =>
      client.patch(
        `${OBJECTS}/a?fieldManager=${manager}${more}`,
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data },
        'apply-patch+yaml',
      );

    it('creates, owns, conflicts and takes over', async () => {
      expect((await apply('one', { x: '1', y: '1' })).status).toBe(201);
      const again = await apply('one', { x: '1', y: '1' });
      expect(meta(again.body, 'resourceVersion')).toBe(server.resourceVersion);
      const conflict = await apply('two', { x: '2' });
      expect(conflict.body).toMatchObject({
        code: 409,
        reason: 'Conflict',
        details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.x' }] },
      });
      expect((await apply('two', { x: '2' }, '&force=true')).body.data).toEqual({ x: '2', y: '1' });
      expect((await apply('one', { y: '1' })).body.data).toEqual({ x: '2', y: '1' });
      expect((await apply('one', {})).body.data).toEqual({ x: '2' });
    });

    it('needs a manager', async () => {
      const answer = await client.patch(`${OBJECTS}/a`, { apiVersion: 'v1', kind: 'ConfigMap' }, 'apply-patch+yaml');
      expect(answer.body).toMatchObject({ code: 422, details: { causes: [{ field: 'fieldManager' }] } });
    });
  });

  it('takes YAML as well as JSON', async () => {
    const yaml = 'metadata:\n  name: a\ndata:\n  __proto__: p\n  on: "yes"\n';
    const answer = await client.post(OBJECTS, yaml, { 'content-type': 'application/yaml' });
    expect(answer.status).toBe(201);
    expect(Object.entries(answer.body.data as JsonObject)).toEqual([
      ['__proto__', 'p'],
      ['true', 'yes'],
    ]);
    const shown = await client.get(`${OBJECTS}/a`, { accept: 'application/yaml' });
    expect(shown.headers.get('content-type')).toBe('application/yaml');
    expect(shown.text).toContain('__proto__: p');
  });

  it('of the scale writes the replicas of the object', async () => {
    await client.post(DEPLOYMENTS, deployment('web'));
    const scale = await client.patch(`${DEPLOYMENTS}/web/scale`, { spec: { replicas: 5 } });
    expect(scale.body).toMatchObject({ kind: 'Scale', spec: { replicas: 5 }, status: { selector: 'app=web' } });
    expect(getPath((await client.get(`${DEPLOYMENTS}/web`)).body, 'spec', 'replicas')).toBe(5);
    const wrong = await client.patch(`${DEPLOYMENTS}/web/scale`, { spec: { replicas: -1 } });
    expect(wrong.body).toMatchObject({ code: 422, details: { kind: 'Scale' } });
    expect(asString(wrong.body.message)).toContain('spec.replicas');
  });
});
