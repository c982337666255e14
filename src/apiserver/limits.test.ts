import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './apiserver.ts';
import { RequestClient } from './request-client-fixture.ts';
import { getPath } from './values/json.ts';

const OBJECTS = '/api/v1/namespaces/default/configmaps';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';
const MEBIBYTE = 1024 * 1024;

describe('the limits of the server', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    client = new RequestClient(server.transport());
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
  });
  afterAll(() => server.stop());

  const widget = (name: string, bytes: number) => ({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name },
    text: 'x'.repeat(bytes),
  });
  const tooLarge = {
    status: 500,
    body: { kind: 'Status', status: 'Failure', code: 500, message: 'etcdserver: request is too large' },
  };

  it('let a body have 3 MiB', async () => {
    const frame = JSON.stringify({ ...widget('b', 0), kind: 'Gadget' }).length;
    const body = (bytes: number) => JSON.stringify({ ...widget('b', bytes - frame), kind: 'Gadget' });
    expect((await client.post(WIDGETS, body(3 * MEBIBYTE))).status).toBe(422);
    expect((await client.post(WIDGETS, body(3 * MEBIBYTE + 1))).body).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    });
  });

  it('let a stored object have 1.5 MiB, whichever way it comes', async () => {
    expect((await client.post(WIDGETS, widget('fits', 1.5 * MEBIBYTE - 1000))).status).toBe(201);
    expect(await client.post(WIDGETS, widget('new', 1.5 * MEBIBYTE))).toMatchObject(tooLarge);
    expect((await client.get(`${WIDGETS}/new`)).status).toBe(404);
    expect(await client.patch(`${WIDGETS}/fits`, { more: 'y'.repeat(1000) })).toMatchObject(tooLarge);
    const { body: present } = await client.get(`${WIDGETS}/fits`);
    const replaced = { ...present, text: 'x'.repeat(1.6 * MEBIBYTE) };
    expect(await client.put(`${WIDGETS}/fits`, replaced)).toMatchObject(tooLarge);
    const applied = await client.patch(
      `${WIDGETS}/new?fieldManager=m`,
      widget('new', 1.6 * MEBIBYTE),
      'apply-patch+yaml',
    );
    expect(applied).toMatchObject(tooLarge);
    const { body } = await client.get(`${WIDGETS}/fits`);
    expect(body).not.toHaveProperty('more');
  });

  it('say it as the client of etcd does beyond 2 MiB', async () => {
    const { body } = await client.post(WIDGETS, widget('huge', 2 * MEBIBYTE));
    expect(body.code).toBe(500);
    expect(body.message).toMatch(
      /^rpc error: code = ResourceExhausted desc = .* larger than max \(\d+ vs\. 2097152\)$/,
    );
  });

  it('do not apply to a dry run', async () => {
    expect((await client.post(`${WIDGETS}?dryRun=All`, widget('dry', 1.6 * MEBIBYTE))).status).toBe(201);
  });

  it('are kept by forgetting who owns what, unless somebody applies', async () => {
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`a-long-key-${index}`, 1]));
    const object = { ...widget('many', 0), map: keys };
    const created = await client.post(WIDGETS, object);
    expect(created.status).toBe(201);
    expect(created.body.metadata).toHaveProperty('managedFields');
    const fat = await client.post(WIDGETS, { ...object, metadata: { name: 'fat' }, text: 'x'.repeat(700_000) });
    expect(fat.status).toBe(201);
    expect(getPath(fat.body, 'metadata', 'managedFields')).toBeUndefined();
    const config = { ...object, metadata: { name: 'applied' }, text: 'x'.repeat(700_000) };
    expect(await client.patch(`${WIDGETS}/applied?fieldManager=m`, config, 'apply-patch+yaml')).toMatchObject(tooLarge);
  });

  it('count the bytes of a secret, not those of their Base64', async () => {
    const secret = (bytes: number) => ({
      metadata: { name: 's' },
      data: { x: Buffer.alloc(bytes).toString('base64') },
    });
    const secrets = '/api/v1/namespaces/default/secrets';
    expect((await client.post(secrets, secret(MEBIBYTE + 1))).body).toMatchObject({
      code: 422,
      message: 'Secret "s" is invalid: : Too long: may not be more than 1048576 bytes',
    });
    expect((await client.post(secrets, secret(MEBIBYTE))).status).toBe(201);
    const map = { metadata: { name: 'binary' }, binaryData: secret(MEBIBYTE).data };
    expect((await client.post(OBJECTS, map)).status).toBe(201);
  });
});
