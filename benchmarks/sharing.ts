/**
 * What `store: 'shared'` saves beside `packed`, and what it costs: `npx tsx benchmarks/sharing.ts [pods]`. Pods of a varied fleet, ten of a
 * workload, go through the codec into a table, without a server, and each is updated once, in another order. The two stores take
 * turns; each time is the best of several rounds, in time of the processor.
 */
import type { KubernetesObject } from '../src/api/metadata.ts';
import { defineResource } from '../src/api/resource.ts';
import type { Codec } from '../src/codec/codec.ts';
import { encodeMessage } from '../src/codec/protobuf/message-encoder-fixture.ts';
import { chunksOf, core, listBody } from '../src/codec/protobuf/protobuf-fixture.ts';
import { resourceCodec } from '../src/codec/resource-codec.ts';
import { Indexer } from '../src/store/indexer.ts';
import { ObjectTable } from '../src/store/object-table.ts';
import { variedPod } from './views/fleet.ts';

interface Pod extends KubernetesObject {
  spec?: { nodeName?: string; containers?: { image?: string }[] };
  status?: { phase?: string };
}

const COUNT = Number(process.argv[2] ?? 5_000);
const ROUNDS = 7;
const STORES = ['packed', 'shared'] as const;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** Has no divisor in common with the number of pods. */
const STRIDE = 7919;

type Store = (typeof STORES)[number];

interface Filled {
  readonly codec: Codec<Pod>;
  readonly table: ObjectTable<Pod>;
}

const resource = defineResource<Pod>({ version: 'v1', plural: 'pods', kind: 'Pod' });
const sink = { count: 0 };

const pod = (number: number, version?: number) => encodeMessage(core('Pod'), variedPod(number, 1, version));
const first = listBody(
  'PodList',
  'v1',
  '1',
  Array.from({ length: COUNT }, (_, number) => pod(number)),
);
const updates = listBody(
  'PodList',
  'v1',
  '2',
  Array.from({ length: COUNT }, (_, i) => pod((i * STRIDE) % COUNT, 2_000_000_000 + i)),
);

async function put({ codec, table }: Filled, body: Buffer): Promise<void> {
  const { items } = await codec.readList(chunksOf(body), PROTOBUF);
  for (const item of items) table.put(item);
}

function empty(store: Store): Filled {
  return { codec: resourceCodec({ resource, store }), table: new ObjectTable<Pod>() };
}

/** For each store, the microseconds for each pod. */
async function race(name: string, run: (store: Store) => Promise<void> | void): Promise<void> {
  const best = { packed: Number.POSITIVE_INFINITY, shared: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    for (const store of STORES) {
      const before = process.cpuUsage();
      await run(store);
      const { user, system } = process.cpuUsage(before);
      best[store] = Math.min(best[store], (user + system) / COUNT);
    }
  }
  report(name, 'µs', best.packed, best.shared);
}

function report(name: string, unit: string, packed: number, shared: number): void {
  const text = (value: number) => value.toFixed(value < 100 ? 1 : 0).padStart(8);
  console.log(
    `${name.padEnd(48)}${text(packed)}${text(shared)} ${unit.padEnd(4)}${(shared / packed).toFixed(2).padStart(7)}`,
  );
}

async function updated(store: Store) {
  const filled = empty(store);
  await put(filled, first);
  await put(filled, updates);
  const { liveBytes = 0, heldBytes = 0 } = filled.codec.memory ?? {};
  return { filled, live: liveBytes / COUNT, held: heldBytes / COUNT };
}

console.log(`${`${COUNT} pods`.padEnd(48)}  packed  shared      shared/packed`);
const packed = await updated('packed');
const shared = await updated('shared');
report('live bytes a pod, after an update of each', 'B', packed.live, shared.live);
report('held bytes a pod', 'B', packed.held, shared.held);
await race('a list arrives and is stored', (store) => put(empty(store), first));
await race('updates arrive and are stored', (store) => put({ packed, shared }[store].filled, updates));

const indexers = {
  packed: new Indexer<Pod>({ table: packed.filled.table }),
  shared: new Indexer<Pod>({ table: shared.filled.table }),
};
const keys = indexers.packed.listKeys();
const reads: Record<string, (indexer: Indexer<Pod>) => void> = {
  'get and metadata': (indexer) => {
    for (const key of keys) sink.count += indexer.getByKey(key)?.metadata.name.length ?? 0;
  },
  'list, names of all': (indexer) => {
    for (const { metadata } of indexer.list()) sink.count += metadata.name.length;
  },
  'list, phase and node of all': (indexer) => {
    for (const { spec, status } of indexer.list()) sink.count += (spec?.nodeName ?? status?.phase ?? '').length;
  },
  'image of the first container': (indexer) => {
    for (const { spec } of indexer.list()) sink.count += spec?.containers?.[0]?.image?.length ?? 0;
  },
  'everything, as JSON': (indexer) => {
    for (const each of indexer.list()) sink.count += JSON.stringify(each).length;
  },
  'project, three columns': (indexer) => {
    sink.count += indexer.project(['metadata.name', 'spec.nodeName', 'status.phase']).length;
  },
};
for (const [name, read] of Object.entries(reads)) await race(name, (store) => read(indexers[store]));
if (sink.count === 0) throw new Error('nothing was read');
