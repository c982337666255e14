/**
 * What runs of a controller leave behind: the heap after 100,000 runs and after 1,000,000, which must be the same. Each run reads its
 * cache and listens on its signal, and one in a thousand writes.
 *
 *   node --expose-gc --import tsx benchmarks/controller/heap.ts [--runs 1000000]
 */
import { parseArgs } from 'node:util';
import { silentLogger } from 'tidewatch';
import { configMaps } from 'tidewatch/api/core/v1';
import { Manager } from 'tidewatch/controller';
import { ApiServer } from 'tidewatch/testing';

const KEYS = 100;
/** Noise of the collector; a listener that leaks costs a hundred times as much. */
const ALLOWED_BYTES_A_RUN = 8;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '1000000' } } });
const last = Number(values.runs);
const first = last / 10;
const { gc } = globalThis;
if (!gc) throw new Error('run it with --expose-gc');

await using server = await ApiServer.start({ listen: false, logger: silentLogger });
await using cluster = server.cluster({ logger: silentLogger });
for (let n = 0; n < KEYS; n++) await cluster.client(configMaps).create({ metadata: { name: `c-${n}` } });

const stop = new AbortController();
const heaps: number[] = [];
let runs = 0;
const measure = () => {
  gc();
  heaps.push(process.memoryUsage().heapUsed);
};
const manager = new Manager(cluster, { namespace: 'default' });
manager
  .controller('heap')
  .for(configMaps)
  .reconcile(
    async ({ name, signal, client, lister }) => {
      signal.addEventListener('abort', () => {});
      lister(configMaps).get(name);
      runs++;
      if (runs % 1_000 === 0) await client(configMaps).patch(name, { data: { runs: String(runs) } });
      if (runs === first || runs === last) measure();
      if (runs === last) stop.abort();
      return { requeueAfterMs: 0 };
    },
    { concurrency: 4, timeoutMs: 60_000 },
  );
const startMs = performance.now();
await manager.run({ signal: stop.signal });

const [before = 0, after = 0] = heaps;
const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MB`;
console.log(`${first} runs: ${megabytes(before)}; ${last} runs: ${megabytes(after)} of heap`);
console.log(`${Math.round((1_000 * runs) / (performance.now() - startMs))} runs a second`);
if (after - before > ALLOWED_BYTES_A_RUN * (last - first)) {
  console.error(`${Math.round((after - before) / (last - first))} bytes are left by each run.`);
  process.exitCode = 1;
}
