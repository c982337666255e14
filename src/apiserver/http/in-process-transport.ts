import { setMaxListeners } from 'node:events';
import { duplexPair } from 'node:stream';
import { isOpenEnded } from '../../api/open-ended.ts';
import type {
  Transport,
  TransportRequest,
  TransportResponse,
  UpgradeRequest,
  UpgradeResponse,
} from '../../api/transport.ts';
import { TransportError } from '../../api/transport-error.ts';
import type { Clock } from '../../observe/clock.ts';
import { StallLimit } from '../../observe/stall-limit.ts';
import type { ServerRequest, ServerResponse } from '../request/request.ts';
import { ConnectionLost } from './connection-lost.ts';

export interface InProcessOptions {
  handle(request: ServerRequest): Promise<ServerResponse>;
  clock: Clock;
  /** Sent with requests that carry no authorization of their own. */
  token?: string;
}

const SERVER = 'the embedded server';
const STALL_MS = 60_000;
const REFUSAL_MS = 10_000;
/** From this status on the body may break off or stall without hiding the status. */
const FIRST_REFUSAL = 300;

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
    const limit = this.#limit(request, gone);
    const finish = () => {
      limit.stop();
      request.signal?.removeEventListener('abort', abort);
      this.#running.delete(gone);
    };
    limit.wait(request.headersTimeoutMs ?? 0);
    try {
      request.beforeSend?.();
      const answer = this.#options.handle(this.#serverRequest(request, gone.signal));
      const response = await untilAborted(answer, gone.signal);
      limit.stop();
      const isRefusal = response.status >= FIRST_REFUSAL;
      const stallMs = isRefusal ? REFUSAL_MS : isOpenEnded(request.query) ? 0 : STALL_MS;
      const body = readable(response.body, {
        gone,
        finish,
        limit,
        stallMs,
        mayBreakOff: () => isRefusal && !request.signal?.aborted && this.#refusal === undefined,
      });
      return { status: response.status, headers: headerMap(response), body };
    } catch (error) {
      finish();
      throw asTransportError(error);
    }
  }

  async upgrade(request: UpgradeRequest): Promise<UpgradeResponse> {
    const { signal, protocol } = request;
    signal?.throwIfAborted();
    if (this.#refusal) throw this.#refusal;
    const gone = new AbortController();
    const abort = () => gone.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#running.add(gone);
    const finish = () => {
      signal?.removeEventListener('abort', abort);
      this.#running.delete(gone);
    };
    const headers = { ...request.headers, upgrade: protocol, connection: 'Upgrade' };
    try {
      const serverRequest = this.#serverRequest({ ...request, headers, method: 'GET' }, gone.signal);
      const response = await untilAborted(this.#options.handle({ ...serverRequest, canUpgrade: true }), gone.signal);
      if (!response.upgraded) {
        finish();
        return { status: response.status, headers: headerMap(response), body: chunksOf(response.body) };
      }
      const [ours, theirs] = duplexPair();
      const end = () => {
        finish();
        gone.abort(new ConnectionLost('the client has gone'));
        ours.destroy();
        theirs.destroy();
      };
      ours.once('close', end);
      theirs.once('close', end);
      gone.signal.addEventListener('abort', () => ours.destroy(asError(gone.signal.reason)), { once: true });
      response.upgraded(theirs);
      return { status: 101, headers: headerMap(response), body: chunksOf(new Uint8Array()), connection: ours };
    } catch (error) {
      finish();
      throw asTransportError(error);
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

  #limit({ clock, method, path }: TransportRequest, gone: AbortController): StallLimit {
    const message = `${method} ${path}: ${SERVER} did not answer, or not go on, in time`;
    const expire = () => gone.abort(new TransportError('timeout', message, { server: SERVER }));
    return new StallLimit(clock ?? this.#options.clock, expire);
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

async function* chunksOf(body: ServerResponse['body']): AsyncGenerator<Uint8Array, void, undefined> {
  if (!(body instanceof Uint8Array)) yield* body;
  else if (body.length > 0) yield body;
}

function asError(reason: unknown): Error | undefined {
  if (reason instanceof ConnectionLost) return undefined;
  return reason instanceof Error ? reason : new DOMException(String(reason), 'AbortError');
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

/** One answer on its way to its reader. */
interface Delivery {
  gone: AbortController;
  finish(): void;
  limit: StallLimit;
  stallMs: number;
  /** Whether a failure ends the body instead of being thrown. */
  mayBreakOff(): boolean;
}

/** The body as the contract of a transport wants it: iterated once, ended by the signal, released when left. */
function readable(body: ServerResponse['body'], delivery: Delivery): AsyncIterable<Uint8Array> {
  let taken = false;
  return {
    [Symbol.asyncIterator]() {
      if (taken) throw new TypeError('the body of a response can be read only once');
      taken = true;
      return body instanceof Uint8Array ? once(body, delivery) : follow(body, delivery);
    },
  };
}

async function* once(bytes: Uint8Array, { finish }: Delivery): AsyncGenerator<Uint8Array> {
  finish();
  if (bytes.length > 0) yield bytes;
}

function follow(body: AsyncIterable<Uint8Array>, delivery: Delivery): AsyncIterator<Uint8Array> {
  const { gone, finish, limit } = delivery;
  const iterator = body[Symbol.asyncIterator]();
  return {
    async next() {
      try {
        limit.wait(delivery.stallMs);
        const result = await untilAborted(iterator.next(), gone.signal);
        limit.rest();
        if (result.done) finish();
        return result;
      } catch (error) {
        finish();
        if (delivery.mayBreakOff()) return { done: true, value: undefined };
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
