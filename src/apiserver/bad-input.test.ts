import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from './apiserver.ts';
import { RequestClient } from './request-client-fixture.ts';
import type { JsonObject } from './values/json.ts';

const OBJECTS = '/api/v1/namespaces/default/configmaps';

describe('bad input', () => {
  let server: ApiServer;
  let client: RequestClient;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    client = new RequestClient(server.transport());
  });

  afterAll(() => server.stop());

  it.each([
    ['{', 400],
    ['', 400],
    ['null', 422],
    ['[]', 400],
    ['5', 400],
    ['"text"', 400],
    ['{"metadata":[]}', 400],
    ['{"metadata":{"name":5}}', 400],
    ['{"metadata":{"name":"a","labels":["x"]}}', 400],
    ['{"metadata":{"name":"a"},"data":{"x":{}}}', 400],
    ['{"kind":5,"metadata":{"name":"a"}}', 400],
    ['{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}}', 400],
    ['{"kind":"ConfigMap","apiVersion":"v7","metadata":{"name":"a"}}', 400],
    [`{"metadata":{"name":"${'a'.repeat(300)}"}}`, 422],
    ['{"metadata":{"name":"../../x"}}', 422],
  ])('%s gets a Status with %i', async (body, code) => {
    const answer = await client.post(OBJECTS, body);
    expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure', code });
    expect(answer.status).toBe(code);
  });

  it('in the form of deep nesting is refused, and the server lives on', async () => {
    const deep = (depth: number) => `{"metadata":{"name":"deep"},"x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    for (const depth of [9_000, 200_000]) {
      expect([201, 400, 413]).toContain((await client.post(OBJECTS, deep(depth))).status);
    }
    const yaml = `metadata: {name: deep}\nx: ${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    const answer = await client.post(OBJECTS, yaml, { 'content-type': 'application/yaml' });
    expect([201, 400, 409]).toContain(answer.status);
    expect((await client.get('/healthz')).text).toBe('ok');
  });

  it('in the form of a YAML bomb is refused', async () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const inner = level === 0 ? '"x"' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array.from({ length: 10 }, () => inner).join(',')}]`;
    });
    const answer = await client.post(OBJECTS, levels.join('\n'), { 'content-type': 'application/yaml' });
    expect(answer.status).toBe(400);
  });

  it('with the names of prototypes is data', async () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
    const entries = names.map((name) => `"${name}":"v"`).join(',');
    const created = await client.post(
      OBJECTS,
      `{"metadata":{"name":"proto","annotations":{"constructor":"c"}},"data":{${entries}}}`,
    );
    expect(created.status).toBe(201);
    await client.patch(`${OBJECTS}/proto`, '{"data":{"__proto__":"changed"}}');
    await client.patch(`${OBJECTS}/proto`, '{"data":{"constructor":null}}');
    await client.patch(`${OBJECTS}/proto`, '[{"op":"add","path":"/data/valueOf","value":"v"}]', 'json-patch+json');
    const { body } = await client.get(`${OBJECTS}/proto`);
    expect(Object.entries(body.data as JsonObject)).toEqual(
      expect.arrayContaining([
        ['__proto__', 'changed'],
        ['valueOf', 'v'],
      ]),
    );
    expect(Object.keys(body.data as JsonObject)).not.toContain('constructor');
    expect(({} as JsonObject).changed).toBeUndefined();
    expect((await client.get('/api/v1/__proto__')).status).toBe(404);
    expect((await client.get('/apis/constructor/v1/toString')).status).toBe(404);
    expect((await client.get(`${OBJECTS}?fieldSelector=__proto__%3D1`)).status).toBe(400);
  });

  it.each([
    ['/api/v1/unknowns', 404],
    ['/apis/apps/v7/deployments', 404],
    ['/api/v1/%zz', 400],
    [`${OBJECTS}?labelSelector=%3D%3D`, 400],
    [`${OBJECTS}?limit=many`, 400],
    [`${OBJECTS}?resourceVersion=latest`, 400],
    [`${OBJECTS}?continue=nonsense`, 400],
    [`${OBJECTS}/${encodeURIComponent('a/b')}`, 404],
    ['//x', 404],
  ])('as the path %s gets %i', async (path, code) => {
    expect((await client.get(path)).status).toBe(code);
  });

  it('with a protobuf type but no protobuf inside gets 415', async () => {
    const answer = await client.post(OBJECTS, '{}', { 'content-type': 'application/vnd.kubernetes.protobuf' });
    expect(answer.body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
  });

  it('of any kind never gets a 500', async () => {
    const value = fc.jsonValue({ maxDepth: 4 });
    const body = fc.oneof(
      fc.record({ metadata: fc.record({ name: fc.constantFrom('x', 'y'), labels: value }), data: value, kind: value }),
      fc.record({ metadata: value, spec: value }),
      value,
    );
    const path = fc.constantFrom(
      OBJECTS,
      '/api/v1/namespaces/default/pods',
      '/apis/apps/v1/namespaces/default/deployments',
      '/api/v1/namespaces/default/services',
      '/apis/batch/v1/namespaces/default/cronjobs',
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    );
    await fc.assert(
      fc.asyncProperty(path, body, async (at, object) => {
        const answer = await client.post(at, JSON.stringify(object));
        expect(answer.status).toBeLessThan(500);
        const patched = await client.patch(`${OBJECTS}/x`, JSON.stringify(object));
        expect(patched.status).toBeLessThan(500);
      }),
      { numRuns: 150 },
    );
  });
});
