import { setMaxListeners } from 'node:events';
import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';
import { TransportError } from '../api/transport-error.ts';
import type { Clock } from '../observe/clock.ts';
import { ConnectionLost } from './connection-lost.ts';
import type { ServerRequest, ServerResponse } from './request.ts';

export interface InProcessOptions {
  handle(request: ServerRequest): Promise<ServerResponse>;
  clock: Clock;
  /** Sent with requests that carry no authorization of their own. */
  token?: string;
}

const SERVER = 'the embedded server';

/** The server without a socket: the same requests, the same answers, the same faults, and nothing to listen on. */
export class InProcessTransport implements Transport {
  readonly #options: InProcessOptions;
  readonly #running = new Set<AbortController>();
  /** Why new requests are refused; unset while they are not. */
  #refusal: TransportError | undefined;

  constructor(options: InProcessOptions) {
    this.#options = options;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    if (this.#refusal) throw this.#refusal;
    const gone = new AbortController();
    // One signal may well end a thousand watches; Node would take that for a leak.
    if (request.signal) setMaxListeners(0, request.signal);
    const abort = () => gone.abort(request.signal?.reason);
    request.signal?.addEventListener('abort', abort, { once: true });
    this.#running.add(gone);
    const finish = () => {
      request.signal?.removeEventListener('abort', abort);
      this.#running.delete(gone);
    };
    const timer = this.#headersTimer(request, gone);
    try {
      const answer = this.#options.handle(this.#serverRequest(request, gone.signal));
      const response = await untilAborted(answer, gone.signal);
      return { status: response.status, headers: headerMap(response), body: readable(response.body, gone, finish) };
    } catch (error) {
      finish();
      throw asTransportError(error);
    } finally {
      timer?.clear();
    }
  }

  close(): Promise<void> {
    return this.#end(new TransportError('closed', 'the transport has been closed: make a new one', { server: SERVER }));
  }

  /** The server has stopped: nobody listens any more. */
  refuse(): Promise<void> {
    return this.#end(new TransportError('refused', `${SERVER} has been stopped`, { server: SERVER }));
  }

  async #end(refusal: TransportError): Promise<void> {
    this.#refusal ??= refusal;
    const kind = refusal.kind === 'refused' ? 'reset' : refusal.kind;
    for (const controller of this.#running) controller.abort(new TransportError(kind, refusal.message));
  }

  #headersTimer({ headersTimeoutMs, method, path }: TransportRequest, gone: AbortController) {
    if (headersTimeoutMs === undefined) return undefined;
    const message = `${method} ${path}: ${SERVER} did not answer within ${headersTimeoutMs} ms`;
    const expire = () => gone.abort(new TransportError('timeout', message, { server: SERVER }));
    return this.#options.clock.setTimeout(expire, headersTimeoutMs);
  }

  #serverRequest(request: TransportRequest, signal: AbortSignal): ServerRequest {
    const { token } = this.#options;
    const { body } = request;
    const headers: Record<string, string> = { 'user-agent': 'tidewatch', ...request.headers };
    if (token !== undefined && headers.authorization === undefined) headers.authorization = `Bearer ${token}`;
    return {
      method: request.method,
      path: request.path,
      query: new URLSearchParams(request.query ?? ''),
      headers,
      body: typeof body === 'string' ? Buffer.from(body) : (body ?? new Uint8Array()),
      signal,
    };
  }
}

function headerMap(response: ServerResponse): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of response.headers) {
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

function asTransportError(error: unknown): unknown {
  if (!(error instanceof ConnectionLost)) return error;
  return new TransportError('reset', `${SERVER} broke the connection: ${error.message}`, { cause: error });
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    const settled = () => signal.removeEventListener('abort', abort);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(
      (value) => {
        settled();
        resolve(value);
      },
      (error: unknown) => {
        settled();
        reject(error);
      },
    );
  });
}

/** The body as the contract of a transport wants it: iterated once, ended by the signal, released when left. */
function readable(body: ServerResponse['body'], gone: AbortController, finish: () => void): AsyncIterable<Uint8Array> {
  let taken = false;
  return {
    [Symbol.asyncIterator]() {
      if (taken) throw new TypeError('the body of a response can be read only once');
      taken = true;
      return body instanceof Uint8Array ? once(body, finish) : follow(body, gone, finish);
    },
  };
}

async function* once(bytes: Uint8Array, finish: () => void): AsyncGenerator<Uint8Array> {
  finish();
  if (bytes.length > 0) yield bytes;
}

function follow(body: AsyncIterable<Uint8Array>, gone: AbortController, finish: () => void): AsyncIterator<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  return {
    async next() {
      try {
        const result = await untilAborted(iterator.next(), gone.signal);
        if (result.done) finish();
        return result;
      } catch (error) {
        finish();
        throw asTransportError(error);
      }
    },
    async return() {
      gone.abort(new ConnectionLost('the reader has left'));
      finish();
      return { done: true, value: undefined };
    },
  };
}
