import { printable } from './printable.ts';
import { brandError, TidewatchError } from './tidewatch-error.ts';

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

/** What is known of a request that got no answer. */
export interface TransportErrorOptions {
  /** What lies behind it. */
  cause?: unknown | undefined;
  /** The server's URL, without anything secret. */
  server?: string | undefined;
}

/**
 * No response, or only a part of one. The message names the server and says what to do, without control characters of others;
 * `cause` is the error of the system. An abort is not a TransportError: the signal's own reason is thrown.
 */
export class TransportError extends TidewatchError {
  declare readonly name: 'TransportError';
  declare readonly kind: TransportErrorKind;
  declare readonly server: string | undefined;

  static {
    brandError(TransportError, 'TransportError');
  }

  constructor(kind: TransportErrorKind, message: string, options: TransportErrorOptions = {}) {
    super(kind, printable(message), options);
    if (options.server !== undefined) this.server = options.server;
  }
}

/** Why a request got no answer, in a word. */
export function requestFailure(thrown: unknown): string {
  return thrown instanceof TransportError ? thrown.kind : 'aborted';
}
