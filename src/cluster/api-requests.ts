import { bodyText, refusalOf, retryAfterSeconds } from '../api/response-body.ts';
import type { TidewatchErrorKind } from '../api/tidewatch-error.ts';
import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';
import { TransportError } from '../api/transport-error.ts';
import type { Clock } from '../observe/clock.ts';
import { CallScope, onAbort } from '../observe/interruption.ts';
import type { ServerWarnings } from './server-warnings.ts';

/** client-go's number of retries. */
const MAX_RETRIES = 10;

/** client-go's wait before a GET that lost its connection is sent again. */
const RESET_WAIT_SECONDS = 1;

/**
 * What somebody wants to know of the requests of a client, and to decide on. A write is everything but a GET.
 *
 * @internal
 */
export interface RequestHooks {
  /** For requests that have none of their own. */
  readonly signal: AbortSignal;
  /** Before each attempt of a write, repeated ones too. What it throws, the call throws, and nothing is sent. */
  beforeWrite(request: TransportRequest): void;
  /** The server has done a write. */
  written(request: TransportRequest, answer: unknown): void;
  /** An attempt of a write has failed in a way that leaves open whether the server has done it. */
  inDoubt(request: TransportRequest): void;
  /** The id of what sends them, for those who look inside. */
  readonly cause?: number | undefined;
}

/** After these the server has certainly not seen the request. */
const NOT_SENT: ReadonlySet<TidewatchErrorKind> = new Set<TidewatchErrorKind>([
  'refused',
  'dns',
  'unreachable',
  'tls-ca',
  'tls-name',
  'tls-expired',
  'tls',
  'proxy',
  'credentials',
  'closed',
]);

export interface ApiRequestsOptions {
  transport: Transport;
  clock: Clock;
  warnings: ServerWarnings;
  /** Aborts when nothing can be sent any more. Default: never. */
  closed?: AbortSignal | undefined;
  /** @internal */
  hooks?: RequestHooks | undefined;
}

/**
 * Requests whose answer is wanted, not the attempt: waits as long as a `Retry-After` of a 429 or a 5xx says and tries
 * again, up to ten times, and sends a GET again whose connection broke. A failure becomes an `ApiError`. Stages
 * with a backoff of their own (the Reflector) use the transport itself.
 */
export class ApiRequests {
  readonly #options: ApiRequestsOptions;

  constructor(options: ApiRequestsOptions) {
    this.#options = options;
  }

  /** @internal The same through another transport, which tells `hooks` of its requests. */
  with({ hooks, transport }: Pick<ApiRequestsOptions, 'hooks' | 'transport'>): ApiRequests {
    return new ApiRequests({ ...this.#options, hooks, transport });
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  /** Waits before another attempt. Rejects with the reason of the signal, and as soon as the cluster is closed. */
  async pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    const { clock, closed } = this.#options;
    const scope = new CallScope(signal);
    const forgetClosed = onAbort(closed, () => {
      scope.abort(new TransportError('closed', 'the connection to the cluster has been closed with close()'));
    });
    try {
      await clock.sleep(waitMs, scope.signal);
    } finally {
      forgetClosed();
      scope.release();
    }
  }

  /** The response, once its status is below 300. Its body is still to be read. */
  async open(given: TransportRequest): Promise<TransportResponse> {
    const { transport, clock, warnings } = this.#options;
    const hooks = given.method === 'GET' ? undefined : this.#options.hooks;
    const request = this.#options.hooks ? withHooks(this.#options.hooks, given) : given;
    for (let attempt = 0; ; attempt++) {
      hooks?.beforeWrite(request);
      const outcome = await transport.request({ clock, ...request }).catch((error: unknown) => {
        if (!(error instanceof TransportError && NOT_SENT.has(error.kind))) hooks?.inDoubt(request);
        const broken = error instanceof TransportError && error.kind === 'reset' && request.method === 'GET';
        if (!broken || attempt >= MAX_RETRIES) throw error;
        return undefined;
      });
      if (outcome === undefined) {
        await this.pause(RESET_WAIT_SECONDS * 1000, request.signal);
        continue;
      }
      warnings.report(outcome.headers.get('warning'));
      if (outcome.status < 300) return outcome;
      const error = await refusalOf(outcome, `${request.method} ${request.path}`, request.signal);
      const waitSeconds = retryAfterSeconds(outcome);
      if (outcome.status >= 500) hooks?.inDoubt(request);
      const worthIt = outcome.status === 429 || outcome.status >= 500;
      if (!worthIt || waitSeconds === undefined || attempt >= MAX_RETRIES) throw error;
      await this.pause(waitSeconds * 1000, request.signal);
    }
  }

  /** The decoded JSON of the answer. */
  async json(request: TransportRequest): Promise<unknown> {
    const response = await this.open(request);
    const hooks = request.method === 'GET' ? undefined : this.#options.hooks;
    const text = await bodyText(response.body).catch((error: unknown) => {
      hooks?.inDoubt(request);
      throw error;
    });
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      hooks?.inDoubt(request);
      // What JSON.parse throws quotes the body, which may be secret.
      const what = `${request.method} ${request.path}: the answer (status ${response.status}, ${response.headers.get('content-type') ?? 'no content-type'}) is not JSON`;
      throw new TransportError('protocol', what);
    }
    hooks?.written(request, answer);
    return answer;
  }
}

function withHooks({ signal, cause }: RequestHooks, request: TransportRequest): TransportRequest {
  return { signal, ...(cause !== undefined && { cause }), ...request };
}
