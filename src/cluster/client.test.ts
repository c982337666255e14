import { getEventListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { defineResource } from '../api/resource.ts';
import { pods } from '../generated/api/core/v1.ts';
import { HttpTransport } from '../http/http-transport.ts';
import { readBody, rejection, sendJson, until } from '../http/request-fixture.ts';
import { ScriptedServer } from '../http/scripted-server-fixture.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import type { Client } from './client.ts';
import { Cluster } from './cluster.ts';

interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
}

const configMaps = defineResource<ConfigMap>({ version: 'v1', plural: 'configmaps', kind: 'ConfigMap' });
const nodes = defineResource({ version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false });
const deployments = defineResource({ group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment' });

interface Seen {
  line: string;
  type: string | undefined;
  body: unknown;
}

async function apiServer(handler: (request: IncomingMessage, response: ServerResponse, n: number) => void) {
  const seen: Seen[] = [];
  const server = await ScriptedServer.http(async (request, response) => {
    const text = await readBody(request);
    seen.push({
      line: `${request.method} ${decodeURIComponent(request.url ?? '')}`,
      type: request.headers['content-type'],
      body: text === '' ? undefined : JSON.parse(text),
    });
    handler(request, response, seen.length);
  });
  const clock = new FakeClock();
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const transport = new HttpTransport({ server: server.url, logger, clock });
  const cluster = Cluster.over(transport, { clock, logger, namespace: 'home' });
  return {
    seen,
    clock,
    warnings,
    cluster,
    sockets: server.sockets,
    lines: () => seen.map((one) => one.line),
    async [Symbol.asyncDispose]() {
      await cluster.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const echo = (_request: IncomingMessage, response: ServerResponse) =>
  sendJson(response, 200, { kind: 'X', metadata: { name: 'a' } });
const failure = (code: number, reason: string, message = 'because') => ({
  kind: 'Status',
  status: 'Failure',
  code,
  reason,
  message,
});

describe('the paths of a client', () => {
  it('follow the scope of the resource and the namespace of call, client, object and cluster', async () => {
    await using api = await apiServer(echo);
    const client = api.cluster.client(configMaps);
    await client.get('a');
    await client.get('a', { namespace: 'x' });
    await api.cluster.client(configMaps, { namespace: 'y' }).get('a');
    await client.update({ metadata: { name: 'a', namespace: 'own' } });
    await api.cluster.client(configMaps, { namespace: 'y' }).update({ metadata: { name: 'a', namespace: 'own' } });
    await client.create({ metadata: { generateName: 'a-' } });
    await client.list();
    await client.list({ namespace: 'x' });
    await api.cluster.client(configMaps, { namespace: 'y' }).list();
    await client.deleteCollection();
    await api.cluster.client(nodes, { namespace: 'ignored' }).get('n');
    await api.cluster.client(deployments).get('d', { subresource: 'scale' });
    expect(api.lines()).toEqual([
      'GET /api/v1/namespaces/home/configmaps/a',
      'GET /api/v1/namespaces/x/configmaps/a',
      'GET /api/v1/namespaces/y/configmaps/a',
      'PUT /api/v1/namespaces/own/configmaps/a',
      'PUT /api/v1/namespaces/own/configmaps/a',
      'POST /api/v1/namespaces/home/configmaps',
      'GET /api/v1/configmaps',
      'GET /api/v1/namespaces/x/configmaps',
      'GET /api/v1/namespaces/y/configmaps',
      'DELETE /api/v1/namespaces/home/configmaps',
      'GET /api/v1/nodes/n',
      'GET /apis/apps/v1/namespaces/home/deployments/d/scale',
    ]);
  });

  it.each(['update', 'create', 'apply', 'patchStatus'] as const)('refuse to %s what is not an object', async (verb) => {
    await using api = await apiServer(echo);
    const client = api.cluster.client(configMaps, { fieldManager: 'test' });
    for (const nothing of [undefined, null, 'text']) {
      await expect(client[verb](nothing as never, {})).rejects.toThrow(/expected an object to send and got/);
    }
    expect(api.seen).toEqual([]);
  });

  it('refuse a patch that is not an object, and what does not fit into JSON', async () => {
    await using api = await apiServer(echo);
    const client = api.cluster.client(configMaps, { fieldManager: 'test' });
    for (const nothing of [undefined, null, '{}']) {
      await expect(client.patch('a', nothing as never)).rejects.toThrow(/expected an object to send and got/);
    }
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    for (const [value, why] of [
      [2n ** 60n, 'BigInt'],
      [circle, 'circular'],
    ] as const) {
      const wanted = new RegExp(`namespaces/home/configmaps.*: what is to be sent does not fit into JSON: .*${why}`);
      const data = { value } as never;
      await expect(client.create({ metadata: { name: 'a' }, data })).rejects.toThrow(wanted);
      await expect(client.patch('a', { data })).rejects.toThrow(wanted);
    }
    expect(api.seen).toEqual([]);
  });

  it('refuse a name that would change them, or that is missing', async () => {
    await using api = await apiServer(echo);
    const client = api.cluster.client(configMaps);
    await expect(client.get('../secrets')).rejects.toThrow('cannot be the name');
    await expect(client.update({ metadata: {} })).rejects.toThrow('metadata.name');
    expect(api.seen).toEqual([]);
  });

  // A request without the name would be one for all objects: a delete above all.
  it.each([undefined, null, '', 5, { metadata: { name: 'a' } }])('refuse %o in the place of a name', async (given) => {
    await using api = await apiServer(echo);
    const client = api.cluster.client(pods);
    const name = given as string;
    const calls = [
      () => client.get(name),
      () => client.delete(name),
      () => client.patch(name, {}),
      () => client.waitUntil(name, () => true),
      () => client.logs(name).next(),
      () => client.exec(name, ['ls']),
      () => client.attach(name),
      () => client.dial(name, 80),
      () => client.portForward(name, 80),
    ];
    for (const call of calls) {
      await expect((async () => call())(), String(call)).rejects.toThrow(/^.* cannot be the name of an object: /);
    }
    await expect(client.create({}, { subresource: 'eviction' })).rejects.toThrow('metadata.name');
    expect(api.seen).toEqual([]);
  });

  it.each(['..', '.', 'a/b', 'a%2fb', 'a?b', 'A', 'a.b', '-a'])('refuse the namespace %j', async (namespace) => {
    await using api = await apiServer(echo);
    const client = api.cluster.client(configMaps);
    const object = { metadata: { name: 'a', namespace } };
    const calls = [
      client.get('a', { namespace }),
      client.list({ namespace }),
      client.listAll({ namespace }),
      client.listPages({ namespace }).next(),
      client.watch({ namespace }).next(),
      client.create(object),
      client.update(object),
      client.patch('a', {}, { namespace }),
      client.apply(object, { fieldManager: 'me' }),
      client.delete('a', { namespace }),
      client.deleteCollection({ namespace }),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
      expect(String((outcome as PromiseRejectedResult).reason)).toContain('cannot be the name of a namespace');
    }
    expect(() => api.cluster.client(configMaps, { namespace })).toThrow('cannot be the name of a namespace');
    expect(() => Cluster.over(api.cluster.transport, { namespace })).toThrow('cannot be the name of a namespace');
    expect(api.seen).toEqual([]);
  });

  it('take an empty namespace for all of them', async () => {
    await using api = await apiServer(echo);
    await api.cluster.client(configMaps, { namespace: '' }).list();
    await api.cluster.client(configMaps, { namespace: 'x' }).list({ namespace: '' });
    expect(api.lines()).toEqual(['GET /api/v1/configmaps', 'GET /api/v1/configmaps']);
  });
});

describe('the field manager', () => {
  const object: ConfigMap = { metadata: { name: 'a' } };
  const managers = (lines: string[]) =>
    lines.map((line) => new URL(line.split(' ')[1] ?? '', 'http://x').searchParams.get('fieldManager'));

  it('is that of the call, else of the client, else of the cluster, in every write', async () => {
    await using api = await apiServer(echo);
    const cluster = Cluster.over(api.cluster.transport, { fieldManager: 'of the cluster' });
    const clients = [cluster.client(configMaps), cluster.client(configMaps, { fieldManager: 'of the client' })];
    for (const client of clients) {
      for (const options of [{}, { fieldManager: 'of the call' }]) {
        await client.create(object, options);
        await client.update(object, options);
        await client.patch('a', {}, options);
        await client.apply(object, options);
      }
    }
    const four = (name: string) => [name, name, name, name];
    expect(managers(api.lines())).toEqual([
      ...four('of the cluster'),
      ...four('of the call'),
      ...four('of the client'),
      ...four('of the call'),
    ]);
  });

  it('must be given for apply, which says where, and may be left out elsewhere', async () => {
    await using api = await apiServer(echo);
    const client = api.cluster.client(configMaps);
    const error = await rejection(client.apply(object));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toMatch(/to this call, to cluster.client\(.*, or to Cluster.connect\(/);
    expect(api.seen).toEqual([]);
    await client.create(object);
    expect(managers(api.lines())).toEqual([null]);
  });

  it.each(['', 'a\nb', 'a\u0000', 'tab\t', 'a\u00a0b', 'x'.repeat(129), '\u00e9'.repeat(65), 7 as unknown as string])(
    'cannot be %j',
    async (fieldManager) => {
      await using api = await apiServer(echo);
      const client = api.cluster.client(configMaps);
      const writes = [
        client.create(object, { fieldManager }),
        client.update(object, { fieldManager }),
        client.patch('a', {}, { fieldManager }),
        client.apply(object, { fieldManager }),
      ];
      for (const outcome of await Promise.allSettled(writes)) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(TypeError) });
        expect(String((outcome as PromiseRejectedResult).reason)).toContain('1 to 128 printable characters');
      }
      expect(() => api.cluster.client(configMaps, { fieldManager })).toThrow('printable');
      expect(() => Cluster.over(api.cluster.transport, { fieldManager })).toThrow('printable');
      expect(api.seen).toEqual([]);
    },
  );

  it('may be as long and as odd as a server takes', async () => {
    await using api = await apiServer(echo);
    for (const fieldManager of ['x'.repeat(128), '\u00e9'.repeat(64), 'my controller/v1 (\u6f6e)']) {
      await api.cluster.client(configMaps, { fieldManager }).apply(object);
    }
    expect(managers(api.lines())).toHaveLength(3);
  });
});

describe('writing', () => {
  it('sends each verb with its body, content type and parameters', async () => {
    await using api = await apiServer(echo);
    const client = api.cluster.client(configMaps);
    const object: ConfigMap = { metadata: { name: 'a' }, data: { x: '1' } };
    const typed = { kind: 'ConfigMap', apiVersion: 'v1', ...object };
    await client.create(object, { dryRun: true, fieldManager: 'me', fieldValidation: 'Strict' });
    await client.update(object, { subresource: 'status' });
    await client.patch('a', { data: null });
    await client.patch('a', [{ op: 'remove', path: '/data' }], { type: 'json' });
    await client.patch('a', {}, { type: 'strategic', subresource: 'status' });
    await client.apply(object, { fieldManager: 'me', force: true });
    await client.create({ kind: 'Eviction', metadata: { name: 'a' } }, { subresource: 'eviction' });
    await client.delete('a');
    await client.delete('a', {
      propagationPolicy: 'Foreground',
      gracePeriodSeconds: 0,
      preconditions: { uid: 'u' },
      dryRun: true,
    });
    await client.deleteCollection({ labelSelector: 'a=b', fieldSelector: 'metadata.name=x' });
    const root = '/api/v1/namespaces/home/configmaps';
    const options = { kind: 'DeleteOptions', apiVersion: 'v1' };
    expect(api.seen).toEqual([
      { line: `POST ${root}?dryRun=All&fieldManager=me&fieldValidation=Strict`, type: 'application/json', body: typed },
      { line: `PUT ${root}/a/status`, type: 'application/json', body: typed },
      { line: `PATCH ${root}/a`, type: 'application/merge-patch+json', body: { data: null } },
      { line: `PATCH ${root}/a`, type: 'application/json-patch+json', body: [{ op: 'remove', path: '/data' }] },
      { line: `PATCH ${root}/a/status`, type: 'application/strategic-merge-patch+json', body: {} },
      { line: `PATCH ${root}/a?fieldManager=me&force=true`, type: 'application/apply-patch+yaml', body: typed },
      {
        line: `POST ${root}/a/eviction`,
        type: 'application/json',
        body: { kind: 'Eviction', metadata: { name: 'a' } },
      },
      { line: `DELETE ${root}/a`, type: 'application/json', body: options },
      {
        line: `DELETE ${root}/a`,
        type: 'application/json',
        body: {
          ...options,
          gracePeriodSeconds: 0,
          propagationPolicy: 'Foreground',
          preconditions: { uid: 'u' },
          dryRun: ['All'],
        },
      },
      {
        line: `DELETE ${root}?labelSelector=a=b&fieldSelector=metadata.name=x`,
        type: 'application/json',
        body: options,
      },
    ]);
  });

  it('is typed by the resource', async () => {
    await using api = await apiServer(echo);
    expectTypeOf(await api.cluster.client(configMaps).get('a')).toEqualTypeOf<Stored<ConfigMap>>();
    expectTypeOf((await api.cluster.client(configMaps).list()).items).toEqualTypeOf<Stored<ConfigMap>[]>();
  });

  it('is typed by the resource also where the result goes: not by what is expected of it there', async () => {
    await using api = await apiServer(echo);
    const client = api.cluster.client(configMaps, { fieldManager: 'test' });
    const metadata = { name: 'a' };
    const calls: (() => Promise<unknown>)[] = [
      () => client.create({ metadata, data: { x: '1' } }),
      () => client.update({ metadata, data: { x: '1' } }),
      () => client.patch('a', { data: { x: '1' } }),
      () => client.apply({ metadata, data: { x: '1' } }),
    ];
    for (const call of calls) expect(await call()).toMatchObject({ metadata: { name: 'a' } });
    interface Other extends KubernetesObject {
      other: string;
    }
    // @ts-expect-error What is read is a ConfigMap, whatever the variable wants.
    const other: Other = await client.get('a');
    expect(other.other).toBeUndefined();
    expect((await client.get<Other>('a', { subresource: 'other' })).other).toBeUndefined();
  });
});

describe('reading', () => {
  it('fills kind and apiVersion of list items, and takes null for no items', async () => {
    await using api = await apiServer((request, response) =>
      sendJson(response, 200, {
        kind: 'DeploymentList',
        apiVersion: 'apps/v1',
        metadata: { resourceVersion: '7' },
        items: request.url?.includes('none')
          ? null
          : [{ metadata: { name: 'a' } }, { kind: 'Other', metadata: { name: 'b' } }],
      }),
    );
    const list = await api.cluster.client(deployments).list();
    expect(list.items).toEqual([
      { kind: 'Deployment', apiVersion: 'apps/v1', metadata: { name: 'a' } },
      { kind: 'Other', metadata: { name: 'b' } },
    ]);
    expect(Object.keys(list.items[0] ?? {})).toEqual(['kind', 'apiVersion', 'metadata']);
    expect((await api.cluster.client(deployments).list({ labelSelector: 'none' })).items).toEqual([]);
  });

  it('throws the ApiError of the server', async () => {
    await using api = await apiServer((_request, response) =>
      sendJson(response, 404, failure(404, 'NotFound', 'no such thing')),
    );
    const error = await rejection(api.cluster.client(configMaps).get('a'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: 404,
      reason: 'NotFound',
      message: 'GET /api/v1/namespaces/home/configmaps/a: 404 NotFound: no such thing',
    });
  });

  it('throws a readable error for an answer that is not JSON', async () => {
    await using api = await apiServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<hunter2>'),
    );
    const error = await rejection(api.cluster.client(configMaps).get('a'));
    expect(error).toMatchObject({ kind: 'protocol', message: expect.stringContaining('text/html') });
    expect(inspect(error, { showHidden: true, depth: 10 })).not.toContain('hunter2');
  });
});

describe('retries', () => {
  it('wait as long as Retry-After says for 429 and 5xx, then give the answer', async () => {
    await using api = await apiServer((_request, response, n) => {
      if (n === 1) return sendJson(response, 429, failure(429, 'TooManyRequests'), { 'retry-after': '3' });
      if (n === 2) return sendJson(response, 503, failure(503, 'ServiceUnavailable'), { 'retry-after': '2' });
      return sendJson(response, 200, { kind: 'ConfigMap' });
    });
    const pending = api.cluster.client(configMaps).create({ metadata: { name: 'a' } });
    await until(() => api.seen.length === 1 && api.clock.pendingTimers === 1);
    await api.clock.advance(2999);
    expect(api.seen).toHaveLength(1);
    await api.clock.advance(1);
    await until(() => api.seen.length === 2 && api.clock.pendingTimers === 1);
    await api.clock.advance(2000);
    expect(await pending).toEqual({ kind: 'ConfigMap' });
    expect(api.seen).toHaveLength(3);
    expect(api.clock.pendingTimers).toBe(0);
  });

  it('end after ten, with the last error', async () => {
    await using api = await apiServer((_request, response) =>
      sendJson(response, 429, failure(429, 'TooManyRequests'), { 'retry-after': '0' }),
    );
    const pending = rejection(api.cluster.client(configMaps).get('a'));
    let settled = false;
    void pending.then(() => {
      settled = true;
    });
    while (!settled) await api.clock.advance(1);
    expect(await pending).toMatchObject({ code: 429 });
    expect(api.seen).toHaveLength(11);
  });

  it('do not happen without Retry-After, nor for other codes', async () => {
    await using api = await apiServer((request, response) => {
      const code = Number(request.url?.slice(-3));
      sendJson(response, code, failure(code, 'X'), code < 429 ? { 'retry-after': '1' } : {});
    });
    for (const name of ['429', '500', '503', '409', '403']) {
      expect(await rejection(api.cluster.client(configMaps).get(name))).toMatchObject({ code: Number(name) });
    }
    expect(api.seen).toHaveLength(5);
  });

  it('happen for a GET whose connection broke, and not for a write', async () => {
    await using api = await apiServer((_request, response, n) => {
      if (n === 1 || n === 3) response.destroy();
      else sendJson(response, 200, { kind: 'ConfigMap' });
    });
    const pending = api.cluster.client(configMaps).get('a');
    await until(() => api.seen.length === 1 && api.clock.pendingTimers === 1);
    await api.clock.advance(1000);
    expect(await pending).toEqual({ kind: 'ConfigMap' });
    expect(await rejection(api.cluster.client(configMaps).create({ metadata: { name: 'a' } }))).toMatchObject({
      kind: 'reset',
    });
    expect(api.seen).toHaveLength(3);
  });

  it.each<[string, (client: Client<ConfigMap>) => Promise<unknown>]>([
    ['call', (client) => client.get('a')],
    ['wait for an object', (client) => client.waitUntil('a', () => false)],
  ])('end when the cluster is closed: a %s', async (_, call) => {
    await using api = await apiServer((_request, response) =>
      sendJson(response, 429, failure(429, 'X'), { 'retry-after': '600', warning: '299 - "later"' }),
    );
    const pending = rejection(call(api.cluster.client(configMaps)));
    await until(() => api.warnings.length === 1);
    await api.cluster.close();
    expect(await pending).toMatchObject({ kind: 'closed' });
    expect(api.clock.pendingTimers).toBe(0);
    expect(getEventListeners(api.cluster.closed, 'abort')).toHaveLength(0);
  });

  it('end when the cluster is closed, between two attempts of a wait for an object', async () => {
    await using api = await apiServer((_request, response) =>
      sendJson(response, 503, failure(503, 'Unavailable'), { warning: '299 - "later"' }),
    );
    const pending = rejection(api.cluster.client(configMaps).waitUntil('a', () => false));
    await until(() => api.warnings.length === 1);
    await api.cluster.close();
    expect(await pending).toMatchObject({ kind: 'closed' });
    expect(api.clock.pendingTimers).toBe(0);
  });

  it('end at once when the signal aborts the wait', async () => {
    await using api = await apiServer((_request, response) =>
      sendJson(response, 429, failure(429, 'TooManyRequests'), { 'retry-after': '60' }),
    );
    const controller = new AbortController();
    const pending = rejection(api.cluster.client(configMaps).get('a', { signal: controller.signal }));
    await until(() => api.seen.length === 1 && api.clock.pendingTimers === 1);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await pending).toBe(reason);
    expect(api.clock.pendingTimers).toBe(0);
  });
});

describe('warnings of the server', () => {
  it('reach the logger, each once', async () => {
    await using api = await apiServer((_request, response) => {
      response.setHeader('warning', [
        '299 - "v1beta1 is \\"old\\", use v1"',
        '299 - "unknown field", 199 - "not for us"',
      ]);
      sendJson(response, 200, { kind: 'ConfigMap' });
    });
    await api.cluster.client(configMaps).get('a');
    await api.cluster.client(nodes).get('b');
    expect(api.warnings).toEqual([
      'The API server warns: v1beta1 is "old", use v1',
      'The API server warns: unknown field',
    ]);
  });
});

describe('a server that redirects', () => {
  it('to another host gets no request there, whatever was asked, and is named', async () => {
    const followed: string[] = [];
    await using elsewhere = await ScriptedServer.http((request) => void followed.push(request.url ?? ''));
    await using api = await apiServer((request, response) => {
      response.writeHead(request.method === 'GET' ? 302 : 307, { location: `${elsewhere.url}/login?token=s3cret` });
      response.end();
    });
    const client = api.cluster.client(configMaps);
    const failures = await Promise.all([
      rejection(client.get('a')),
      rejection(client.list()),
      rejection(client.create({ metadata: { name: 'a' } })),
      rejection(client.delete('a')),
      rejection(client.watch()[Symbol.asyncIterator]().next()),
    ]);
    for (const error of failures) {
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ kind: 'rejected', retryable: false });
      expect((error as Error).message).toContain(
        `the server redirects to ${elsewhere.url}/login, and redirects are not followed`,
      );
      expect((error as Error).message).not.toContain('s3cret');
    }
    expect(api.seen).toHaveLength(5);
    expect(followed).toEqual([]);
  });
});

