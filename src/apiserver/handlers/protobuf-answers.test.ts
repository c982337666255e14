import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transport } from '../../api/transport.ts';
import { FakeClock } from '../../observe/fake-clock.ts';
import { ApiServer } from '../apiserver.ts';
import { parseProtobufBody } from '../request/protobuf-body.ts';
import { wireBytes, wireFields, wireMap, wireText } from '../request/protobuf-reader.ts';
import { RequestClient } from '../request-client-fixture.ts';
import { getPath } from '../values/json.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const MAPS = '/api/v1/namespaces/default/configmaps';
const META = 'g=meta.k8s.io;v=v1';

describe('a client that prefers protobuf', () => {
  let server: ApiServer;
  let client: RequestClient;
  let transport: Transport;

  beforeAll(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock() });
    transport = server.transport();
    client = new RequestClient(transport);
    for (const name of ['a', 'b', 'c']) await client.post(MAPS, { metadata: { name }, data: { is: name } });
    await client.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    await client.post('/apis/example.com/v1/namespaces/default/widgets', {
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: { name: 'w' },
    });
  });
  afterAll(() => server.stop());

  async function ask(path: string, accept: string, options: { method?: 'GET' | 'DELETE'; query?: string } = {}) {
    const { method = 'GET', query } = options;
    const response = await transport.request({ method, path, headers: { accept }, ...(query ? { query } : {}) });
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body) chunks.push(chunk.slice());
    const body = Buffer.concat(chunks);
    return { status: response.status, type: response.headers.get('content-type'), body };
  }

  it('gets objects, lists, pages and empty lists', async () => {
    const one = await ask(`${MAPS}/a`, PROTOBUF);
    expect(one.type).toBe(PROTOBUF);
    expect(parseProtobufBody(one.body)).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'a' },
      data: { is: 'a' },
    });
    const all = parseProtobufBody((await ask(MAPS, `${PROTOBUF},application/json`)).body);
    expect(all).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(all?.items).toHaveLength(3);
    expect(getPath(all, 'metadata', 'resourceVersion')).toBe(server.resourceVersion);
    const page = parseProtobufBody((await ask(MAPS, PROTOBUF, { query: 'limit=2' })).body);
    expect(page?.items).toHaveLength(2);
    expect(page?.metadata).toMatchObject({ remainingItemCount: 1, continue: expect.stringMatching(/./) });
    expect(parseProtobufBody((await ask('/api/v1/secrets', PROTOBUF)).body)).toEqual({
      kind: 'SecretList',
      apiVersion: 'v1',
      metadata: expect.anything(),
    });
  });

  it('gets the metadata of custom resources in it, and the resources themselves in JSON', async () => {
    const path = '/apis/example.com/v1/widgets';
    expect(await ask(path, `${PROTOBUF},application/json`)).toMatchObject({ status: 200, type: 'application/json' });
    expect(await ask(path, PROTOBUF)).toMatchObject({ status: 406 });
    const partial = await ask(path, `${PROTOBUF};as=PartialObjectMetadataList;${META},application/json`);
    expect(partial.type).toBe(PROTOBUF);
    expect(parseProtobufBody(partial.body)).toMatchObject({
      kind: 'PartialObjectMetadataList',
      items: [{ metadata: { name: 'w' } }],
    });
  });

  it('gets the lists of metadata of v1beta1 under their old numbers', async () => {
    const accept = `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1`;
    const raw = wireMap((await ask(MAPS, accept)).body.subarray(4)).get(2) ?? 0n;
    const numbers = [...wireFields(wireBytes(raw))].map(({ number }) => number);
    expect(numbers.toSorted()).toEqual([1, 1, 1, 2]);
  });

  it('gets errors, the outcome of a deletion, and discovery in it', async () => {
    const missing = await ask(`${MAPS}/none`, PROTOBUF);
    expect(missing).toMatchObject({ status: 404, type: PROTOBUF });
    expect(parseProtobufBody(missing.body)).toMatchObject({ kind: 'Status', reason: 'NotFound', code: 404 });
    await client.post(MAPS, { metadata: { name: 'gone' } });
    const deleted = await ask(`${MAPS}/gone`, PROTOBUF, { method: 'DELETE' });
    expect(parseProtobufBody(deleted.body)).toMatchObject({ kind: 'Status', status: 'Success' });
    const resources = parseProtobufBody((await ask('/apis/apps/v1', PROTOBUF)).body);
    expect(resources).toMatchObject({ kind: 'APIResourceList', groupVersion: 'apps/v1' });
    expect(getPath(parseProtobufBody((await ask('/apis', PROTOBUF)).body), 'groups')).toContainEqual(
      expect.objectContaining({ name: 'apps' }),
    );
  });

  it('gets a Table in JSON, when it would take that', async () => {
    const table = `as=Table;${META}`;
    expect(await ask(MAPS, `${PROTOBUF};${table},application/json;${table}`)).toMatchObject({
      type: 'application/json',
    });
    expect((await ask(MAPS, `${PROTOBUF};${table}`)).status).toBe(406);
  });

  async function watched(accept: string, query: string, count: number, change: () => Promise<unknown>) {
    const stopping = new AbortController();
    const response = await transport.request({
      method: 'GET',
      path: MAPS,
      query: `watch=1&${query}`,
      headers: { accept },
      signal: stopping.signal,
    });
    await change();
    const events: { type: string; object: ReturnType<typeof parseProtobufBody> }[] = [];
    try {
      for await (const chunk of response.body) {
        let bytes = Buffer.from(chunk);
        while (bytes.length > 0) {
          const end = 4 + bytes.readUInt32BE(0);
          const event = wireMap(bytes.subarray(4, end));
          const raw = wireBytes(wireMap(event.get(2) ?? 0n).get(1) ?? 0n);
          events.push({ type: wireText(event.get(1) ?? 0n), object: parseProtobufBody(raw) });
          bytes = bytes.subarray(end);
        }
        if (events.length >= count) break;
      }
    } finally {
      stopping.abort();
    }
    return { type: response.headers.get('content-type'), events };
  }

  it('gets events, bookmarks and errors in frames of it', async () => {
    const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const { type, events } = await watched(`${PROTOBUF};stream=watch`, initial, 5, () =>
      client.patch(`${MAPS}/a`, { data: { is: 'changed' } }),
    );
    expect(type).toBe(`${PROTOBUF};stream=watch`);
    expect(events.map((event) => event.type)).toEqual(['ADDED', 'ADDED', 'ADDED', 'BOOKMARK', 'MODIFIED']);
    expect(events[3]?.object).toMatchObject({
      kind: 'ConfigMap',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    expect(events[4]?.object).toMatchObject({ metadata: { name: 'a' }, data: { is: 'changed' } });
    server.compact();
    const failed = await watched(PROTOBUF, 'resourceVersion=1', 1, async () => {});
    expect(failed.events[0]).toMatchObject({ type: 'ERROR', object: { kind: 'Status', reason: 'Expired', code: 410 } });
  });
});
