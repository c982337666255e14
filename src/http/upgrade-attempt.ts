import type { Socket } from 'node:net';
import type { RequestClock, UpgradeResponse } from '../api/transport.ts';
import { onAbort } from '../observe/interruption.ts';
import { StallLimit } from '../observe/stall-limit.ts';
import type { EncodedRequest } from './http1/http1-request.ts';
import { requestUpgrade } from './http1/http1-upgrade.ts';
import type { Connector } from './socket/connector.ts';

export interface UpgradeAttemptOptions {
  connector: Connector;
  request: EncodedRequest;
  signal: AbortSignal | undefined;
  /** For the answer, once the connection stands. */
  limit: { clock: RequestClock; ms: number };
  timeoutError(limitMs: number): Error;
  /** Once, when the connection is gone or was refused. */
  onClosed(): void;
}

/** One connection that is to leave HTTP: from its opening to its end. The signal ends it at any time, with its reason. */
export class UpgradeAttempt {
  readonly #options: UpgradeAttemptOptions;
  readonly #opening = new AbortController();
  #socket: Socket | undefined;
  #forgetSignal: () => void = () => {};

  constructor(options: UpgradeAttemptOptions) {
    this.#options = options;
  }

  async response(): Promise<UpgradeResponse> {
    const { connector, request, signal, limit, timeoutError } = this.#options;
    this.#forgetSignal = onAbort(signal, () => this.destroy(signal?.reason));
    const stall = new StallLimit(limit.clock, () => this.destroy(timeoutError(limit.ms)));
    try {
      this.#opening.signal.throwIfAborted();
      this.#socket = await connector.connect(this.#opening.signal);
      stall.wait(limit.ms);
      const { status, headers, body } = await requestUpgrade(this.#socket, request);
      if (status === 101) {
        this.#socket.once('close', () => this.#end());
        return { status, headers, body: chunksOf(body), connection: this.#socket };
      }
      this.#socket.destroy();
      this.#end();
      return { status, headers, body: chunksOf(body) };
    } catch (error) {
      this.#socket?.destroy();
      this.#end();
      throw this.#opening.signal.aborted ? this.#opening.signal.reason : error;
    } finally {
      stall.stop();
    }
  }

  destroy(reason: unknown): void {
    this.#opening.abort(reason);
    // A stream takes nothing but an Error.
    this.#socket?.destroy(reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError'));
  }

  #end(): void {
    this.#forgetSignal();
    this.#options.onClosed();
  }
}

async function* chunksOf(body: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  if (body.length > 0) yield body;
}
