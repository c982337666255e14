import { closeSync, openSync, readSync } from 'node:fs';

/**
 * Milliseconds that the first thread of this process has had a processor, so that other programs on the machine do not count, where
 * the system tells (Linux); else the time of day. Whoever asks from that thread gets its own time.
 */
export class ThreadTime implements Disposable {
  readonly #file = openSchedule();
  readonly #buffer = Buffer.alloc(128);

  now(): number {
    if (this.#file === undefined) return performance.now();
    // Linux adds up what a thread that runs has used when it is asked this, and otherwise a few hundred times a second.
    process.cpuUsage();
    // The first number is the time on a processor, in nanoseconds.
    const length = readSync(this.#file, this.#buffer, 0, this.#buffer.length, 0);
    return Number.parseInt(this.#buffer.toString('latin1', 0, length), 10) / 1e6;
  }

  [Symbol.dispose](): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

function openSchedule(): number | undefined {
  try {
    return openSync('/proc/self/schedstat', 'r');
  } catch {
    return undefined;
  }
}
