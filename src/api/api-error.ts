import { printable } from './printable.ts';
import { isStatus, type Status, type StatusCause } from './status.ts';

const BRAND = Symbol.for('tidewatch.ApiError');

/** The reasons that the HTTP code alone implies, when a proxy answered instead of the API server. */
const REASON_BY_CODE: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

export interface ApiErrorContext {
  /** What was asked, for the message: `GET /api/v1/pods`. Without query, so without anything secret. */
  request?: string;
  /** The `Retry-After` header, in seconds; the Status wins when it carries its own. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/**
 * The API server's no. `code` and `reason` are the server's own (`reason` falls back to the meaning of the code), and
 * `status` is its whole answer, as it came; the message is free of control characters. Matches with `instanceof` across two copies of the package.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly status: Status;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: Status, context: ApiErrorContext = {}) {
    const code = status.code ?? 0;
    const reason = status.reason || REASON_BY_CODE[code] || 'Unknown';
    const said = status.message || 'the server gave no message';
    const request = context.request === undefined ? '' : `${context.request}: `;
    super(
      printable(`${request}${code} ${reason}: ${said}`),
      context.cause === undefined ? undefined : { cause: context.cause },
    );
    this.code = code;
    this.reason = reason;
    this.status = status;
    this.retryAfterSeconds = status.details?.retryAfterSeconds ?? context.retryAfterSeconds;
    Object.defineProperty(this, BRAND, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  /** From the body of a failed response; a body that is no Status (a proxy's page, say) is summarised in the message. */
  static fromResponse(httpStatus: number, body: string, context: ApiErrorContext = {}): ApiError {
    const status = parseStatus(body);
    if (status) return new ApiError({ ...status, code: status.code ?? httpStatus }, context);
    const text = body.replace(/\s+/g, ' ').trim().slice(0, 200);
    return new ApiError({ kind: 'Status', status: 'Failure', code: httpStatus, message: text }, context);
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? [];
  }

  /** Whether the same request may well succeed later: overload, a timeout, or a fault inside the server. */
  get retryable(): boolean {
    return (
      [408, 429, 500, 502, 503, 504].includes(this.code) ||
      ['ServerTimeout', 'Timeout', 'TooManyRequests', 'InternalError', 'ServiceUnavailable'].includes(this.reason)
    );
  }

  /** The history asked for has been compacted: a watch must start again from a list. */
  get isExpired(): boolean {
    return this.code === 410 || this.reason === 'Expired' || this.reason === 'Gone';
  }

  /** The server's cache has not reached the resourceVersion that was asked for. */
  get isTooLargeResourceVersion(): boolean {
    if (this.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
    // Older servers say it in words, in the message or in a cause.
    const words = [this.status.message, ...this.causes.map((cause) => cause.message)];
    return this.reason === 'Timeout' && words.some((text) => text?.includes('Too large resource version'));
  }
}

function parseStatus(body: string): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isStatus(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
