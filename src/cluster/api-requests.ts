import { ApiError } from '../api/api-error.ts';
import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';
import { TransportError } from '../api/transport-error.ts';
import { bodyText, refusalText } from '../http/body-text.ts';
import type { Clock } from '../observe/clock.ts';
import type { ServerWarnings } from './server-warnings.ts';

/** client-go's number of retries. */
const MAX_RETRIES = 10;

/** client-go's wait before a GET that lost its connection is sent again. */
const RESET_WAIT_SECONDS = 1;

export interface ApiRequestsOptions {
  transport: Transport;
  clock: Clock;
  warnings: ServerWarnings;
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

  /** The response, once its status is below 300. Its body is still to be read. */
  async open(request: TransportRequest): Promise<TransportResponse> {
    const { transport, clock, warnings } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const outcome = await transport.request({ clock, ...request }).catch((error: unknown) => {
        const broken = error instanceof TransportError && error.kind === 'reset' && request.method === 'GET';
        if (!broken || attempt >= MAX_RETRIES) throw error;
        return undefined;
      });
      if (outcome === undefined) {
        await clock.sleep(RESET_WAIT_SECONDS * 1000, request.signal);
        continue;
      }
      warnings.report(outcome.headers.get('warning'));
      if (outcome.status < 300) return outcome;
      const retryAfterSeconds = retryAfter(outcome);
      const error = ApiError.fromResponse(outcome.status, await refusalText(outcome.body, request.signal), {
        request: `${request.method} ${request.path}`,
        refusedLogin: outcome.refusedLogin,
        ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      });
      const worthIt = outcome.status === 429 || outcome.status >= 500;
      if (!worthIt || retryAfterSeconds === undefined || attempt >= MAX_RETRIES) throw error;
      await clock.sleep(retryAfterSeconds * 1000, request.signal);
    }
  }

  /** The decoded JSON of the answer. */
  async json(request: TransportRequest): Promise<unknown> {
    const response = await this.open(request);
    const text = await bodyText(response.body);
    try {
      return JSON.parse(text);
    } catch {
      // What JSON.parse throws quotes the body, which may be secret.
      const what = `${request.method} ${request.path}: the answer (status ${response.status}, ${response.headers.get('content-type') ?? 'no content-type'}) is not JSON`;
      throw new TransportError('protocol', what);
    }
  }
}

function retryAfter(response: TransportResponse): number | undefined {
  const value = response.headers.get('retry-after');
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) : undefined;
}
