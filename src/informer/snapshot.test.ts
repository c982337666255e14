import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Transport } from '../api/transport.ts';
import { Cluster } from '../cluster/cluster.ts';
import { type ConfigMap, configMaps, secrets } from '../generated/api/core/v1.ts';
import { systemClock } from '../observe/clock.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { SnapshotReader } from '../snapshot/snapshot-file.ts';
import { ApiServer } from '../testing/api-server.ts';
import { clusterFixture, names, until, widgets } from './cluster-fixture.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from './shared-informer-factory.ts';

let folder: string;
let file: string;
let fixture: Awaited<ReturnType<typeof clusterFixture>>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-snapshot-'));
  file = join(folder, 'caches');
  fixture = await clusterFixture();
});

afterEach(async () => {
  await fixture[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const openReader = SnapshotReader.open.bind(SnapshotReader);

interface Life {
  factory: SharedInformerFactory;
  /** Resolves when the handler has heard of the whole initial list. */
  synced: () => Promise<unknown>;
  heard: string[];
  /** The requests for config maps, by their query. */
  requests: string[];
  log: string[];
}

type LifeOptions = SharedInformerFactoryOptions & { server?: ApiServer };

/** A program that has started, with one handler. */
function begin({ server = fixture.server, ...options }: LifeOptions = {}): Life {
  const requests: string[] = [];
  const log: string[] = [];
  const push = (line: string) => void log.push(line);
  const factory = new SharedInformerFactory(Cluster.over(recorded(server.transport(), requests)), {
    snapshot: { file },
    logger: { debug: () => {}, info: push, warn: push, error: push },
    ...options,
  });
  const heard: string[] = [];
  const registration = factory
    .for(configMaps)
    .informer()
    .addEventHandler({
      onAdd: ({ metadata }, isInitial) => void heard.push(`${isInitial ? 'initial' : 'add'} ${metadata.name}`),
      onUpdate: (_, { metadata }) => void heard.push(`update ${metadata.name}`),
      onDelete: ({ metadata }) => void heard.push(`delete ${metadata.name}`),
    });
  factory.start();
  const synced = () => until(() => registration.hasSynced());
  return { factory, synced, heard, requests, log };
}

/** The whole life of one: it starts, syncs, works, and stops. */
async function live(options: LifeOptions = {}, work: (life: Life) => unknown = () => {}): Promise<Life> {
  const life = begin(options);
  await life.synced();
  await work(life);
  await life.factory.shutdown();
  return { ...life, heard: life.heard.sort() };
}

function recorded(inner: Transport, requests: string[]): Transport {
  return {
    request: (request) => {
      if (request.path.endsWith('/configmaps')) requests.push(request.query ?? '');
      return inner.request(request);
    },
    close: () => inner.close(),
  };
}

/** Whether the life began with a snapshot: it then asks for one object to have its version confirmed, and for no more. */
const isWarm = ({ requests }: Life) =>
  requests.some((query) => query.includes('limit=1&') || query.endsWith('limit=1'));
const listsAll = ({ requests }: Life) => requests.some((query) => query.includes('sendInitialEvents'));

const selectAll: LifeOptions['tweakListOptions'] = (options) => {
  options.labelSelector = '!absent';
};

const byName = (a: ConfigMap, b: ConfigMap) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1);

const remove = (name: string) => fixture.admin.client(configMaps, { namespace: 'default' }).delete(name);

describe('a snapshot', () => {
  it('takes the place of the list, and the watch goes on from it', async () => {
    await fixture.createConfigMap('a');
    await fixture.createConfigMap('b');
    expect(isWarm(await live())).toBe(false);
    await fixture.createConfigMap('c');
    await remove('a');
    const second = await live({}, async ({ factory, heard }) => {
      await until(() => heard.length === 4);
      expect(heard.toSorted()).toEqual(['add c', 'delete a', 'initial a', 'initial b']);
      expect(names(factory.for(configMaps).lister().list())).toEqual(['b', 'c']);
    });
    expect(isWarm(second)).toBe(true);
    expect(listsAll(second)).toBe(false);
    expect(second.log).toEqual([]);
  });

  it('goes on from life to life', async () => {
    await live();
    for (const name of ['a', 'b', 'c']) {
      await fixture.createConfigMap(name);
      await live({}, async ({ heard }) => {
        await until(() => heard.join().includes(name));
      });
    }
    const last = await live();
    expect(isWarm(last)).toBe(true);
    expect(last.heard).toEqual(['initial a', 'initial b', 'initial c']);
  });

  it.each<[string, LifeOptions]>([
    ['a shared store', { store: 'shared' }],
    ['a plain store', { store: 'plain' }],
    ['JSON', { encoding: 'json' }],
    ['two namespaces', { namespace: ['default', 'other'] }],
    ['a queue in order', { queue: 'inOrder' }],
    ['fewer fields', { drop: ['data'] }],
    ['LIST in place of WatchList', { watchList: false }],
    ['a selector', { tweakListOptions: selectAll }],
  ])('holds what was kept, with %s', async (_, options) => {
    await fixture.createNamespace('other');
    await fixture.createConfigMap('b', 'other');
    await fixture.admin.client(configMaps).create({
      metadata: { name: 'a', namespace: 'default', labels: { app: 'web' } },
      data: { constructor: '"ä€', empty: '' },
    });
    const read = ({ factory }: Life): unknown =>
      JSON.parse(JSON.stringify(factory.for(configMaps).lister().list().toSorted(byName)));
    let before: unknown;
    await live(options, (life) => {
      before = read(life);
    });
    const warm = await live(options, (life) => expect(read(life)).toEqual(before));
    expect(isWarm(warm)).toBe(true);
    expect(warm.heard).toEqual(['initial a', 'initial b']);
  });

  it('holds custom resources, whose kind only the server knows, and metadata alone', async () => {
    await fixture.defineWidgets('Namespaced');
    await fixture.createWidget('w', 'default');
    const ask = (factory: SharedInformerFactory) =>
      [factory.forResource(widgets), factory.forMetadata(configMaps)] as const;
    const whole = async () => {
      const factory = new SharedInformerFactory(fixture.cluster, { snapshot: { file } });
      const [untyped, metadata] = ask(factory);
      untyped.informer();
      metadata.informer();
      factory.start();
      await factory.waitForCacheSync();
      const seen = JSON.stringify([untyped.lister().list(), metadata.lister().list()]);
      await factory.shutdown();
      return seen;
    };
    await fixture.createConfigMap('a');
    const first = await whole();
    expect(first).toContain('"kind":"Widget"');
    expect(await whole()).toBe(first);
  });

  it('of many namespaces is restored at once, from a file that is not opened for each of them', async () => {
    const namespace = Array.from({ length: 20 }, (_, i) => `n-${i}`);
    for (const name of namespace) {
      await fixture.createNamespace(name);
      await fixture.createConfigMap(`of-${name}`, name);
    }
    await live({ namespace });
    let open = 0;
    let mostOpen = 0;
    const opens = vi.spyOn(SnapshotReader, 'open').mockImplementation(async (path) => {
      mostOpen = Math.max(mostOpen, ++open);
      const reader = await openReader(path);
      const close = reader?.close.bind(reader);
      return Object.assign(reader ?? {}, { close: () => close?.().finally(() => open--) }) as SnapshotReader;
    });
    try {
      // Its time stands still: nothing waits for its turn.
      const second = await live({ namespace, clock: new FakeClock(Date.now()) });
      expect(second.heard).toEqual(namespace.map((name) => `initial of-${name}`).sort());
      expect(isWarm(second)).toBe(true);
      expect(listsAll(second)).toBe(false);
      expect(second.requests).toHaveLength(2 * namespace.length);
      // One that is being closed, and one that is read.
      expect(mostOpen).toBeLessThanOrEqual(2);
      expect(open).toBe(0);
    } finally {
      opens.mockRestore();
    }
  });

  it('is written now and then', async () => {
    await fixture.createConfigMap('a');
    const running = begin({ snapshot: { file, everyMs: 5 } });
    await running.synced();
    await until(() => existsSync(file));
    const warm = await live();
    expect(isWarm(warm)).toBe(true);
    await running.factory.shutdown();
  });

  it('is written when the signal of start ends all informers', async () => {
    await fixture.createConfigMap('a');
    const controller = new AbortController();
    const factory = new SharedInformerFactory(fixture.cluster, { snapshot: { file } });
    factory.for(configMaps).informer();
    factory.start({ signal: controller.signal });
    await factory.waitForCacheSync();
    controller.abort();
    await factory.shutdown();
    expect(isWarm(await live())).toBe(true);
  });

  it('is for its owner alone, and leaves nothing else in the folder', async () => {
    await live();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['caches']);
  });

  it('has no Secret, nor its metadata, unless that is asked for', async () => {
    await fixture.admin.client(secrets).create({
      metadata: { name: 'hidden-name', namespace: 'default', annotations: { note: 'hidden-note' } },
      stringData: { password: 'hidden-password' },
    });
    const keep = async (saved: boolean) => {
      const factory = new SharedInformerFactory(fixture.cluster, { snapshot: { file, secrets: saved } });
      factory.for(secrets).informer();
      factory.forMetadata(secrets).informer();
      factory.for(configMaps).informer();
      factory.start();
      await factory.waitForCacheSync();
      await factory.shutdown();
      return await readFile(file, 'latin1');
    };
    expect(await keep(false)).not.toContain('hidden');
    expect(await keep(true)).toContain('hidden-name');
  });

  it('is not written of an informer with a transform, and not used for it', async () => {
    await fixture.createConfigMap('a');
    await live();
    const transform = (object: object) => object as ConfigMap;
    expect(isWarm(await live({ transform }))).toBe(false);
    await rm(file);
    await live({ transform });
    expect(await readdir(folder)).toEqual([]);
  });

  it('keeps the sections of what was not asked for, and of what could not be listed', async () => {
    await fixture.createConfigMap('a');
    await live();
    const other = new SharedInformerFactory(fixture.cluster, { snapshot: { file }, namespace: 'other' });
    other.for(configMaps).informer();
    other.start();
    await other.waitForCacheSync();
    await other.shutdown();
    fixture.server.faults.add({ resource: 'configmaps' }, { kind: 'status', code: 503 }, { times: Infinity });
    const without = begin();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await without.factory.shutdown();
    fixture.server.faults.clear();
    expect(isWarm(await live())).toBe(true);
  });
});

describe('a snapshot is not used, and one line says so,', () => {
  beforeEach(async () => {
    await fixture.createConfigMap('a');
    await fixture.createConfigMap('b');
    await live();
    await remove('a');
  });

  const listed = async (life: Life, why: RegExp) => {
    expect(listsAll(life)).toBe(true);
    expect(life.heard).toEqual(['initial b']);
    expect(life.log).toEqual([expect.stringMatching(why)]);
  };

  it('when the server has forgotten its version', async () => {
    fixture.server.compact();
    await listed(await live(), /snapshot .* is not used for configmaps\.v1: .*too old resource version/);
  });

  it('when the server accepts the watch, and says only then that it has forgotten the version', async () => {
    fixture.server.faults.add({ verb: 'watch', resource: 'configmaps' }, { kind: 'error-event' });
    fixture.server.faults.add({ verb: 'list', resource: 'configmaps' }, { kind: 'stall' });
    await listed(await live(), /is not used for configmaps\.v1/);
  });

  it('when it is of another server', async () => {
    await using other = await ApiServer.start({ listen: false });
    const writer = other.cluster({ fieldManager: 'test' });
    await writer.client(configMaps).create({ metadata: { name: 'b', namespace: 'default' } });
    await listed(await live({ server: other }), /it is of another server/);
    await writer.close();
  });

  it('when it is too old', async () => {
    const clock = { ...systemClock, now: () => Date.now() + 3_600_001 };
    await listed(await live({ clock, snapshot: { file, maxAgeMs: 3_600_000 } }), /it is 1\.0 h old/);
  });

  it('when it is damaged', async () => {
    const bytes = await readFile(file);
    bytes[40] = (bytes[40] ?? 0) ^ 1;
    await writeFile(file, bytes);
    await listed(await live(), /is not used for configmaps\.v1: it is damaged/);
  });

  it('when a newer version of tidewatch has written it', async () => {
    const bytes = await readFile(file);
    bytes.writeUInt32LE(6, bytes.length - 'tidewatch'.length - 4);
    await writeFile(file, bytes);
    await listed(await live(), /it was written by another version of tidewatch \(format 6\)/);
  });

  it('when the file cannot be read', async () => {
    await rm(file);
    await mkdir(file);
    const life = await live();
    expect(life.heard).toEqual(['initial b']);
    expect(life.log).toEqual([
      expect.stringMatching(/is not used: it cannot be read: EISDIR/),
      expect.stringMatching(/could not be written: EISDIR/),
    ]);
  });

  it.each<[string, LifeOptions]>([
    ['a selector', { tweakListOptions: selectAll }],
    ['other fields', { drop: ['data'] }],
    ['another namespace', { namespace: 'default' }],
  ])('but for this: %s is another section, and not worth a line', async (_, options) => {
    const life = await live(options);
    expect(isWarm(life)).toBe(false);
    expect(life.heard).toEqual(['initial b']);
    expect(life.log).toEqual([]);
  });
});

describe('a cluster that was restored from a backup', () => {
  it('is listed when it has not reached the version of the snapshot', async () => {
    await fixture.createConfigMap('a');
    const backup = fixture.server.snapshot();
    await fixture.createConfigMap('b');
    await live();
    fixture.server.restore(backup);
    const life = await live();
    expect(life.heard).toEqual(['initial a']);
    expect(life.log).toEqual([expect.stringMatching(/is not used for configmaps\.v1: .*Too large resource version/)]);
  });
});

describe('while a snapshot waits to be confirmed', () => {
  beforeEach(async () => {
    await fixture.createConfigMap('a');
    await live();
  });

  it('nothing of it is shown, and the informer has not synced', async () => {
    const stall = fixture.server.faults.add({ verb: 'list', resource: 'configmaps' }, { kind: 'stall' });
    const life = begin();
    await stall.met();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(life.factory.for(configMaps).informer().hasSynced()).toBe(false);
    expect(life.factory.for(configMaps).lister().list()).toEqual([]);
    expect(life.heard).toEqual([]);
    stall.remove();
    await life.synced();
    expect(life.heard).toEqual(['initial a']);
    await life.factory.shutdown();
  });

  it('an event of the watch confirms it, whatever the list does', async () => {
    const stall = fixture.server.faults.add({ verb: 'list', resource: 'configmaps' }, { kind: 'stall' });
    const life = begin();
    await stall.met();
    await fixture.createConfigMap('b');
    await life.synced();
    await until(() => life.heard.length === 2);
    expect(life.heard.toSorted()).toEqual(['add b', 'initial a']);
    await life.factory.shutdown();
  });

  it('a server that does not answer is asked again, and the snapshot is used then', async () => {
    fixture.server.faults.add({ verb: 'watch', resource: 'configmaps' }, { kind: 'status', code: 503 });
    const life = await live();
    expect(isWarm(life)).toBe(true);
    expect(listsAll(life)).toBe(false);
    expect(life.heard).toEqual(['initial a']);
  });

  it.each([0, 1, 2, 5, 10, 20])('a program that stops after %i turns stops', async (turns) => {
    const life = begin();
    for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
    await life.factory.shutdown();
    expect(isWarm(await live())).toBe(true);
  });
});

it('a snapshot that cannot be written is reported once, and the informers go on', async () => {
  await fixture.createConfigMap('a');
  const gone = join(folder, 'gone', 'caches');
  const life = await live({ snapshot: { file: gone, everyMs: 2 } }, async ({ log }) => {
    await until(() => log.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
  });
  expect(life.log).toEqual([
    expect.stringMatching(/snapshot .* could not be written: ENOENT.*What the file held before stays/),
  ]);
});

it('a full disk is one line, wherever it fills up, and the file stays as it was', async () => {
  await fixture.createConfigMap('a');
  await live();
  const before = await readFile(file);
  const handle = await open(file);
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  for (let whole = 0; whole < 3; whole++) {
    const write = vi.spyOn(prototype, 'writeFile');
    for (let i = 0; i < whole; i++) write.mockResolvedValueOnce();
    write.mockRejectedValue(full);
    const life = await live();
    write.mockRestore();
    expect(life.log).toEqual([
      expect.stringMatching(/snapshot .* could not be written: ENOSPC.*What the file held before stays/),
    ]);
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(['caches']);
  }
  const sync = vi.spyOn(prototype, 'sync').mockRejectedValue(full);
  expect((await live()).log).toHaveLength(1);
  sync.mockRestore();
  expect(await readFile(file)).toEqual(before);
  expect(await readdir(folder)).toEqual(['caches']);
});

it('a snapshot needs a file, and knows its options', () => {
  const make = (snapshot: object) => () =>
    new SharedInformerFactory(fixture.cluster, { snapshot: snapshot as { file: string } });
  expect(make({})).toThrow('needs a file');
  expect(make({ file: 7 })).toThrow('file is 7, and must be a text');
  expect(make({ file, everyMS: 1 })).toThrow('did you mean "everyMs"');
});
