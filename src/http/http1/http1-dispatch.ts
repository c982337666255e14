import type { SocketPool } from '../socket/socket-pool.ts';
import type { Http1Connection, ResponseReceiver } from './http1-connection.ts';
import { ConnectionClosedError } from './http1-error.ts';
import type { EncodedRequest } from './http1-request.ts';
import type { ResponseSink } from './http1-response-parser.ts';

/** Hears of the response to one request; last of all of its end or of its failure, and of nothing once the request was aborted. */
export interface DispatchReceiver extends ResponseSink {
  /** Right before the first byte is handed to a connection. May abort the dispatch, so that nothing is sent. */
  onSending?(): void;
  onEnd(): void;
  onFailure(error: Error): void;
}

/**
 * One request on its way: on an idle connection if there is one, else on a new one. An idle connection may be closed by the server in the
 * moment in which it is used; if not one byte of a response came, a request that changes nothing is then sent again, once, on a new
 * connection.
 */
export class Http1Dispatch {
  readonly #pool: SocketPool;
  readonly #request: EncodedRequest;
  readonly #receiver: DispatchReceiver;
  #opening: AbortController | undefined;
  #connection: Http1Connection | undefined;
  #aborted = false;

  /** Begins at once, and calls nobody back before it has been constructed. */
  constructor(pool: SocketPool, request: EncodedRequest, receiver: DispatchReceiver) {
    this.#pool = pool;
    this.#request = request;
    this.#receiver = receiver;
    void this.#begin();
  }

  /** Whether data that were handed out stay as they are only until the next are asked for. */
  get reusesMemory(): boolean {
    return this.#connection?.reusesMemory ?? false;
  }

  /** Asks for no more data for now. Some may still come. */
  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  /** Nobody wants the response, or the rest of it: closes its connection. Without effect once the response has ended. */
  abort(): void {
    this.#aborted = true;
    this.#opening?.abort();
    this.#connection?.destroy();
    this.#connection = undefined;
  }

  async #begin(): Promise<void> {
    const connection = await this.#pool.takeIdle(this.#request.safe ? 1 : 2);
    if (connection === undefined) return this.#sendOnNew();
    if (this.#aborted) return this.#pool.keep(connection);
    this.#sendOn(connection);
  }

  async #sendOnNew(): Promise<void> {
    if (this.#aborted) return;
    this.#opening = new AbortController();
    let connection: Http1Connection;
    try {
      connection = await this.#pool.open(this.#opening.signal);
    } catch (error) {
      if (!this.#aborted) this.#receiver.onFailure(error as Error);
      return;
    }
    if (this.#aborted) connection.destroy();
    else this.#sendOn(connection);
  }

  #sendOn(connection: Http1Connection): void {
    this.#receiver.onSending?.();
    if (this.#aborted) {
      this.#pool.keep(connection);
      return;
    }
    this.#connection = connection;
    connection.send(this.#request, this.#receiverFor(connection));
  }

  #receiverFor(connection: Http1Connection): ResponseReceiver {
    const receiver = this.#receiver;
    return {
      onHead: (head) => receiver.onHead(head),
      onData: (bytes) => receiver.onData(bytes),
      onEnd: () => {
        this.#connection = undefined;
        receiver.onEnd();
      },
      onFailure: (error, untouched) => {
        this.#connection = undefined;
        if (untouched && connection.reused && this.#request.safe && isBrokenConnection(error)) void this.#sendOnNew();
        else receiver.onFailure(error);
      },
    };
  }
}

function isBrokenConnection(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof ConnectionClosedError || code === 'ECONNRESET' || code === 'EPIPE';
}
