import type { Duplex } from 'node:stream';

/** A request to the API server. */
export interface TransportRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Begins with a slash; percent-encoded; without query. */
  path: string;
  /** Without the question mark. */
  query?: string | undefined;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | Uint8Array | undefined;
  /** Ends the request at any time, also while the body streams; the pending read then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How long until the response's head must be there. 0: no limit. Unset: the transport's default. */
  headersTimeoutMs?: number | undefined;
  /** Whose time the limits of this request go by. Unset: the transport's. */
  clock?: RequestClock | undefined;
  /**
   * The reader of the body is done with each chunk when it asks for the next one, so that its memory may be used again.
   * Default false: a chunk stays as it is.
   */
  reuseChunks?: boolean | undefined;
  /**
   * Called right before the first byte leaves, each time that the request is sent: time may have passed since `request` was called, for a login
   * or a connection. When it throws, nothing is sent, and the request rejects with what it threw. A transport may ignore it.
   */
  beforeSend?: (() => void) | undefined;
  /** The id of what sends it, for those who look inside: see `RequestValue`. A transport may ignore it. */
  cause?: number | undefined;
}

/** The part of a `Clock` that limits need. */
export interface RequestClock {
  now(): number;
  setTimeout(callback: () => void, delayMs: number, options?: { keepAlive?: boolean | undefined }): { clear(): void };
  /** Unset: the turns of Node's event loop. */
  readonly scheduler?: { monotonicMs(): number; nextTurn(callback: () => void): void } | undefined;
}

/** A request to leave HTTP on its connection, for another protocol. A GET. */
export interface UpgradeRequest extends Pick<TransportRequest, 'path' | 'query' | 'headers' | 'signal' | 'clock'> {
  /** What to go over to: `websocket`. */
  protocol: string;
}

/** The answer to one. */
export interface UpgradeResponse extends TransportResponse {
  /**
   * After a 101: the connection, which is the caller's from now on. It ends by `destroy`, with the transport's `close`, and when the
   * signal of the request aborts, with its reason. Any other status is a refusal, with an explanation as its body.
   */
  connection?: Duplex;
}

/** The answer to a request, whose body is still to be read. */
export interface TransportResponse {
  status: number;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  /**
   * The bytes as they arrive, already decompressed, in chunks of any size. Can be iterated once. Nothing is read ahead
   * beyond a small buffer while the consumer does not ask (backpressure). Leaving the loop early (break, throw) closes
   * the stream. A connection that breaks makes the iteration throw, and so does one that brings nothing for too long while the consumer
   * waits; a clean end of the response ends it. Only an answer that is open-ended (a watch, a followed log) may be silent forever.
   *
   * A status from 300 on is the answer, whatever becomes of its body: where that breaks, stalls or takes too long as a whole, the
   * iteration ends with what has come. It throws for an abort and for `close` alone.
   */
  body: AsyncIterable<Uint8Array>;
  /** With a 401: whose login was refused, and where it came from. For the message; without anything secret. */
  refusedLogin?: string;
}

/**
 * One HTTP exchange with an API server: request in; status, headers and a stream of bytes out. Resolves for every
 * status; rejects only when no response came (refused, reset, TLS, timeout, abort). Owns the limits of time: of the connection, of the
 * head and of the body, so that whoever reads needs none. Never retries by itself, with two
 * exceptions: a 401 on credentials that can be renewed is repeated once with new ones, and a GET is sent again
 * once when the server closed an idle connection just as it was used and nothing of a response came. Adds
 * authentication and User-Agent. Implemented over sockets by `transport/`, and in process by the embedded server.
 */
export interface Transport {
  request(request: TransportRequest): Promise<TransportResponse>;
  /** Unset where there is no connection that could leave HTTP. Rejects as `request` does; adds authentication as it does. */
  upgrade?(request: UpgradeRequest): Promise<UpgradeResponse>;
  /** Ends idle sockets and refuses new requests; running ones are aborted. Idempotent. */
  close(): Promise<void>;
}
