import { brandError, TidewatchError } from '../api/tidewatch-error.ts';

/**
 * - `truncated`: the body ended in the middle of something; asking again may well help.
 * - `malformed`: the bytes are not what they should be.
 * - `unsupported`: well-formed, and not what was asked for (a Table, a page of a proxy, a single object).
 * - `tooLarge`: one value is larger than the codec takes.
 */
export type DecodeErrorKind = 'truncated' | 'malformed' | 'unsupported' | 'tooLarge';

/** The bytes of a response could not be turned into objects. */
export class DecodeError extends TidewatchError {
  declare readonly name: 'DecodeError';
  declare readonly kind: DecodeErrorKind;

  static {
    brandError(DecodeError, 'DecodeError');
  }

  constructor(kind: DecodeErrorKind, message: string, options?: ErrorOptions) {
    super(kind, message, options);
  }
}
