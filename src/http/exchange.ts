import { deferred } from '../api/promise-like.ts';
import type { RequestClock, TransportResponse } from '../api/transport.ts';
import { onAbort } from '../observe/interruption.ts';
import { Pulled, type Receiver } from '../observe/pulled.ts';
import { StallLimit } from '../observe/stall-limit.ts';
import type { Http1Connection, ResponseReceiver } from './http1/http1-connection.ts';
import { ConnectionClosedError } from './http1/http1-error.ts';
import type { Http1Head } from './http1/http1-head.ts';
import type { EncodedRequest } from './http1/http1-request.ts';
import type { ResponseSink } from './http1/http1-response-parser.ts';
import type { SocketPool } from './socket/socket-pool.ts';

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
export class Http1Dispatch implements ResponseReceiver {
  readonly #pool: SocketPool;
  /** What is sent again if the idle connection that it was sent on turns out to be closed. */
  #again: EncodedRequest | undefined;
  readonly #receiver: DispatchReceiver;
  #opening: AbortController | undefined;
  #connection: Http1Connection | undefined;
  #aborted = false;

  /** Begins at once, and calls nobody back before it has been constructed. */
  constructor(pool: SocketPool, request: EncodedRequest, receiver: DispatchReceiver) {
    this.#pool = pool;
    this.#receiver = receiver;
    void this.#begin(request);
  }

  /** Whether the data that were handed out last stay as they are only until the next are asked for. */
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

  async #begin(request: EncodedRequest): Promise<void> {
    const connection = await this.#pool.takeIdle(request.safe ? 1 : 2);
    if (connection === undefined) return this.#sendOnNew(request);
    if (this.#aborted) return this.#pool.keep(connection);
    if (request.safe) this.#again = request;
    this.#sendOn(connection, request);
  }

