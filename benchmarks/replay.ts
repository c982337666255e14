import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** resourceVersion of the first pod that the server sends. */
const FIRST_VERSION = 1_000_000_000;

/** The running replay server. */
export class Replay implements AsyncDisposable {
  readonly pods: number;
  readonly url: string;
  readonly #process: ChildProcess;

  private constructor(pods: number, url: string, process: ChildProcess) {
    this.pods = pods;
    this.url = url;
    this.#process = process;
  }

  static async start(binary: string, pods: number): Promise<Replay> {
    const child = spawn(binary, ['-pods', String(pods)], { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const port of createInterface({ input: child.stdout })) {
      return new Replay(pods, `http://127.0.0.1:${port}`, child);
    }
    throw new Error('the replay server ended before it had a port');
  }

  get alive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** The version of the last of this many events. */
  lastVersion(events: number): string {
    return String(FIRST_VERSION + this.pods - 1 + events);
  }

  /** Sends events to the watch that is open, or about to be. */
  async sendEvents(count: number): Promise<void> {
    const response = await fetch(`${this.url}/control/events?count=${count}`, { method: 'POST' });
    if (!response.ok) throw new Error(`the replay server sends no events: ${await response.text()}`);
  }

  /** How many lists and watches were answered in an encoding so far. */
  async served(encoding: string): Promise<number> {
    const response = await fetch(`${this.url}/control/served`);
    const counts = (await response.json()) as Record<string, number>;
    return counts[encoding] ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.alive) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill();
    await exited;
  }
}
