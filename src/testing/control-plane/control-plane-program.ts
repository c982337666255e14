import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Clock } from '../../observe/clock.ts';
import { ControlPlaneError } from './control-plane-error.ts';
import type { OrphanGuard } from './orphan-guard.ts';

export interface ProgramOptions {
  /** What errors call it. */
  name: string;
  path: string;
  args: readonly string[];
  /** Appended to, over all runs. A file and not a pipe, so that a busy or blocked parent never holds the program up. */
  logFile: string;
  guard: OrphanGuard;
  clock: Clock;
}

const PORT_TAKEN = /address already in use/;

/** One program of the control plane, which can be started again after it has ended. It never keeps this process alive. */
export class Program {
  readonly name: string;
  readonly #options: ProgramOptions;
  /** Undefined before the first start and after each end. */
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #spawnError: Error | undefined;
  #paused = false;

  constructor(options: ProgramOptions) {
    this.name = options.name;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  get paused(): boolean {
    return this.#paused;
  }

  start(): void {
    if (this.#child) throw new ControlPlaneError('state', `${this.name} is running already.`);
    const { path, args, logFile, guard } = this.#options;
    const log = openSync(logFile, 'a', 0o600);
    // Detached: Ctrl-C in a terminal is the parent's to act on, and reaches the programs through its `stop`.
    const child = spawn(path, args, { detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    child.unref();
    this.#child = child;
    this.#spawnError = undefined;
    this.#ended = new Promise((resolve) => {
      const onEnd = (error?: Error) => {
        if (this.#child !== child) return;
        this.#child = undefined;
        this.#paused = false;
        this.#spawnError = error;
        if (child.pid !== undefined) guard.drop(child.pid);
        resolve();
      };
      child.once('exit', () => onEnd());
      child.once('error', (error) => onEnd(error));
    });
    if (child.pid !== undefined) guard.add(child.pid);
  }

  /** SIGSTOP: sockets stay open and nobody answers, as on a hung machine. */
  pause(): void {
    this.#running('pause').kill('SIGSTOP');
    this.#paused = true;
  }

  resume(): void {
    this.#running('resume').kill('SIGCONT');
    this.#paused = false;
  }

  /** SIGKILL; resolves when the process is gone, at once when it was not running. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM, and SIGKILL when it has not ended after `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    if (!this.#child) return;
    // A stopped process would keep the SIGTERM for later.
    if (this.#paused) this.resume();
    const timer = this.#options.clock.setTimeout(() => this.#child?.kill('SIGKILL'), graceMs);
    await this.#end('SIGTERM');
    timer.clear();
  }

  log(): string {
    try {
      return readFileSync(this.#options.logFile, 'utf8');
    } catch {
      return '';
    }
  }

  /**
   * Asks `ready` every 50 ms until it says yes. Throws when the program ends first, at the deadline, and on abort; what
   * `ready` throws counts as a no.
   */
  async untilReady(ready: () => Promise<boolean>, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    let lastError: unknown;
    for (;;) {
      signal?.throwIfAborted();
      if (!this.#child) throw this.#failure('ended before it was ready', this.#spawnError);
      const answer = await ready().catch((error: unknown) => {
        lastError = error;
        return false;
      });
      if (answer) return;
      if (performance.now() > deadline) throw this.#failure(`was not ready after ${timeoutMs} ms`, lastError);
      await this.#options.clock.sleep(50, signal);
    }
  }

  /** Whether the last run ended because somebody else had its port. */
  get portWasTaken(): boolean {
    return !this.#child && PORT_TAKEN.test(this.#lastLines(20));
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child) return;
    child.ref();
    child.kill(signal);
    await this.#ended;
  }

  #running(verb: string): ChildProcess {
    if (!this.#child) throw new ControlPlaneError('state', `Cannot ${verb} ${this.name}: it is not running.`);
    return this.#child;
  }

  #lastLines(count: number): string {
    return this.log().trimEnd().split('\n').slice(-count).join('\n');
  }

  #failure(what: string, cause: unknown): ControlPlaneError {
    const reason = cause instanceof Error ? ` (${cause.message})` : '';
    const lines = this.#lastLines(15);
    const tail = lines === '' ? 'It has logged nothing.' : `Its last log lines:\n${lines}`;
    return new ControlPlaneError('start', `${this.name} ${what}${reason}. ${tail}`, { cause });
  }
}
