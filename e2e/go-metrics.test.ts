import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Cluster } from '../src/cluster/cluster.ts';
import { Manager } from '../src/controller/manager.ts';
import { configMaps } from '../src/generated/api/core/v1.ts';
import { prometheusMetrics } from '../src/metrics/prometheus-metrics.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { ApiServer } from '../src/testing/api-server.ts';
import { DIFFERENCES, type DifferenceKind, isOf } from '../tools/go-metrics/differences.ts';
import { type Family, familiesOf } from '../tools/go-metrics/families.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidewatch-go-metrics-'));
const PATIENCE = { timeout: 60_000, interval: 200 };
/** What the Go programs have beside these is about Go, and not about Kubernetes. */
const NAMES = /^(workqueue|controller_runtime|leader_election|rest_client|informer)_/;

/** Of its own cache it needs half a minute of CPU the first time. */
beforeAll(() => {
  const cwd = fileURLToPath(new URL('../tools/go-metrics', import.meta.url));
  execFileSync('go', ['build', '-o', `${folder}/`, './...'], { cwd, stdio: 'inherit' });
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program of tools/go-metrics. It has printed where it can be scraped. */
async function start(name: string, kubeconfig: string): Promise<{ address: string; program: ChildProcess }> {
  const program = spawn(join(folder, name), ['-kubeconfig', kubeconfig], { stdio: ['pipe', 'pipe', 'inherit'] });
  for await (const address of createInterface({ input: program.stdout })) return { address, program };
  throw new Error(`${name} ended before it could be scraped`);
}

async function scraped(address: string): Promise<ReadonlyMap<string, Family>> {
  return familiesOf(await (await fetch(address)).text());
}

it('has the names, types, labels and bounds of Go programs that do the same work on the same server', async () => {
  await using server = await ApiServer.start({ logger: silentLogger });
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
  const admin = server.cluster({ logger: silentLogger });
  for (const name of ['a', 'b', 'c']) await admin.client(configMaps).create({ metadata: { name } });

  const registry = new Registry();
  const metrics = prometheusMetrics({ register: registry });
  await using cluster = await Cluster.connect({ kubeconfig, metrics, logger: silentLogger });
  const manager = new Manager(cluster, {
    namespace: 'default',
    leaderElection: { name: 'tidewatch', namespace: 'default' },
  });
  let runsOfB = 0;
  manager
    .controller('counting')
    .for(configMaps)
    .reconcile(async ({ name }) => {
      if (name === 'b' && ++runsOfB === 1) throw new Error('not yet');
    });
  const stop = new AbortController();
  const goes = [await start('controller', kubeconfig), await start('informer', kubeconfig)] as const;
  const running = manager.run({ signal: stop.signal });
  // Each renews its Lease once by reading it first.
  for (const name of ['tidewatch', 'controller-runtime', 'component-base']) {
    server.faults.add({ verb: 'update', resource: 'leases', name }, { kind: 'status', code: 409 });
  }
  try {
    const [controllerRuntime, componentBase] = goes.map(
      ({ address }) =>
        () =>
          scraped(address),
    );
    const ours = async () => familiesOf(await registry.metrics());
    const all = [ours, controllerRuntime, componentBase] as const;
    await vi.waitFor(async () => {
      for (const families of all) {
        const found = await families?.();
        expect(found?.get('workqueue_retries_total')?.total).toBeGreaterThanOrEqual(1);
        expect(found?.get('leader_election_master_status')?.total).toBe(1);
        // controller-runtime does not register it.
        if (families !== controllerRuntime) expect(found?.get('leader_election_slowpath_total')?.total).toBe(1);
      }
    }, PATIENCE);
    const own = await ours();
    for (const [registryName, families] of [
      ['controller-runtime', await controllerRuntime?.()],
      ['component-base', await componentBase?.()],
    ] as const) {
      const found = compared(own, families ?? new Map());
      const known = DIFFERENCES.filter(({ registry: of }) => of === registryName);
      const unknown = found.filter(
        ([name, kind]) => !known.some((difference) => difference.kind === kind && isOf(difference, name)),
      );
      expect(unknown, registryName).toEqual([]);
      const outdated = known.filter(
        (difference) => !found.some(([name, kind]) => difference.kind === kind && isOf(difference, name)),
      );
      expect(outdated, registryName).toEqual([]);
      // And there is something to compare.
      expect([...(families?.keys() ?? [])].filter((name) => own.has(name)).length).toBeGreaterThan(10);
    }
  } finally {
    for (const { program } of goes) {
      const exited = once(program, 'exit');
      program.stdin?.end();
      await exited;
    }
    stop.abort();
    await running;
  }
});

/** What differs, by metric; those that one of the two has alone, too. */
function compared(
  ours: ReadonlyMap<string, Family>,
  theirs: ReadonlyMap<string, Family>,
): [name: string, kind: DifferenceKind, detail: string][] {
  const names = [...new Set([...ours.keys(), ...theirs.keys()])].filter((name) => NAMES.test(name));
  const found: [string, DifferenceKind, string][] = [];
  for (const name of names) {
    const [own, other] = [ours.get(name), theirs.get(name)];
    const kind = differenceOf(own, other);
    if (kind !== undefined) found.push([name, kind, `${shape(own)} here, ${shape(other)} there`]);
  }
  return found;
}

function differenceOf(own: Family | undefined, other: Family | undefined): DifferenceKind | undefined {
  if (own === undefined) return 'only in Go';
  if (other === undefined) return 'only here';
  if (own.type !== other.type) return 'type';
  const hasOtherLabels = [...own.labels].sort().join() !== [...other.labels].sort().join();
  if (own.bounds.join() === other.bounds.join()) return hasOtherLabels ? 'labels' : undefined;
  return hasOtherLabels ? 'labels and bounds' : 'bounds';
}

function shape(family: Family | undefined): string {
  return family === undefined ? 'nothing' : `${family.type} {${[...family.labels]}} ${family.bounds}`;
}
