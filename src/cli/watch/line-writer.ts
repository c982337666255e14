import type { OutputStream } from '../cli-io.ts';

/**
 * Writes lines at the pace of their reader: `write` resolves when there is room again, so that a handler that awaits it
 * does not pile up what a slow pipe has not taken.
 */
export class LineWriter {
  readonly #output: OutputStream;
  readonly #signal: AbortSignal;

  constructor(output: OutputStream, signal: AbortSignal) {
    this.#output = output;
    this.#signal = signal;
  }

  /** Undefined when there is room already: a handler then goes on without a turn of the event loop. */
  write(text: string): Promise<void> | undefined {
    if (this.#signal.aborted || this.#output.write(text)) return undefined;
    return new Promise((resolve) => {
      const done = () => {
        this.#output.off('drain', done);
        this.#signal.removeEventListener('abort', done);
        resolve();
      };
      this.#output.on('drain', done);
      this.#signal.addEventListener('abort', done, { once: true });
    });
  }
}