  async #sendOnNew(request: EncodedRequest): Promise<void> {
    if (this.#aborted) return;
    this.#again = undefined;
    this.#opening = new AbortController();
    let connection: Http1Connection;
    try {
      connection = await this.#pool.open(this.#opening.signal);
    } catch (error) {
      if (!this.#aborted) this.#receiver.onFailure(error as Error);
      return;
    } finally {
      this.#opening = undefined;
    }
    if (this.#aborted) connection.destroy();
    else this.#sendOn(connection, request);
  }

  #sendOn(connection: Http1Connection, request: EncodedRequest): void {
    this.#receiver.onSending?.();
    if (this.#aborted) {
      this.#pool.keep(connection);
      return;
    }
    this.#connection = connection;
    connection.send(request, this);
  }

  onHead(head: Http1Head): void {
    this.#again = undefined;
    this.#receiver.onHead(head);
  }

  onData(bytes: Buffer): void {
    this.#receiver.onData(bytes);
  }

  onEnd(): void {
    this.#connection = undefined;
    this.#receiver.onEnd();
  }

  onFailure(error: Error, untouched: boolean): void {
    this.#connection = undefined;
    if (untouched && this.#again !== undefined && isBrokenConnection(error)) void this.#sendOnNew(this.#again);
    else this.#receiver.onFailure(error);
  }
}

function isBrokenConnection(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof ConnectionClosedError || code === 'ECONNRESET' || code === 'EPIPE';
}

const SETTLED = Promise.resolve();

/** The socket pauses when more bytes than this wait to be read. */
const READ_AHEAD_BYTES = 262_144;

/** From this status on the status is the answer, and its body an explanation that may be missing. */
export const FIRST_REFUSAL = 300;

/** How long an exchange may wait. 0: no limit. */
export interface ExchangeLimits {
  readonly clock: RequestClock;
  /** For the head, from the request on. */
  readonly headMs: number;
  /** For each read of the body. */
  readonly bodyMs: number;
  /** For the body of a refusal as a whole. */
  readonly refusalMs: number;
}

export interface ExchangeOptions {
  /** Whether the reader is done with a chunk when it asks for the next; otherwise it gets a copy. */
  reuseChunks: boolean;
  signal: AbortSignal | undefined;
  /** When it throws, nothing is sent. */
  beforeSend: (() => void) | undefined;
  limits: ExchangeLimits;
  /** What a reader or whoever waits for the head is told when the limit has passed. */
  timeoutError(awaited: 'head' | 'body', limitMs: number): Error;
  /** Makes a readable error of one of the connection's. */
  wrapError(error: Error): Error;
  /** Called once, when the request needs its socket no longer. */
  onDone(): void;
}

/**
 * Receives the response to one request: hands it out when its head is there, then its body with backpressure. Ends in
 * exactly one way: whole, failed, out of time, or cancelled by us. Of a refusal the head alone counts: its body ends where it fails.
 */
export class Exchange extends Pulled<Uint8Array> implements DispatchReceiver {
  readonly #options: ExchangeOptions;
  readonly #head = deferred<TransportResponse>();
  #request: Http1Dispatch | undefined;
  #paused = false;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** Undefined while more may come. */
  #end: { error?: unknown } | undefined;
  /** Whoever waits for a chunk. */
  #reader: Receiver<Uint8Array> | undefined;
  #taken = false;
  #hasHead = false;
  #isRefusal = false;
  /** Each wait for more of the body has its limit: not that for a watch, nor for a refusal, which has one in all. */
  #countsStalls = false;
  readonly #limit: StallLimit;
  readonly #forgetSignal: () => void;

  constructor(options: ExchangeOptions) {
    super();
    this.#options = options;
    this.#limit = new StallLimit(options.limits.clock, () => this.#onStalled());
    this.#limit.wait(options.limits.headMs);
    this.#forgetSignal = onAbort(options.signal, () => this.cancel(options.signal?.reason));
  }

  get response(): Promise<TransportResponse> {
    return this.#head.promise;
  }

  /** Ends it now; whoever waits gets the reason. Without effect once it has ended, but for what is still to be read. */
  cancel(reason: unknown): void {
    this.#chunks = [];
    this.#bytes = 0;
    this.#finish({ error: reason }, false);
  }

  /** The request whose response this receives. */
  follow(request: Http1Dispatch): void {
    this.#request = request;
  }

  onSending(): void {
    try {
      this.#options.beforeSend?.();
    } catch (error) {
      this.cancel(error);
    }
  }

  onHead(head: Http1Head): void {
    const { status, headers } = head;
    this.#hasHead = true;
    this.#isRefusal = status >= FIRST_REFUSAL;
    this.#countsStalls = !this.#isRefusal && this.#options.limits.bodyMs > 0;
    this.#limit.stop();
    if (this.#isRefusal) this.#limit.wait(this.#options.limits.refusalMs);
    this.#head.resolve({ status, headers, body: { [Symbol.asyncIterator]: () => this.#iterate() } });
  }

  onData(chunk: Buffer): void {
    if (this.#end) return;
    // What came before it comes first.
    const reader = this.#chunks.length === 0 ? this.#reader : undefined;
    if (reader === undefined) {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
    } else {
      this.#reader = undefined;
      if (this.#countsStalls) this.#limit.rest();
      reader.take(this.#handedOut(chunk));
    }
    if (!this.#request?.reusesMemory && this.#bytes < READ_AHEAD_BYTES) return;
    // Nothing is read into memory that somebody is not done with. A reader that waits again is.
    if (this.#reader !== undefined && this.#chunks.length === 0) this.#request?.resume();
    else if (!this.#paused) {
      this.#paused = true;
      this.#request?.pause();
    }
  }

  onEnd(): void {
    this.#finish({}, true);
  }

  onFailure(error: Error): void {
    if (!this.#end) this.#fail(() => this.#options.wrapError(error));
  }

  #onStalled(): void {
    const { headMs, bodyMs } = this.#options.limits;
    this.#fail(() =>
      this.#hasHead ? this.#options.timeoutError('body', bodyMs) : this.#options.timeoutError('head', headMs),
    );
  }

  #fail(error: () => Error): void {
    this.#finish(this.#isRefusal ? {} : { error: error() }, false);
  }

  #finish(end: { error?: unknown }, whole: boolean): void {
    if (this.#end) {
      // An abort after the last byte still ends the reading, as promised to whoever aborted.
      if ('error' in end && !('error' in this.#end)) this.#end = end;
      return;
    }
    this.#end = end;
    this.#limit.stop();
    if ('error' in end) this.#head.reject(end.error);
    this.#options.onDone();
    if (!whole) this.#request?.abort();
    // With bytes still to be read, an abort has something to end.
    if ('error' in end || this.#chunks.length === 0) this.#forgetSignal();
    this.#serve();
  }

  #iterate(): this {
    if (this.#taken) throw new TypeError('the body of a response can be iterated only once');
    this.#taken = true;
    return this;
  }

  pull(reader: Receiver<Uint8Array>): void {
    this.#reader = reader;
    if (this.#chunks.length > 0 || this.#end) {
      void SETTLED.then(this.#serve);
      return;
    }
    this.#resume();
    if (this.#countsStalls) this.#limit.wait(this.#options.limits.bodyMs);
  }

  /** What is there, to whoever waits. */
  readonly #serve = (): void => {
    const reader = this.#reader;
    if (reader === undefined) return;
    this.#reader = undefined;
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#bytes -= chunk.length;
      if (!this.#request?.reusesMemory && this.#bytes <= READ_AHEAD_BYTES / 4) this.#resume();
      reader.take(this.#handedOut(chunk));
      return;
    }
    this.#forgetSignal();
    if (this.#end && 'error' in this.#end) reader.fail(this.#end.error);
    else reader.end();
  };

  #resume(): void {
    if (!this.#paused || this.#end) return;
    this.#paused = false;
    this.#request?.resume();
  }

  #handedOut(chunk: Uint8Array): Uint8Array {
    return this.#options.reuseChunks || !this.#request?.reusesMemory ? chunk : Buffer.from(chunk);
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#forgetSignal();
    this.#chunks = [];
    this.#bytes = 0;
    if (!this.#end) {
      // A read that waits beside us ends as the stream does, without an error.
      this.#finish({}, false);
    } else {
      this.#end = {};
    }
    return Promise.resolve({ done: true, value: undefined });
  }
}
