/**
 * What readers pay for objects of a varied fleet, and what the objects take: `npx tsx benchmarks/views.ts [pods]`. Objects go
 * through the codec into a table, without a server; each figure is the best of several rounds, in time of the processor.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Cached } from '../src/api/cached.ts';
import type { KubernetesObject } from '../src/api/metadata.ts';
import { defineResource } from '../src/api/resource.ts';
import type { Codec } from '../src/codec/codec.ts';
import { encodeMessage } from '../src/codec/protobuf/message-encoder-fixture.ts';
import { chunksOf, core, envelope, frame } from '../src/codec/protobuf/protobuf-fixture.ts';
import { resourceCodec } from '../src/codec/resource-codec.ts';
import { Indexer } from '../src/store/indexer.ts';
import { ObjectTable } from '../src/store/object-table.ts';
import { variedPod, variedWidget } from './views/fleet.ts';

interface Part extends KubernetesObject {
  spec?: { nodeName?: string; containers?: { image?: string }[]; backends?: { image?: string }[] };
  status?: { phase?: string };
}

const COUNT = Number(process.argv[2] ?? 20_000);
const ROUNDS = 5;
/** As many as are updated after the first fill. */
const UPDATES = 20_000;
const sink = { count: 0 };

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

const podResource = defineResource<Part>({ version: 'v1', plural: 'pods', kind: 'Pod' });
const widgetResource = defineResource<Part>({ group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget' });

const podFrame = (number: number, version?: number) =>
  frame('MODIFIED', envelope('Pod', 'v1', encodeMessage(core('Pod'), variedPod(number, 1, version))));
const widgetFrame = (number: number) =>
  Buffer.from(`{"type":"ADDED","object":${JSON.stringify(variedWidget(number))}}\n`);

const PROTOBUF = 'application/vnd.kubernetes.protobuf;stream=watch';
const JSON_TYPE = 'application/json;stream=watch';

async function fill(codec: Codec<Part>, table: ObjectTable<Part>, frames: readonly Buffer[], type: string) {
  for (let from = 0; from < frames.length; from += 500) {
    for await (const batch of codec.readWatch(chunksOf(Buffer.concat(frames.slice(from, from + 500))), type)) {
      for (const each of batch) {
        if (each.type !== 'ADDED' && each.type !== 'MODIFIED') throw new Error(`a frame is ${each.type}`);
        table.put(each.object);
      }
    }
  }
}

/** Microseconds of the processor for each. */
function micros(times: number, run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / times);
  }
  return best;
}

function countLeaves(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 0;
  for (const field of Object.values(value)) count += countLeaves(field);
  return count;
}

function report(name: string, value: number, unit: string): void {
  console.log(`${name.padEnd(52)} ${value.toFixed(value < 10 ? 2 : 0).padStart(9)} ${unit}`);
}

function measureReads(what: string, table: ObjectTable<Part>): void {
  const indexer = new Indexer<Part>({ table });
  const objects = table.values();
  const keys = indexer.listKeys();
  const each = (name: string, read: (cached: Cached<Part>) => void) => {
    const cost = micros(objects.length, () => {
      for (const cached of objects) read(cached);
    });
    report(`${what}: ${name}`, cost, 'us');
  };
  each('a view that nobody reads', (cached) => {
    sink.count += cached.view() === undefined ? 1 : 0;
  });
  each('metadata.name', (cached) => {
    sink.count += cached.view().metadata.name.length;
  });
  each('status.phase and spec.nodeName', (cached) => {
    const { spec, status } = cached.view();
    sink.count += (spec?.nodeName?.length ?? 0) + (status?.phase?.length ?? 0);
  });
  each('image of the first container', (cached) => {
    const { spec } = cached.view();
    sink.count += ((spec?.containers ?? spec?.backends)?.[0]?.image ?? '').length;
  });
  const everything = micros(objects.length, () => {
    for (const cached of objects) sink.count += countLeaves(cached.view());
  });
  report(`${what}: everything`, everything, 'us');
  const get = micros(keys.length, () => {
    for (const key of keys) sink.count += indexer.getByKey(key)?.metadata.name.length ?? 0;
  });
  report(`${what}: get and metadata`, get, 'us');
  const list = micros(1, () => {
    for (const { metadata } of indexer.list()) sink.count += metadata.name.length;
  });
  report(`${what}: list of all with names`, list / 1000, 'ms');
  const project = micros(1, () => {
    for (const [, node] of indexer.project(['metadata.name', 'spec.nodeName', 'status.phase'])) {
      sink.count += String(node).length;
    }
  });
  report(`${what}: project of three columns`, project / 1000, 'ms');
}

