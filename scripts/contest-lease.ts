/**
 * Electors of client-go and ours contend for four Leases of a real server, until there were 200 hand-overs (or as many as are given), and prints
 * what the server carried out. About ten minutes; a run on the real server writes its result to docs/leader-election.md.
 *
 *     tsx scripts/build-control-plane.ts && tsx scripts/contest-lease.ts [hand-overs] [embedded]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withSection } from '../benchmarks/marked-section.ts';
import { Cluster } from '../src/cluster/cluster.ts';
import { namespaces } from '../src/generated/api/core/v1.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { ApiServer } from '../src/testing/api-server.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { type Blow, contest } from '../tools/lease-contest/contest.ts';
import type { ContestResult } from '../tools/lease-contest/contest-history.ts';

const LEASES = 4;
const handOvers = Number(process.argv[2] ?? 200);
const isEmbedded = process.argv[3] === 'embedded';
/** Two of ten are kills, two are pauses. */
const ROUNDS: readonly Blow[] = ['stop', 'pause', 'kill', 'stop', 'stop', 'stop', 'kill', 'pause', 'stop', 'stop'];
const rounds = Math.ceil(handOvers / 2 / LEASES);
const blows = Array.from({ length: rounds }, (_, round) => ROUNDS[round % ROUNDS.length] ?? 'stop');

const folder = mkdtempSync(join(tmpdir(), 'tidewatch-contest-'));
const goProgram = join(folder, 'client-go-elector');
const cwd = fileURLToPath(new URL('../tools/client-go-elector', import.meta.url));
execFileSync('go', ['build', '-o', goProgram, '.'], { cwd, stdio: 'inherit' });
await using server = isEmbedded ? await ApiServer.start({ logger: silentLogger }) : await ControlPlane.start();
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
const startedMs = performance.now();
try {
  const contestIn = async (namespace: string): Promise<ContestResult> => {
    await using cluster = await Cluster.connect({ kubeconfig });
    await cluster.client(namespaces).create({ metadata: { name: namespace } });
    const onRound = (round: number, blow: Blow) =>
      console.log(`${namespace}: round ${round + 1} of ${rounds}, ${blow}`);
    return contest({ kubeconfig, namespace, goProgram, blows, onRound });
  };
  const results = await Promise.all(Array.from({ length: LEASES }, (_, index) => contestIn(`contest-${index + 1}`)));
  const sum = (of: (result: ContestResult) => number) => results.reduce((total, result) => total + of(result), 0);
  const count = (kind: Blow) => LEASES * blows.filter((blow) => blow === kind).length;
  console.log(
    `${isEmbedded ? 'embedded' : 'real'} server, ${Math.round((performance.now() - startedMs) / 60_000)} minutes`,
  );
  console.log(`${count('stop')} stops, ${count('kill')} kills, ${count('pause')} pauses of 20 s`);
  console.log(`${sum((result) => result.handOvers)} hand-overs, ${sum((result) => result.writes)} writes of ours`);
  const breaches = sum(({ whileOtherLed }) => whileOtherLed.length);
  console.log(`${breaches} while the Lease named client-go`);
  console.log(`${sum(({ whileNobodyLed }) => whileNobodyLed.length)} while the Lease named nobody`);
  if (!isEmbedded) {
    const page = fileURLToPath(new URL('../docs/leader-election.md', import.meta.url));
    const figures = [
      sum((result) => result.handOvers),
      `${count('stop')}, ${count('kill')}, ${count('pause')}`,
      sum((result) => result.writes).toLocaleString('en-US'),
      breaches,
    ];
    const table = [
      '| hand-overs | stops, kills, pauses of ours | writes of ours | of them while the Lease named client-go |',
      '| --- | --- | --- | --- |',
      `| ${figures.join(' | ')} |`,
    ].join('\n');
    writeFileSync(page, withSection(readFileSync(page, 'utf8'), 'contest', table));
  }
  process.exitCode = breaches > 0 || sum((result) => result.handOvers) < handOvers ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
