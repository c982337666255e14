import { brand } from './brand.ts';

/** Why no response came, or why one broke off. */
export type TransportErrorKind =
  /** Nobody listens at that address (ECONNREFUSED). */
  | 'refused'
  /** The connection broke: reset, or closed before the response was whole. */
  | 'reset'
  /** The host name has no address. */
  | 'dns'
  /** No route to the host or its network. */
  | 'unreachable'
  /** No connection, or no head of a response, in time. */
  | 'timeout'
  /** The server's certificate is not signed by a CA that we trust. */
  | 'tls-ca'
  /** The server's certificate is for another name. */
  | 'tls-name'
  /** The server's certificate, or its CA's, is expired or not yet valid. */
  | 'tls-expired'
  /** Any other failure of TLS, also a client certificate that the server refused. */
  | 'tls'
  /** The proxy could not be reached or would not pass us on. */
  | 'proxy'
  /** What came is not HTTP, or is damaged. */
  | 'protocol'
  /** Our own login could not be prepared: an exec plugin, a token file, an identity provider. */
  | 'credentials'
  /** `close()` was called. */
  | 'closed'
  | 'other';

/** What the server's no is about, as far as that decides what to do. */
export type ApiErrorKind =
  /** 401: the server does not know who asks. */
  | 'unauthorized'
  /** 403: the one who asks may not do this. */
  | 'forbidden'
  /** 404: the object, or its type, does not exist. */
  | 'not-found'
  /** 409, AlreadyExists: an object of that name exists. */
  | 'already-exists'
  /** 409: the object has changed since it was read, or a field belongs to somebody else. */
  | 'conflict'
  /** 410: the server no longer has the version or page that was asked for. */
  | 'expired'
  /** 429: the server asks for fewer requests. */
  | 'too-many-requests'
  /** 408 and 5xx: the server, or something before it, is in trouble. */
  | 'unavailable'
  /** Any other no: the request itself is wrong. */
  | 'rejected';

/** What the reflector itself finds wrong, where no call has failed. */
export type ReflectorErrorKind =
  /** An object cannot be keyed, decoded, transformed or stored. */
  | 'unusable'
  /** The bytes of a stored object turned out to be damaged when somebody read them. */
  | 'damaged'
  /** An event is older than what is known of its object. */
  | 'stale'
  /** A list is older than what has been seen. */
  | 'olderList'
  /** A watch sends nothing any more. */
  | 'silent'
  /** A watch ended at once without having sent anything. */
  | 'shortWatch'
  /** A WatchList does not come to the end of its initial events. */
  | 'noInitialEventsEnd'
  /** A WatchList ended before the end of its initial events. */
  | 'endedEarly'
  /** The target failed to resync. */
  | 'resync';

/** What is wrong with an index. */
export type IndexErrorKind =
  /** No index has that name. */
  | 'unknown-index'
  /** There is one already. */
  | 'index-conflict'
  /** It is defined by something other than a path or a function. */
  | 'index-definition'
  /** The index function failed on an object, which was therefore not stored. */
  | 'index-function';

/** What kind of failure an error is. Each kind means one thing; docs/errors.md says of each when it comes and what to do. */
export type TidewatchErrorKind =
  | TransportErrorKind
  | ApiErrorKind
  | ReflectorErrorKind
  | IndexErrorKind
  // A response cannot be decoded (DecodeError).
  | 'truncated'
  | 'malformed'
  | 'unsupported'
  | 'tooLarge'
  // Classes with one kind each: KeyError, KubeconfigError, SelectorError, TransformError.
  | 'key'
  | 'kubeconfig'
  | 'selector'
  | 'transform'
  // The base class alone.
  | 'leadership-lost'
  | 'stopped'
  | 'misuse'
  // A control plane for tests (ControlPlaneError).
  | 'missing'
  | 'start'
  | 'state'
  | 'etcd'
  | 'certificate'
  // A reconcile that must not be retried (TerminalError).
  | 'terminal'
  | 'unknown';

const RETRYABLE: ReadonlySet<TidewatchErrorKind> = new Set<TidewatchErrorKind>([
  'refused',
  'reset',
  'dns',
  'unreachable',
  'timeout',
  'proxy',
  'too-many-requests',
  'unavailable',
  'truncated',
  'damaged',
  'stale',
  'olderList',
  'silent',
  'shortWatch',
  'noInitialEventsEnd',
  'endedEarly',
]);

/**
 * The base of every error that this library makes, except that wrong arguments are TypeErrors. An abort throws the signal's own
 * reason, and what a function of the user throws is passed on as it is. The message says what happened, to what, and what to do.
 * `instanceof` recognises this class and those of the package that extend it across two copies of the package.
 */
export class TidewatchError extends Error {
  readonly kind: TidewatchErrorKind;

  static {
    brandError(TidewatchError, 'TidewatchError');
  }

  /** A `cause` that is undefined is left out. */
  constructor(kind: TidewatchErrorKind, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
  }

  /** An error of ours as it is, also one of another copy of the package; anything else as the cause of one of kind `unknown`. */
  static from(thrown: unknown): TidewatchError {
    return thrown instanceof TidewatchError
      ? thrown
      : new TidewatchError('unknown', describe(thrown), { cause: thrown });
  }

  /** Whether the same call may succeed later without anybody changing anything. Decided by the kind. */
  get retryable(): boolean {
    return RETRYABLE.has(this.kind);
  }
}

/**
 * For the static block of a class that extends `TidewatchError`: its instances have this name, and `instanceof` recognises them across
 * two copies of the package.
 */
export function brandError(errorClass: { readonly prototype: Error }, name: string): void {
  brand(errorClass, name);
  Object.defineProperty(errorClass.prototype, 'name', { value: name, writable: true, configurable: true });
}

/** In words. Errors of another realm, as under Jest, count as errors. Never throws. */
function describe(thrown: unknown): string {
  const notAnError = 'something other than an Error was thrown';
  try {
    const { message, name } = Object(thrown) as { message?: unknown; name?: unknown };
    return typeof message === 'string' ? message || String(name) : `${notAnError}: ${String(thrown)}`;
  } catch {
    return `${notAnError}, and it cannot be shown as text`;
  }
}