describe('pages', () => {
  const items = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ metadata: { name, uid: `uid-${name}` } }));
  const names = (list: { items: KubernetesObject[] }) => list.items.map((item) => item.metadata?.name).join('');

  /** Two at a time; the token is the index. `expiresAt` answers 410 for that token. */
  function pages(expiresAt?: string) {
    return (request: IncomingMessage, response: ServerResponse) => {
      const query = new URL(request.url ?? '', 'http://x').searchParams;
      const token = query.get('continue');
      if (token !== null && token === expiresAt) return sendJson(response, 410, failure(410, 'Expired'));
      const start = Number(token ?? 0);
      const end = query.has('limit') ? start + 2 : items.length;
      const rest = end < items.length ? { continue: String(end), remainingItemCount: items.length - end } : {};
      return sendJson(response, 200, {
        kind: 'NodeList',
        metadata: { resourceVersion: '9', ...rest },
        items: items.slice(start, end),
      });
    };
  }

  it('come one by one, and the version is sent with the first request only', async () => {
    await using api = await apiServer(pages());
    const seen: string[] = [];
    const options = { resourceVersion: '5', resourceVersionMatch: 'Exact', labelSelector: 'x' } as const;
    for await (const page of api.cluster.client(nodes).listPages(options)) seen.push(names(page));
    expect(seen).toEqual(['ab', 'cd', 'e']);
    expect(api.lines()).toEqual([
      'GET /api/v1/nodes?resourceVersion=5&resourceVersionMatch=Exact&labelSelector=x&limit=500',
      'GET /api/v1/nodes?labelSelector=x&limit=500&continue=2',
      'GET /api/v1/nodes?labelSelector=x&limit=500&continue=4',
    ]);
  });

  it('stop being asked for when the loop is left', async () => {
    await using api = await apiServer(pages());
    for await (const _ of api.cluster.client(nodes).listPages({ limit: 2 })) break;
    expect(api.lines()).toEqual(['GET /api/v1/nodes?limit=2']);
  });

  it('become one list', async () => {
    await using api = await apiServer(pages());
    const list = await api.cluster.client(nodes).listAll();
    expect(names(list)).toBe('abcde');
    expect(list.metadata).toEqual({ resourceVersion: '9' });
  });

  it('that expire half-way are followed by a whole list at the first version, each object once', async () => {
    await using api = await apiServer(pages('4'));
    const seen: string[] = [];
    for await (const page of api.cluster.client(nodes).listPages({ resourceVersion: '5' })) seen.push(names(page));
    expect(seen).toEqual(['ab', 'cd', 'e']);
    expect(names(await api.cluster.client(nodes).listAll({ resourceVersion: '5' }))).toBe('abcde');
    const requests = [
      'GET /api/v1/nodes?resourceVersion=5&limit=500',
      'GET /api/v1/nodes?limit=500&continue=2',
      'GET /api/v1/nodes?limit=500&continue=4',
      'GET /api/v1/nodes?resourceVersion=5',
    ];
    expect(api.lines()).toEqual([...requests, ...requests]);
  });

  it('that have no end are not followed forever', async () => {
    let tokens = 0;
    await using api = await apiServer((_request, response) =>
      sendJson(response, 200, {
        kind: 'NodeList',
        metadata: { resourceVersion: '9', continue: `t${++tokens}` },
        items: items.slice(0, 2),
      }),
    );
    const client = api.cluster.client(nodes);
    expect(await rejection(client.listAll())).toMatchObject({
      kind: 'protocol',
      message: expect.stringContaining('page 2 of a list with the objects of the page before it'),
    });
    const seen: string[] = [];
    const paging = (async () => {
      for await (const page of client.listPages()) seen.push(names(page));
    })();
    expect(await rejection(paging)).toMatchObject({ kind: 'protocol' });
    expect(seen).toEqual(['ab', 'ab']);
  });

  it('whose first request fails with 410 fail', async () => {
    await using api = await apiServer((_request, response) => sendJson(response, 410, failure(410, 'Expired')));
    expect(await rejection(api.cluster.client(nodes).listAll())).toMatchObject({ code: 410 });
    expect(api.seen).toHaveLength(1);
  });
});

