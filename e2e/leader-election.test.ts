import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Cluster } from '../src/cluster/cluster.ts';
import { LeaderElector } from '../src/controller/leader-elector.ts';
import { leases } from '../src/generated/api/coordination/v1.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { ApiServer } from '../src/testing/api-server.ts';
import { type Blow, CONTEST_MS, contest } from '../tools/lease-contest/contest.ts';
import { makeNamespace, sharedControlPlane } from './shared-control-plane-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidewatch-election-'));
const goProgram = join(folder, 'client-go-elector');
const PATIENCE = { timeout: 60_000, interval: 100 };
/** Twenty hand-overs: each is one to client-go, and one back. */
const blows: readonly Blow[] = ['stop', 'pause', 'kill', 'stop', 'stop', 'stop', 'kill', 'pause', 'stop', 'stop'];

beforeAll(() => {
  const cwd = fileURLToPath(new URL('../tools/client-go-elector', import.meta.url));
  execFileSync('go', ['build', '-o', goProgram, '.'], { cwd, stdio: 'inherit' });
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Both at once: most of the time is waiting for Leases to expire. About two minutes.
describe.concurrent('an elector of client-go and ours, in 20 hand-overs by stops, kills and pauses of ours', () => {
  const timeout = 600_000;

  it('share one Lease of the embedded server, and ours never writes while client-go leads', { timeout }, async () => {
    await using server = await ApiServer.start({ logger: silentLogger });
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
    const result = await contest({ kubeconfig, namespace: 'default', goProgram, blows });
    expect(result.whileOtherLed).toEqual([]);
    expect(result.handOvers).toBeGreaterThanOrEqual(20);
    expect(result.writes).toBeGreaterThan(20);
  });

  it('share one Lease of a real server, and ours never writes while client-go leads', { timeout }, async () => {
    const kubeconfig = sharedControlPlane().kubeconfigFile;
    const namespace = await makeNamespace('election');
    const result = await contest({ kubeconfig, namespace, goProgram, blows });
    expect(result.whileOtherLed).toEqual([]);
    expect(result.handOvers).toBeGreaterThanOrEqual(20);
    expect(result.writes).toBeGreaterThan(20);
  });

  it('ours stops leading a Lease of a real server that was deleted or changed, and not for a label', {
    timeout,
  }, async () => {
    const namespace = await makeNamespace('election');
    const kubeconfig = sharedControlPlane().kubeconfigFile;
    await using cluster = await Cluster.connect({ kubeconfig, fieldManager: 'test' });
    const client = cluster.client(leases, { namespace });
    const lines: string[] = [];
    const warn = (line: string) => void lines.push(line);
    const logger = { ...silentLogger, warn, error: warn };
    const elector = new LeaderElector(cluster, { name: 'ours', namespace, identity: 'us', logger, ...CONTEST_MS });
    const stop = new AbortController();
    const running = elector.run({ signal: stop.signal, onStartedLeading: () => {} });
    const renewTime = async () => (await client.get('ours')).spec?.renewTime;
    const renewed = async () => {
      const before = await renewTime();
      await vi.waitUntil(async () => (await renewTime()) !== before, PATIENCE);
    };
    await vi.waitUntil(() => elector.isLeader(), PATIENCE);
    await client.patch('ours', { metadata: { labels: { team: 'web' } } });
    await renewed();
    await renewed();
    expect(lines).toEqual([]);
    await client.delete('ours');
    await vi.waitUntil(() => lines.length === 1, PATIENCE);
    expect(lines[0]).toContain('it was deleted.');
    await vi.waitUntil(() => elector.isLeader(), PATIENCE);
    await client.patch('ours', { spec: { renewTime: '2026-01-01T00:00:00.000000Z' } });
    await vi.waitUntil(() => lines.length > 1, PATIENCE);
    expect(lines[1]).toContain('another process has changed it (renewTime was');
    stop.abort();
    await running;
  });
});
