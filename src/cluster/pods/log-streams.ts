import type { PodLogLine } from './pod-options.ts';

/** Logs that are further ahead of their reader than this wait for it. */
const READ_AHEAD_LINES = 1_000;

/** Lines of several logs in the order in which they came. Each log waits while its reader is behind. */
export class LogStreams {
  readonly #lines: PodLogLine[] = [];
  readonly #waitingLogs: Array<() => void> = [];
  #waitingReader: (() => void) | undefined;
  #end: { error?: unknown } | undefined;

  /** False when nobody reads any more. */
  async push(line: PodLogLine): Promise<boolean> {
    while (this.#lines.length >= READ_AHEAD_LINES && this.#end === undefined) {
      await new Promise<void>((resolve) => this.#waitingLogs.push(resolve));
    }
    if (this.#end !== undefined) return false;
    this.#lines.push(line);
    this.#wakeReader();
    return true;
  }

  /** No more lines will come; those that are there are still read. */
  end(end: { error?: unknown } = {}): void {
    this.#end ??= end;
    this.#wakeReader();
    for (const wake of this.#waitingLogs.splice(0)) wake();
  }

  async *read(): AsyncGenerator<PodLogLine, void, undefined> {
    try {
      for (;;) {
        const line = this.#lines.shift();
        if (line !== undefined) {
          if (this.#lines.length < READ_AHEAD_LINES) this.#waitingLogs.shift()?.();
          yield line;
        } else if (this.#end !== undefined) {
          if ('error' in this.#end) throw this.#end.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#waitingReader = resolve;
          });
        }
      }
    } finally {
      this.end();
    }
  }

  #wakeReader(): void {
    this.#waitingReader?.();
    this.#waitingReader = undefined;
  }
}