describe('watch', () => {
  const event = (type: string, name: string) =>
    `${JSON.stringify({ type, object: { kind: 'ConfigMap', metadata: { name } } })}\n`;

  it('gives events as they come, whatever the pieces, and ends with the server', async () => {
    await using api = await apiServer((_request, response) => {
      for (const byte of Buffer.from(`${event('ADDED', 'ä')}\n${event('BOOKMARK', 'b')}${event('ERROR', 'c')}`)) {
        response.write(Buffer.from([byte]));
      }
      response.end();
    });
    const seen: string[] = [];
    for await (const { type, object } of api.cluster
      .client(configMaps)
      .watch({ resourceVersion: '5', allowWatchBookmarks: true })) {
      seen.push(`${type} ${(object as ConfigMap).metadata?.name}`);
    }
    expect(seen).toEqual(['ADDED ä', 'BOOKMARK b', 'ERROR c']);
    expect(api.lines()).toEqual(['GET /api/v1/configmaps?resourceVersion=5&allowWatchBookmarks=true&watch=true']);
  });

  it('ends without an error when the signal aborts, also before the head has come', async () => {
    await using api = await apiServer((_request, response, n) => {
      if (n === 1) response.write(event('ADDED', 'a'));
    });
    const client = api.cluster.client(configMaps);
    const first = new AbortController();
    let events = 0;
    for await (const _ of client.watch({ signal: first.signal })) {
      events += 1;
      first.abort();
    }
    expect(events).toBe(1);
    const second = new AbortController();
    const reading = client.watch({ signal: second.signal }).next();
    await until(() => api.seen.length === 2);
    second.abort();
    expect((await reading).done).toBe(true);
  });

  it('throws for a cut event, a line that is not an event, and a refusal', async () => {
    await using api = await apiServer((_request, response, n) => {
      if (n === 1) return response.end(event('ADDED', 'a').slice(0, 20));
      if (n === 2) return response.end('"hunter2"\n');
      return sendJson(response, 403, failure(403, 'Forbidden'));
    });
    const watch = () => api.cluster.client(configMaps).watch().next();
    expect(await rejection(watch())).toMatchObject({ kind: 'reset' });
    expect(await rejection(watch())).toMatchObject({
      kind: 'protocol',
      message: expect.not.stringContaining('hunter2'),
    });
    expect(await rejection(watch())).toMatchObject({ code: 403 });
  });

  it.each([
    ['before the head of its answer', () => {}],
    ['before its first event', (response: ServerResponse) => response.writeHead(200).flushHeaders()],
  ])('is left at once while it is quiet, %s', async (_when, answer) => {
    await using api = await apiServer((_request, response) => answer(response));
    const open = async () => {
      const seen = api.lines().length;
      const stream = api.cluster.client(configMaps).watch();
      const reading = stream.next();
      await until(() => api.lines().length > seen);
      return { stream, reading };
    };
    const returned = await open();
    expect(await returned.stream.return()).toEqual({ done: true, value: undefined });
    expect(await returned.reading).toEqual({ done: true, value: undefined });
    expect(await returned.stream.next()).toEqual({ done: true, value: undefined });
    const thrown = await open();
    await expect(thrown.stream.throw(new Error('mine'))).rejects.toThrow('mine');
    expect(await thrown.reading).toEqual({ done: true, value: undefined });
    const disposed = await open();
    {
      await using _scope = disposed.stream;
    }
    expect(await disposed.reading).toEqual({ done: true, value: undefined });
    await until(() => api.sockets.size === 0);
  });

  it('sends nothing when it is left before it was read', async () => {
    await using api = await apiServer(() => {});
    const { signal } = new AbortController();
    const stream = api.cluster.client(configMaps).watch({ signal });
    expect(await stream.return()).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect(api.lines()).toEqual([]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('leaves no listener on a signal that outlives it', async () => {
    await using api = await apiServer((_request, response) => response.end());
    const { signal } = new AbortController();
    for await (const _ of api.cluster.client(configMaps).watch({ signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
