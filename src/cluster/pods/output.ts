import { TidewatchError } from '../../api/tidewatch-error.ts';
import type { OutputSink } from './pod-options.ts';

/** Where one stream of a program's output goes: to the sink that was given, or into memory. */
export class Output {
  readonly #sink: OutputSink | undefined;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #failure: Error | undefined;
  /** A stream that fails says so to its listeners, too, and would end the process if there were none. */
  readonly #onError = (error: Error) => {
    this.#failure ??= error;
  };

  constructor(sink: OutputSink | undefined, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
    if (typeof sink === 'object') sink.on('error', this.#onError);
  }

  /** Nothing more will be written. A stream that has failed may yet have to say so. */
  end(): void {
    if (typeof this.#sink === 'object' && this.#failure === undefined) this.#sink.off('error', this.#onError);
  }

  /** Resolves when the sink is ready for more; rejects with what it throws. */
  async write(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return;
    if (this.#failure !== undefined) throw this.#failure;
    const sink = this.#sink;
    if (typeof sink === 'function') {
      await sink(chunk);
    } else if (sink !== undefined) {
      await new Promise<void>((resolve, reject) => {
        sink.write(chunk, (error?: Error | null) => {
          if (error) this.#onError(error);
          error ? reject(error) : resolve();
        });
      });
    } else {
      this.#bytes += chunk.length;
      if (this.#bytes > this.#maxBytes) {
        const said = `the program has written more than the ${this.#maxBytes} bytes that are collected`;
        throw new TidewatchError('tooLarge', `${said}: give it a sink (stdout, stderr), or raise maxOutputBytes`);
      }
      this.#chunks.push(chunk);
    }
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
