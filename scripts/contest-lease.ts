/**
 * An elector of client-go and ours contend for one Lease on a real server, in 200 hand-overs (or as many as are given), and prints what the
 * server carried out. About forty minutes; docs/leader-election.md has the last result.
 *
 *     tsx scripts/build-control-plane.ts && tsx scripts/contest-lease.ts [hand-overs] [embedded]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '../src/observe/logger.ts';
import { ApiServer } from '../src/testing/api-server.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';
import { type Blow, contest } from '../tools/lease-contest/contest.ts';

const handOvers = Number(process.argv[2] ?? 200);
const isEmbedded = process.argv[3] === 'embedded';
/** Two of ten are kills, two are pauses. */
const ROUNDS: readonly Blow[] = ['stop', 'pause', 'kill', 'stop', 'stop', 'stop', 'kill', 'pause', 'stop', 'stop'];
const blows = Array.from({ length: handOvers / 2 }, (_, round) => ROUNDS[round % ROUNDS.length] ?? 'stop');

const folder = mkdtempSync(join(tmpdir(), 'tidewatch-contest-'));
const goProgram = join(folder, 'client-go-elector');
const cwd = fileURLToPath(new URL('../tools/client-go-elector', import.meta.url));
execFileSync('go', ['build', '-o', goProgram, '.'], { cwd, stdio: 'inherit' });
await using server = isEmbedded ? await ApiServer.start({ logger: silentLogger }) : await ControlPlane.start();
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, server.kubeconfig(), { mode: 0o600 });
const startedMs = performance.now();
try {
  const onRound = (round: number, blow: Blow) => console.log(`round ${round + 1} of ${blows.length}: ${blow}`);
  const result = await contest({ kubeconfig, namespace: 'default', goProgram, blows, onRound });
  const count = (kind: Blow) => blows.filter((blow) => blow === kind).length;
  console.log(
    `${isEmbedded ? 'embedded' : 'real'} server, ${Math.round((performance.now() - startedMs) / 60_000)} minutes`,
  );
  console.log(`${count('stop')} stops, ${count('kill')} kills, ${count('pause')} pauses of 20 s`);
  console.log(`${result.handOvers} hand-overs, ${result.writes} writes of ours`);
  console.log(`${result.whileOtherLed.length} while the Lease named client-go ${result.whileOtherLed.join(' ')}`);
  console.log(`${result.whileNobodyLed.length} while the Lease named nobody`);
  process.exitCode = result.whileOtherLed.length > 0 || result.handOvers < handOvers ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
