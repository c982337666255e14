import { TidewatchError } from '../../api/tidewatch-error.ts';
import type { OutputSink } from './pod-options.ts';

/** Where one stream of a program's output goes: to the sink that was given, or into memory. */
export class Output {
  readonly #sink: OutputSink | undefined;
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(sink: OutputSink | undefined, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  /** Resolves when the sink is ready for more; rejects with what it throws. */
  async write(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return;
    const sink = this.#sink;
    if (typeof sink === 'function') {
      await sink(chunk);
    } else if (sink !== undefined) {
      await new Promise<void>((resolve, reject) => {
        sink.write(chunk, (error?: Error | null) => (error ? reject(error) : resolve()));
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
