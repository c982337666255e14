import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { defineResource } from '../api/resource.ts';
import { ApiServer } from '../apiserver/apiserver.ts';
import type { Fault } from '../apiserver/request/fault-plan.ts';
import { resourceCodec } from '../codec/resource-codec.ts';
import { silentLogger } from '../observe/logger.ts';
import { CachedReflector } from './cached-reflector.ts';
import type { CachedReflectorOptions } from './reflector-options.ts';
import { ResourceListerWatcher, type ResourceListerWatcherOptions } from './resource-lister-watcher.ts';
import { RecordingTarget } from './scripted-fixture.ts';

interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>;
}

const configMaps = defineResource<ConfigMap>({ version: 'v1', plural: 'configmaps', kind: 'ConfigMap' });
const PATH = '/api/v1/namespaces/default/configmaps';

let server: ApiServer;
let stop: AbortController;
let runs: Promise<void>[];

beforeEach(async () => {
  server = await ApiServer.start({ listen: false, logger: silentLogger });
  stop = new AbortController();
  runs = [];
});

afterEach(async () => {
  stop.abort();
  await Promise.all(runs);
  await server.stop();
});

async function send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<void> {
  const transport = server.transport();
  const response = await transport.request({
    method,
    path,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  for await (const _ of response.body);
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status}`);
}

const create = (name: string, data: Record<string, string> = {}) => send('POST', PATH, { metadata: { name }, data });
const update = (name: string, value: string) => send('PUT', `${PATH}/${name}`, { metadata: { name }, data: { value } });
const remove = (name: string) => send('DELETE', `${PATH}/${name}`);

function reflect(
  options: Partial<CachedReflectorOptions<ConfigMap>> = {},
  source: Partial<ResourceListerWatcherOptions<ConfigMap>> = {},
) {
  const target = new RecordingTarget();
  const errors: Error[] = [];
  const reflector = new CachedReflector<ConfigMap>({
    listerWatcher: new ResourceListerWatcher({
      transport: server.transport(),
      codec: resourceCodec({ resource: configMaps }),
      resource: configMaps,
      namespace: 'default',
      ...source,
    }),
    target,
    name: 'configmaps',
    backoff: { initialMs: 10, maxMs: 50 },
    watchErrorHandler: (error) => errors.push(error),
    ...options,
  });
  runs.push(reflector.run({ signal: stop.signal }));
  return { reflector, target, errors };
}

const keys = (target: RecordingTarget) => [...target.objects.keys()].sort();
const expectKeys = (target: RecordingTarget, ...expected: string[]) =>
  expect.poll(() => keys(target), { timeout: 10_000, interval: 10 }).toEqual(expected.map((name) => `default/${name}`));

describe.each([
  ['by LIST', { watchList: false }],
  ['by WatchList', { watchList: true }],
])('on the embedded server, %s', (_, mode) => {
  it('follows creations, updates and deletions', async () => {
    await create('a');
    const { reflector, target, errors } = reflect(mode);
    await expectKeys(target, 'a');
    await create('b');
    await update('a', 'new');
    await remove('b');
    await expect.poll(() => target.calls.filter((call) => !call.startsWith('bookmark')).length).toBe(4);
    expect(target.calls.map((call) => call.replace(/@\d+$/, '').replace(/ \d+:/, ''))).toEqual([
      'replace default/a',
      'add default/b',
      'update default/a',
      'delete default/b',
    ]);
    expect(reflector.lastSyncResourceVersion()).toBe(server.resourceVersion);
    expect(errors).toEqual([]);
  });

  it('reads pages and bytes split anywhere', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name, { text: 'Grüße, 世界 \\ "quoted"\n' });
    server.faults.add(
      { resource: 'configmaps' },
      { kind: 'split', bytes: [1, 3, 2] },
      { times: Number.POSITIVE_INFINITY },
    );
    const { target } = reflect({ ...mode, pageSize: 2 });
    await expectKeys(target, 'a', 'b', 'c', 'd', 'e');
    await create('f');
    await expectKeys(target, 'a', 'b', 'c', 'd', 'e', 'f');
  });

  it('resumes without a list when watches end, and misses nothing', async () => {
    await create('a');
    const { target } = reflect(mode);
    await expectKeys(target, 'a');
    await expect.poll(() => server.openWatches).toBe(1);
    server.disconnectWatches();
    await create('b');
    await expectKeys(target, 'a', 'b');
    expect(target.calls.filter((call) => call.startsWith('replace'))).toHaveLength(1);
  });

  it('lists when the history it needs has been compacted, and drops what was deleted meanwhile', async () => {
    await create('a');
    await create('b');
    const { target, errors } = reflect(mode);
    await expectKeys(target, 'a', 'b');
    await expect.poll(() => server.openWatches).toBe(1);
    const stalled = server.faults.add({ verb: 'watch' }, { kind: 'drop' }, { times: Number.POSITIVE_INFINITY });
    server.disconnectWatches();
    await remove('b');
    await create('c');
    server.compact();
    stalled.remove();
    await expectKeys(target, 'a', 'c');
    expect(errors.length).toBeGreaterThan(0);
  });

  it.each<[string, Fault]>([
    ['a dropped connection', { kind: 'drop' }],
    ['429', { kind: 'status', code: 429, reason: 'TooManyRequests' }],
    ['500', { kind: 'status', code: 500 }],
    ['the page of a proxy', { kind: 'status', code: 502, body: '<html>Bad Gateway</html>' }],
    ['half a body', { kind: 'cut', afterBytes: 150 }],
    ['a body that ends early', { kind: 'end', afterBytes: 150 }],
    ['an expired version', { kind: 'error-event' }],
    ['an internal error', { kind: 'error-event', code: 500, reason: 'InternalError' }],
    ['events sent twice', { kind: 'duplicate-events' }],
  ])('survives %s', async (_name, fault) => {
    await create('a');
    server.faults.add({ resource: 'configmaps', verb: ['list', 'watch'] }, fault, { times: 2 });
    const { reflector, target } = reflect(mode);
    await expectKeys(target, 'a');
    await create('b');
    await expectKeys(target, 'a', 'b');
    await expect.poll(() => reflector.state.phase, { timeout: 10_000 }).toBe('watching');
  });
});

describe('on the embedded server', () => {
  it('falls back to LIST when a WatchList does not end its initial events', async () => {
    await create('a');
    server.faults.add({ verb: 'watch' }, { kind: 'withhold-initial-events-end' });
    const { target, errors } = reflect({ watchListBookmarkTimeoutMs: 50 });
    await expectKeys(target, 'a');
    expect(errors).toMatchObject([{ kind: 'noInitialEventsEnd' }]);
  });

  it('selects what the options are tweaked to', async () => {
    await create('a');
    await create('b');
    const tweakListOptions = (options: ListOptions) => {
      options.fieldSelector = 'metadata.name=b';
    };
    const { target } = reflect({}, { tweakListOptions });
    await expectKeys(target, 'b');
  });

  it('gets metadata only', async () => {
    await create('a', { key: 'value' });
    const { target } = reflect({}, { codec: resourceCodec({ resource: configMaps, metadataOnly: true }) });
    await expectKeys(target, 'a');
  });

  it('knows that a type does not exist', async () => {
    const { reflector, errors } = reflect(
      { confirmGone: async () => true },
      { resource: defineResource<ConfigMap>({ group: 'example.com', version: 'v1', plural: 'things', kind: 'Thing' }) },
    );
    await expect.poll(() => reflector.state.phase).toBe('gone');
    expect(errors).toMatchObject([{ code: 404 }]);
  });
});
