import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './apiserver.ts';
import { RequestClient } from './request-client-fixture.ts';
import { asArray, getPath, type JsonObject } from './values/json.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const TABS = '/apis/example.com/v1/namespaces/default/crontabs';

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['cron'],
      properties: {
        cron: { type: 'string', pattern: '^\\S+$' },
        replicas: { type: 'integer', minimum: 1 },
        image: { type: 'string', default: 'nginx' },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
};

const definition = {
  metadata: { name: 'crontabs.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', kind: 'CronTab', shortNames: ['ct'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        additionalPrinterColumns: [{ name: 'Cron', type: 'string', jsonPath: '.spec.cron' }],
        selectableFields: [{ jsonPath: '.spec.cron' }],
        schema: { openAPIV3Schema: schema },
      },
      { name: 'v1beta1', served: true, storage: false, deprecated: true, schema: { openAPIV3Schema: schema } },
    ],
  },
};

describe('custom resources', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeEach(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    client = new RequestClient(server.transport());
    expect((await client.post(DEFINITIONS, definition)).status).toBe(201);
  });

  afterEach(() => server.stop());

  const tab = (name: string, spec: JsonObject) => ({
    apiVersion: 'example.com/v1',
    kind: 'CronTab',
    metadata: { name },
    spec,
  });

  it('are served as soon as their definition is created', async () => {
    const { body } = await client.get(`${DEFINITIONS}/crontabs.example.com`);
    expect(getPath(body, 'status', 'conditions')).toMatchObject([
      { type: 'NamesAccepted', status: 'True' },
      { type: 'Established', status: 'True' },
    ]);
    expect((await client.get('/apis/example.com/v1')).body.resources).toContainEqual(
      expect.objectContaining({ name: 'crontabs', kind: 'CronTab', shortNames: ['ct'] }),
    );
    const created = await client.post(TABS, tab('a', { cron: '*', unknown: 1 }));
    expect(created.status).toBe(201);
    expect(created.body.spec).toEqual({ cron: '*', image: 'nginx' });
    expect(created.headers.get('warning')).toContain('unknown field \\"spec.unknown\\"');
  });

  it('are judged by their schema', async () => {
    const answer = await client.post(TABS, tab('a', { cron: 'x y', replicas: 0 }));
    expect(answer.body).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: { group: 'example.com', kind: 'CronTab' },
    });
    expect(answer.body.message).toContain('spec.cron');
    expect(answer.body.message).toContain('spec.replicas');
  });

  it('have a status and a scale of their own', async () => {
    await client.post(TABS, { ...tab('a', { cron: '*', replicas: 2 }), status: { replicas: 9 } });
    await client.patch(`${TABS}/a/status`, {
      status: { replicas: 3 },
      spec: { cron: 'no' },
      metadata: { labels: { x: 'y' } },
    });
    const { body } = await client.get(`${TABS}/a`);
    expect(body).toMatchObject({ spec: { cron: '*' }, status: { replicas: 3 }, metadata: { generation: 1 } });
    expect(body.metadata).not.toHaveProperty('labels');
    const scale = await client.patch(`${TABS}/a/scale`, { spec: { replicas: 5 } });
    expect(scale.body).toMatchObject({ kind: 'Scale', spec: { replicas: 5 }, status: { replicas: 3 } });
    expect((await client.get(`${TABS}/a`)).body).toMatchObject({ spec: { replicas: 5 }, metadata: { generation: 2 } });
  });

  it('are the same objects in every version', async () => {
    await client.post(TABS, tab('a', { cron: '*' }));
    const beta = TABS.replace('/v1/', '/v1beta1/');
    const old = await client.get(`${beta}/a`);
    expect(old.body).toMatchObject({ apiVersion: 'example.com/v1beta1', spec: { cron: '*' } });
    expect(old.headers.get('warning')).toContain('example.com/v1beta1 CronTab is deprecated');
    const watch = await client.watch(`${beta}?resourceVersion=${server.resourceVersion}`);
    await client.patch(`${TABS}/a`, { spec: { cron: '+' } });
    expect(await watch.next()).toMatchObject({ type: 'MODIFIED', object: { apiVersion: 'example.com/v1beta1' } });
    await watch.close();
  });

  it('carry their kind in lists, show their columns, and are selected by their fields', async () => {
    await client.post(TABS, tab('a', { cron: '*' }));
    await client.post(TABS, tab('b', { cron: '+' }));
    const { body } = await client.get(`${TABS}?fieldSelector=spec.cron%3D%2B`);
    expect(asArray(body.items)).toMatchObject([
      { kind: 'CronTab', apiVersion: 'example.com/v1', metadata: { name: 'b' } },
    ]);
    const table = await client.get(TABS, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' });
    expect(table.body).toMatchObject({
      columnDefinitions: [{ name: 'Name' }, { name: 'Cron' }],
      rows: [{ cells: ['a', '*'] }, {}],
    });
  });

  it('take no strategic merge patch, but server-side apply', async () => {
    await client.post(TABS, tab('a', { cron: '*' }));
    expect((await client.patch(`${TABS}/a`, {}, 'strategic-merge-patch+json')).status).toBe(415);
    const applied = await client.patch(`${TABS}/b?fieldManager=me`, tab('b', { cron: '*' }), 'apply-patch+yaml');
    expect(applied.status).toBe(201);
  });

  it('go with their definition, and the path with them', async () => {
    await client.post(TABS, tab('a', { cron: '*' }));
    const watch = await client.watch(`${TABS}?resourceVersion=${server.resourceVersion}`);
    await client.delete(`${DEFINITIONS}/crontabs.example.com`);
    expect((await watch.take(5)).map((event) => event.type)).toEqual(['DELETED']);
    expect((await client.get(`${DEFINITIONS}/crontabs.example.com`)).status).toBe(404);
    expect((await client.get(TABS)).status).toBe(404);
    expect((await client.get('/apis/example.com')).status).toBe(404);
  });

  it('hold up their definition as long as a finalizer holds one of them', async () => {
    await client.post(TABS, { ...tab('a', { cron: '*' }), metadata: { name: 'a', finalizers: ['example.com/x'] } });
    const gone = await client.delete(`${DEFINITIONS}/crontabs.example.com`);
    expect(gone.body.metadata).toMatchObject({ finalizers: ['customresourcecleanup.apiextensions.k8s.io'] });
    expect((await client.post(TABS, tab('b', { cron: '*' }))).body).toMatchObject({ code: 405 });
    await client.patch(`${TABS}/a`, { metadata: { finalizers: null } });
    expect((await client.get(`${DEFINITIONS}/crontabs.example.com`)).status).toBe(404);
  });

  it('are described by OpenAPI while they are served', async () => {
    const index = (await client.get('/openapi/v3')).body.paths as JsonObject;
    expect(Object.keys(index)).toContain('apis/example.com/v1');
    const document = await client.get('/openapi/v3/apis/example.com/v1');
    expect(JSON.stringify(document.body)).toContain('com.example.v1.CronTab');
    await client.delete(`${DEFINITIONS}/crontabs.example.com`);
    expect(Object.keys((await client.get('/openapi/v3')).body.paths as JsonObject)).not.toContain(
      'apis/example.com/v1',
    );
  });
});
