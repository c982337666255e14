import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Cluster } from '../../src/cluster/cluster.ts';
import { leases } from '../../src/generated/api/coordination/v1.ts';
import { configMaps } from '../../src/generated/api/core/v1.ts';
import { ContestHistory, type ContestResult, WRITTEN } from './contest-history.ts';

export const CONTEST_MS = { leaseDurationMs: 5_000, renewDeadlineMs: 3_000, retryPeriodMs: 1_000 };
const GO_IDENTITY = 'client-go';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAUSE_MS = 20_000;
const PATIENCE_MS = 90_000;
const LEASE = 'contested';

/** What becomes of our side while it leads: SIGTERM, SIGKILL, or SIGSTOP for 20 s. */
export type Blow = 'stop' | 'kill' | 'pause';

export interface ContestOptions {
  kubeconfig: string;
  namespace: string;
  /** The program of tools/client-go-elector. */
  goProgram: string;
  /** Each makes two hand-overs: to client-go, and back. */
  blows: readonly Blow[];
  onRound?: (round: number, blow: Blow) => void;
}

/** A program that says in lines what happens to it. */
class Contestant {
  readonly lines: string[] = [];
  /** What it logged, for the message of a failure. */
  readonly log: string[] = [];
  readonly child: ChildProcess;

  constructor(command: string, args: readonly string[]) {
    this.child = spawn(command, args, { cwd: ROOT, stdio: 'pipe' });
    if (this.child.stderr) createInterface({ input: this.child.stderr }).on('line', (line) => this.log.push(line));
    if (this.child.stdout) createInterface({ input: this.child.stdout }).on('line', (line) => this.lines.push(line));
  }

  tell(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }
}

/**
 * An elector of client-go and ours contend for one Lease. While ours leads it writes; the history of the Lease and of what was written says
 * afterwards, by resourceVersion, who held the Lease at each write.
 */
export async function contest(options: ContestOptions): Promise<ContestResult> {
  const { kubeconfig, namespace, goProgram, blows } = options;
  await using cluster = await Cluster.connect({ kubeconfig, fieldManager: 'lease-contest' });
  await cluster.client(configMaps).create({ metadata: { name: WRITTEN, namespace } });
  const history = new ContestHistory();
  const over = new AbortController();
  const following = Promise.all([
    history.follow(cluster.client(leases, { namespace }), over.signal),
    history.follow(cluster.client(configMaps, { namespace }), over.signal),
  ]);
  const place = ['-kubeconfig', kubeconfig, '-namespace', namespace, '-name', LEASE, '-identity', GO_IDENTITY];
  const go = new Contestant(goProgram, place);
  let count = 0;
  const enter = () => {
    const program = fileURLToPath(new URL('candidate.ts', import.meta.url));
    const identity = `tidewatch-${++count}`;
    return new Contestant(process.execPath, ['--import', 'tsx', program, kubeconfig, namespace, LEASE, identity]);
  };
  let ours = enter();
  const oursLeads = () => history.holder === `tidewatch-${count}` && history.writesSince(history.holderSince) > 0;
  const goLeads = () => history.holder === GO_IDENTITY;
  try {
    for (const [round, blow] of blows.entries()) {
      await until('ours leads', oursLeads);
      go.tell('start');
      // So that client-go has seen the Lease in our hands, whatever comes next.
      await sleep(CONTEST_MS.retryPeriodMs * 1.5);
      options.onRound?.(round, blow);
      const struckAt = performance.now();
      if (blow === 'pause') ours.child.kill('SIGUSR2');
      else await ours.end(blow === 'stop' ? 'SIGTERM' : 'SIGKILL');
      await until('client-go leads', goLeads);
      if (blow === 'pause') {
        await sleep(PAUSE_MS - (performance.now() - struckAt));
        ours.child.kill('SIGCONT');
        await until('ours has lost', () => ours.lines.at(-1) === 'lost');
      } else {
        ours = enter();
        await until('ours stands', () => ours.lines.includes('standing'));
      }
      go.tell('stop');
    }
    await until('ours leads at the end', oursLeads);
    await ours.end('SIGTERM');
    await sleep(1_000);
    return history.result(GO_IDENTITY);
  } catch (error) {
    const logs = [...go.log.slice(-20), ...ours.log.slice(-20)].join('\n');
    throw new Error(`the contest failed; its programs said:\n${logs}`, { cause: error });
  } finally {
    ours.child.kill('SIGCONT');
    await Promise.all([ours.end('SIGKILL'), go.end('SIGKILL')]);
    over.abort();
    await following;
  }
}

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let waitedMs = 0; !holds(); waitedMs += 50) {
    if (waitedMs > PATIENCE_MS) throw new Error(`after ${PATIENCE_MS / 1_000} s it still does not hold that ${what}`);
    await sleep(50);
  }
}
