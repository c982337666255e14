import { printable } from './printable.ts';

const BRAND = Symbol.for('tidewatch.TransportError');

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

export interface TransportErrorOptions {
  cause?: unknown;
  /** The server's URL, without anything secret. */
  server?: string;
}

/**
 * No response, or only a part of one. The message names the server and says what to do, without control characters of others;
 * `cause` is the error of the system. An abort is not a TransportError: the signal's own reason is thrown. Matches with `instanceof` across two
 * copies of the package.
 */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly kind: TransportErrorKind;
  readonly server: string | undefined;

  constructor(kind: TransportErrorKind, message: string, options: TransportErrorOptions = {}) {
    super(printable(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.server = options.server;
    Object.defineProperty(this, BRAND, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && BRAND in value;
  }

  /** Whether the same request may well succeed later without anybody changing a setting. */
  get retryable(): boolean {
    return ['refused', 'reset', 'dns', 'unreachable', 'timeout', 'proxy'].includes(this.kind);
  }
}
