import { printable } from './printable.ts';
import { isStatus, type Status, type StatusCause } from './status.ts';
import { type ApiErrorKind, brandError, TidewatchError } from './tidewatch-error.ts';

/** The reasons that the HTTP code alone implies, when a proxy answered instead of the API server. */
const REASON_BY_CODE: Readonly<Record<number, string>> = {
  301: 'MovedPermanently',
  302: 'Found',
  303: 'SeeOther',
  307: 'TemporaryRedirect',
  308: 'PermanentRedirect',
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

const KIND_BY_REASON: ReadonlyMap<string | undefined, ApiErrorKind> = new Map<string | undefined, ApiErrorKind>([
  ['Unauthorized', 'unauthorized'],
  ['Forbidden', 'forbidden'],
  ['NotFound', 'not-found'],
  ['AlreadyExists', 'already-exists'],
  ['Conflict', 'conflict'],
  ['Gone', 'expired'],
  ['Expired', 'expired'],
  ['TooManyRequests', 'too-many-requests'],
  ['ServerTimeout', 'unavailable'],
  ['Timeout', 'unavailable'],
  ['InternalError', 'unavailable'],
  ['ServiceUnavailable', 'unavailable'],
]);

/** What is known of a refusal beside its status. */
export interface ApiErrorContext {
  /** What was asked, for the message: `GET /api/v1/pods`. Without query, so without anything secret. */
  request?: string | undefined;
  /** The `Retry-After` header, in seconds; the Status wins when it carries its own. */
  retryAfterSeconds?: number | undefined;
  /** With a 401: whose login was refused, and where it came from. */
  refusedLogin?: string | undefined;
  /** What lies behind it. */
  cause?: unknown;
}

/**
 * The API server's no. `code` and `reason` are the server's own (`reason` falls back to the meaning of the code), and
 * `status` is its whole answer, as it came; the message is free of control characters.
 */
export class ApiError extends TidewatchError {
  declare readonly name: 'ApiError';
  declare readonly kind: ApiErrorKind;
  readonly code: number;
  readonly reason: string;
  declare readonly status: Status;
  declare readonly retryAfterSeconds: number | undefined;

  static {
    brandError(ApiError, 'ApiError');
  }

  constructor(status: Status, context: ApiErrorContext = {}) {
    const code = status.code ?? 0;
    const reason = status.reason || REASON_BY_CODE[code] || 'Unknown';
    const said = status.message || 'the server gave no message';
    const request = context.request === undefined ? '' : `${context.request}: `;
    const refused = context.refusedLogin === undefined ? '' : `; refused was ${context.refusedLogin}`;
    super(kindOf(code, reason), printable(`${request}${code} ${reason}: ${said}${refused}`), context);
    this.code = code;
    this.reason = reason;
    // The message has what matters of it: an error that nobody catches is shown in a few lines.
    Object.defineProperty(this, 'status', { value: status });
    const retryAfterSeconds = status.details?.retryAfterSeconds ?? context.retryAfterSeconds;
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }

  /** From the body of a failed response; a body that is not a Status (a proxy's page, say) is summarised in the message. */
  static fromResponse(httpStatus: number, body: string, context: ApiErrorContext = {}): ApiError {
    const status = parseStatus(body);
    if (status) return new ApiError({ ...status, code: status.code ?? httpStatus }, context);
    const text = body.replace(/\s+/g, ' ').trim().slice(0, 200);
    return new ApiError({ kind: 'Status', status: 'Failure', code: httpStatus, message: text }, context);
  }

  get causes(): readonly StatusCause[] {
    return this.status.details?.causes ?? [];
  }

  /** The history asked for has been compacted: a watch must start again from a list. */
  get isExpired(): boolean {
    return this.kind === 'expired';
  }

  /** The server's cache has not reached the resourceVersion that was asked for. */
  get isTooLargeResourceVersion(): boolean {
    if (this.causes.some((cause) => cause.reason === 'ResourceVersionTooLarge')) return true;
    // Older servers say it in words, in the message or in a cause.
    const words = [this.status.message, ...this.causes.map((cause) => cause.message)];
    return this.reason === 'Timeout' && words.some((text) => text?.includes('Too large resource version'));
  }
}

/** The reason decides, where Kubernetes knows it; else the code. As the `apierrors.Is…` of client-go. */
function kindOf(code: number, reason: string): ApiErrorKind {
  if (code === 410) return 'expired';
  const kind = KIND_BY_REASON.get(reason) ?? KIND_BY_REASON.get(REASON_BY_CODE[code]);
  return kind ?? (code === 408 || code >= 500 ? 'unavailable' : 'rejected');
}

function parseStatus(body: string): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isStatus(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