function heapUsed(): number {
  for (let i = 0; i < 4; i++) collectGarbage();
  return process.memoryUsage().heapUsed;
}

async function measurePods(): Promise<void> {
  const frames = Array.from({ length: COUNT }, (_, number) => podFrame(number));
  const updates = Array.from({ length: UPDATES }, (_, i) => podFrame((i * 7919 + (i >> 3)) % COUNT, 2_000_000_000 + i));
  const packed = resourceCodec({ resource: podResource });
  const before = heapUsed();
  const table = new ObjectTable<Part>({ namespace: 'metadata.namespace' });
  const fillStart = process.cpuUsage();
  await fill(packed, table, frames, PROTOBUF);
  const filled = process.cpuUsage(fillStart);
  report('pods: decode and store', (filled.user + filled.system) / COUNT, 'us');
  report('pods: heap after the fill', (heapUsed() - before) / COUNT, 'B');
  const updateStart = process.cpuUsage();
  await fill(packed, table, updates, PROTOBUF);
  const updated = process.cpuUsage(updateStart);
  report('pods: decode and store an update', (updated.user + updated.system) / UPDATES, 'us');
  report('pods: heap after updates', (heapUsed() - before) / COUNT, 'B');
  const { heldBytes = 0, liveBytes = 1 } = packed.memory ?? {};
  report('pods: live bytes', liveBytes / COUNT, 'B');
  report('pods: held bytes for each live one', heldBytes / liveBytes, '');
  measureReads('pods', table);
  report('pods: heap after reads', (heapUsed() - before) / COUNT, 'B');
  // A plain store decodes what arrives: to read everything of what has just come costs that and the reading.
  const plain = resourceCodec({ resource: podResource, store: 'plain' });
  const body = frames.slice(0, 2000);
  const cost = async (codec: Codec<Part>) => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round++) {
      const fresh = new ObjectTable<Part>();
      const start = process.cpuUsage();
      await fill(codec, fresh, body, PROTOBUF);
      for (const cached of fresh.values()) sink.count += countLeaves(cached.view());
      const { user, system } = process.cpuUsage(start);
      best = Math.min(best, (user + system) / body.length);
    }
    return best;
  };
  const [packedCost, plainCost] = [await cost(resourceCodec({ resource: podResource })), await cost(plain)];
  report('pods: arrive and are read whole, packed', packedCost, 'us');
  report('pods: arrive and are read whole, plain', plainCost, 'us');
  report('pods: packed in plain', packedCost / plainCost, '');
}

async function measureWidgets(): Promise<void> {
  const frames = Array.from({ length: COUNT }, (_, number) => widgetFrame(number));
  const codec = resourceCodec({ resource: widgetResource });
  const before = heapUsed();
  const table = new ObjectTable<Part>({ namespace: 'metadata.namespace' });
  const start = process.cpuUsage();
  await fill(codec, table, frames, JSON_TYPE);
  const { user, system } = process.cpuUsage(start);
  report('custom resources: decode and store', (user + system) / COUNT, 'us');
  report('custom resources: heap after the fill', (heapUsed() - before) / COUNT, 'B');
  report('custom resources: held bytes', (codec.memory?.heldBytes ?? 0) / COUNT, 'B');
  measureReads('custom resources', table);
}

/** The ways to give an object five fields of its own that are read later. */
function measureWays(): void {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const accessor = (name: string): PropertyDescriptor => ({
    get: () => name,
    set() {},
    enumerable: true,
    configurable: true,
  });
  const accessors = names.map(accessor);
  const all = Object.fromEntries(names.map((name, i) => [name, accessors[i] as PropertyDescriptor]));
  const ways: Record<string, (i: number) => object> = {
    'shared accessors': () => {
      const view = {};
      for (let i = 0; i < names.length; i++) {
        Object.defineProperty(view, names[i] as string, accessors[i] as PropertyDescriptor);
      }
      return view;
    },
    'Object.defineProperties': () => Object.defineProperties({}, all),
    'a literal with getters': (i) => ({
      get a() {
        return i;
      },
      get b() {
        return i;
      },
      get c() {
        return i;
      },
      get d() {
        return i;
      },
      get e() {
        return i;
      },
    }),
    'a Proxy': () => new Proxy({}, {}),
  };
  for (const [name, make] of Object.entries(ways)) {
    const cost = micros(100_000, () => {
      for (let i = 0; i < 100_000; i++) sink.count += make(i) === undefined ? 1 : 0;
    });
    report(`five lazy fields: ${name}`, cost * 1000, 'ns');
  }
}

measureWays();
await measurePods();
await measureWidgets();
if (sink.count === 0) throw new Error('nothing was read');
