import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import type { Scene } from './scene.ts';

/** resourceVersion of the first object that the server sends. */
const FIRST_VERSION = 1_000_000_000;
/** How long the watches of a program that has ended may stay open. */
const LEAVING_MS = 60_000;

/** The running replay server. */
export class Replay implements AsyncDisposable {
  readonly scene: Scene;
  /** What a client needs to find it. */
  readonly clientArgs: readonly string[];
  readonly #control: string;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(scene: Scene, ports: Ports, process: ChildProcess, folder: string) {
    this.scene = scene;
    this.#control = `http://127.0.0.1:${ports.http}/control`;
    this.clientArgs = scene.tls
      ? ['--server', `https://127.0.0.1:${ports.https}`, '--ca', caIn(folder)]
      : ['--server', `http://127.0.0.1:${ports.http}`];
    this.#process = process;
    this.#folder = folder;
  }

  /** Resolves when everything is ready to be sent. */
  static async start(binary: string, scene: Scene, encodings: ReadonlySet<string>): Promise<Replay> {
    const folder = mkdtempSync(join(tmpdir(), 'tidewatch-replay-'));
    const args = ['-kind', scene.kind, '-objects', String(scene.objects), '-encodings', [...encodings].join(',')];
    const child = spawn(binary, [...args, '-ca', caIn(folder)], { stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const ports of createInterface({ input: child.stdout })) {
      return new Replay(scene, JSON.parse(ports) as Ports, child, folder);
    }
    rmSync(folder, { recursive: true, force: true });
    throw new Error('the replay server ended before it had a port');
  }

  get alive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** The version of the last of this many events. */
  lastVersion(events: number): string {
    return String(FIRST_VERSION + this.scene.objects - 1 + events);
  }

  /** Resolves when no watch is open: one that a program has left behind would be taken for that of the next. Throws when one stays. */
  async deserted(): Promise<void> {
    const endMs = Date.now() + LEAVING_MS;
    while ((await (await fetch(`${this.#control}/watches`)).text()) !== '0') {
      if (Date.now() > endMs) throw new Error('a watch of the program before is still open');
      await setTimeout(20);
    }
  }

  /** Sends events to the watch that is open, or about to be. */
  async sendEvents(count: number): Promise<void> {
    const response = await fetch(`${this.#control}/events?count=${count}`, { method: 'POST' });
    if (!response.ok) throw new Error(`the replay server sends no events: ${await response.text()}`);
  }

  /** Sends a bookmark to each watch of a namespace; returns how many there are. */
  async sendBookmark(version: number): Promise<number> {
    const response = await fetch(`${this.#control}/bookmark?version=${version}`, { method: 'POST' });
    if (!response.ok) throw new Error(`the replay server sends no bookmarks: ${await response.text()}`);
    return Number(await response.text());
  }

  /** How many bytes of lists and watches it has sent so far. */
  async sentBytes(): Promise<number> {
    return Number(await (await fetch(`${this.#control}/sent`)).text());
  }

  /** How many lists and watches were answered in an encoding so far. */
  async served(encoding: string): Promise<number> {
    const response = await fetch(`${this.#control}/served`);
    const counts = (await response.json()) as Record<string, number>;
    return counts[encoding] ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    if (!this.alive) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill();
    await exited;
  }
}

interface Ports {
  readonly http: number;
  readonly https: number;
}

function caIn(folder: string): string {
  return join(folder, 'ca.pem');
}
