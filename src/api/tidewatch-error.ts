/** What kind of failure an error is. Each kind means one thing; docs/errors.md says of each when it comes and what to do. */
export type TidewatchErrorKind =
  // No response, or a part of one (TransportError).
  | 'refused'
  | 'reset'
  | 'dns'
  | 'unreachable'
  | 'timeout'
  | 'tls-ca'
  | 'tls-name'
  | 'tls-expired'
  | 'tls'
  | 'proxy'
  | 'protocol'
  | 'credentials'
  | 'closed'
  | 'other'
  // The API server said no (ApiError).
  | 'unauthorized'
  | 'forbidden'
  | 'not-found'
  | 'already-exists'
  | 'conflict'
  | 'expired'
  | 'too-many-requests'
  | 'unavailable'
  | 'rejected'
  // A response cannot be decoded (DecodeError).
  | 'truncated'
  | 'malformed'
  | 'unsupported'
  | 'tooLarge'
  // What a reflector finds wrong where no call has failed (ReflectorError).
  | 'unusable'
  | 'damaged'
  | 'stale'
  | 'olderList'
  | 'silent'
  | 'shortWatch'
  | 'noInitialEventsEnd'
  | 'endedEarly'
  | 'resync'
  // An index (IndexError).
  | 'unknown-index'
  | 'index-conflict'
  | 'index-definition'
  | 'index-function'
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

/** By class: what marks its instances in every copy of the package. */
const BRANDS = new WeakMap<object, symbol>();

/**
 * The base of every error that this library makes, except that wrong arguments are TypeErrors. An abort throws the signal's own
 * reason, and what a function of the user throws is passed on as it is. The message says what happened, to what, and what to do.
 * `instanceof` recognises this class and those of the package that extend it across two copies of the package.
 */
export class TidewatchError extends Error {
  readonly kind: TidewatchErrorKind;

  static {
    brandError(TidewatchError, 'TidewatchError');
    // Classes that extend this one inherit it.
    Object.defineProperty(TidewatchError, Symbol.hasInstance, { value: isInstance });
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

/** Never throws: what was thrown may be anything, a revoked proxy too. */
function isInstance(this: () => unknown, value: unknown): boolean {
  const brand = BRANDS.get(this);
  try {
    // A class that a user has derived has no brand.
    if (brand === undefined) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === 'object' && value !== null && brand in value;
  } catch {
    return false;
  }
}

/**
 * For the static block of a class that extends `TidewatchError`: its instances have this name, and `instanceof` recognises them across
 * two copies of the package.
 */
export function brandError(errorClass: { readonly prototype: Error }, name: string): void {
  const brand = Symbol.for(`tidewatch.${name}`);
  BRANDS.set(errorClass, brand);
  Object.defineProperty(errorClass.prototype, 'name', { value: name, writable: true, configurable: true });
  Object.defineProperty(errorClass.prototype, brand, { value: true });
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
