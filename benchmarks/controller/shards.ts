/**
 * Reconciles a second with 1, 2 and 4 replicas that share 2,000 keys. A run waits 20 ms, as one does that asks somebody else, and writes nothing, so that
 * the server has little to do. Writes its result to docs/sharding.md.
 *
 *     npm run bench:shards
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '../../src/observe/logger.ts';
import { ApiServer } from '../../src/testing/api-server.ts';
import { createObjects, ShardReplica, whenOwned } from '../../tools/shards/replicas.ts';
import { withSection } from '../marked-section.ts';

const OBJECTS = 2_000;
const WINDOW_MS = 10_000;
const folder = mkdtempSync(join(tmpdir(), 'tidewatch-shards-'));
await using server = await ApiServer.start({ logger: silentLogger });
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
await using cluster = server.cluster();
await createObjects(cluster, OBJECTS);

async function measure(count: number): Promise<number> {
  const replicas = Array.from(
    { length: count },
    (_, index) => new ShardReplica(kubeconfig, `web-${count}-${index}`, 'spin'),
  );
  try {
    await whenOwned(cluster, replicas, 120_000);
    // What is queued at a hand-over has been run.
    await sleep(3_000);
    const total = () => replicas.reduce((sum, { runs }) => sum + runs, 0);
    const before = total();
    const startedMs = performance.now();
    await sleep(WINDOW_MS);
    return ((total() - before) * 1_000) / (performance.now() - startedMs);
  } finally {
    await Promise.all(replicas.map((replica) => replica.end('SIGTERM')));
  }
}

try {
  const rates = new Map<number, number>();
  for (const count of [1, 2, 4]) {
    rates.set(count, await measure(count));
    console.log(`${count} replicas: ${Math.round(rates.get(count) ?? 0)} reconciles a second`);
  }
  const one = rates.get(1) ?? 0;
  const rows = [...rates].map(
    ([count, rate]) => `| ${count} | ${Math.round(rate).toLocaleString('en-US')} | ${(rate / one).toFixed(2)} |`,
  );
  const table = ['| replicas | reconciles a second | of one |', '| --- | --- | --- |', ...rows].join('\n');
  const machine = `On ${cpus().length} cores, Node ${process.versions.node}.`;
  const page = fileURLToPath(new URL('../../docs/sharding.md', import.meta.url));
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), 'shards', `${table}\n\n${machine}`));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
