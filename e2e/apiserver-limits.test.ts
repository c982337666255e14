import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ApiServer } from '../src/apiserver/apiserver.ts';
import { sharedControlPlane } from './shared-control-plane-fixture.ts';

interface Side {
  readonly url: string;
  readonly token: string;
  readonly agent: Agent;
}

const OBJECTS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const group = `limits-${process.pid}.example.com`;
const HEAPS = `/apis/${group}/v1/namespaces/default/heaps`;
const MEBIBYTE = 1024 * 1024;

const text = (bytes: number) => 'x'.repeat(bytes);
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const heap = (name: string, content: string) =>
  `{"apiVersion":"${group}/v1","kind":"Heap","metadata":{"name":"${name}"},"x":${content}}`;

describe('the embedded server and the real one have the same limits', () => {
  let server: ApiServer;
  let sides: Side[];

  beforeAll(async () => {
    const plane = sharedControlPlane();
    server = await ApiServer.start({ controllers: false });
    sides = [
      { url: plane.server, token: plane.token, agent: new Agent({ connect: { ca: plane.ca } }) },
      { url: server.url, token: server.token ?? '', agent: new Agent({ connect: { ca: server.ca ?? '' } }) },
    ];
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const definition = {
      metadata: { name: `heaps.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'heaps', singular: 'heap', kind: 'Heap', listKind: 'HeapList' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    };
    for (const side of sides) {
      await send(side, 'POST', DEFINITIONS, JSON.stringify(definition));
      await vi.waitFor(async () => expect((await send(side, 'GET', HEAPS)).status).toBe(200), {
        timeout: 120_000,
        interval: 200,
      });
      await send(side, 'POST', OBJECTS, JSON.stringify({ metadata: { name: group }, data: { a: text(500_000) } }));
    }
  });

  afterAll(async () => {
    for (const { agent } of sides ?? []) await agent.close();
    await server?.stop();
  });

  const copies = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ op: 'copy', from: '/data/a', path: `/data/b${index}` }));
  const tests = (count: number) => Array.from({ length: count }, () => ({ op: 'test', path: '/data/z', value: null }));

  it.each<[string, string, string, string, string]>([
    ['a body of 3 MiB and more', 'POST', OBJECTS, 'json', `{"metadata":{"name":"b"},"x":"${text(3 * MEBIBYTE)}"}`],
    ['an object of 1.5 MiB', 'POST', HEAPS, 'json', heap('big', `"${text(1.5 * MEBIBYTE)}"`)],
    ['an object of 2 MiB', 'POST', HEAPS, 'json', heap('huge', `"${text(2.2 * MEBIBYTE)}"`)],
    ['a large object on a dry run', 'POST', `${HEAPS}?dryRun=All`, 'json', heap('dry', `"${text(1.6 * MEBIBYTE)}"`)],
    ['copies of more than 3 MiB', 'PATCH', `${OBJECTS}/${group}`, 'json-patch+json', JSON.stringify(copies(8))],
    ['10,001 operations', 'PATCH', `${OBJECTS}/${group}`, 'json-patch+json', JSON.stringify(tests(10_001))],
    ['10,000 operations', 'PATCH', `${OBJECTS}/${group}`, 'json-patch+json', JSON.stringify(tests(10_000))],
    ['1,000 levels', 'POST', HEAPS, 'json', heap('deep', nested(1_000))],
    ['100,000 levels', 'POST', HEAPS, 'json', heap('deeper', nested(100_000))],
    ['100,000 levels to apply', 'PATCH', `${HEAPS}/d?fieldManager=m`, 'apply-patch+yaml', heap('d', nested(100_000))],
    ['100,000 levels to merge', 'PATCH', `${OBJECTS}/${group}`, 'merge-patch+json', `{"x":${nested(100_000)}}`],
    ['unknown levels to merge', 'PATCH', `${OBJECTS}/${group}`, 'merge-patch+json', `{"x":${nested(3_000)}}`],
    [
      'a secret of 1 MiB',
      'POST',
      '/api/v1/namespaces/default/secrets?dryRun=All',
      'json',
      JSON.stringify({ metadata: { name: 's' }, data: { x: Buffer.alloc(MEBIBYTE).toString('base64') } }),
    ],
  ])('for %s', async (_what, method, path, type, body) => {
    const [theirs, ours] = await Promise.all(sides.map((side) => send(side, method, path, body, type)));
    expect(ours).toEqual(theirs);
  });
});

/** The status, and the message of a refusal without sizes that depend on how objects are stored. */
async function send({ url, token, agent }: Side, method: string, path: string, body?: string, type = 'json') {
  const response = await request(`${url}${path}`, {
    dispatcher: agent,
    method: method as 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': `application/${type}` },
    body: body ?? null,
  });
  const read = await response.body.text();
  const isJson = response.headers['content-type'] === 'application/json';
  const answer = (isJson ? JSON.parse(read) : {}) as { kind?: string; message?: string };
  const message = answer.kind === 'Status' ? (answer.message ?? '').replace(/\(\d+ vs\./, '(some vs.') : '';
  return { status: response.statusCode, message };
}
