import { printable } from './printable.ts';
import { brandError, TidewatchError, type TransportErrorKind } from './tidewatch-error.ts';

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
