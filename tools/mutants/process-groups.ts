import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { constants } from 'node:os';

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Children that lead process groups of their own, so that they can be killed with all that they have started. They are killed when this
 * process exits, and a signal that ends it makes it exit, also when it came to this process alone.
 */
export class ProcessGroups {
  readonly #leaders = new Set<number>();

  constructor() {
    process.once('exit', () => {
      for (const leader of this.#leaders) kill(leader);
    });
    for (const signal of ENDINGS) process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }

  spawn(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
    const child = spawn(command, args, { ...options, detached: true });
    const { pid } = child;
    if (pid === undefined) return child;
    this.#leaders.add(pid);
    // Its number may be that of another process afterwards.
    child.once('exit', () => this.#leaders.delete(pid));
    return child;
  }

  /** Kills the child and all of its group. */
  kill({ pid }: ChildProcess): void {
    if (pid !== undefined && this.#leaders.has(pid)) kill(pid);
  }
}

function kill(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
