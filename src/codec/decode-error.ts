/**
 * - `truncated`: the body ended in the middle of something; asking again may well help.
 * - `malformed`: the bytes are not what they should be.
 * - `unsupported`: well-formed, and not what was asked for (a Table, a page of a proxy, a single object).
 * - `tooLarge`: one value is larger than the codec takes.
 */
export type DecodeErrorKind = 'truncated' | 'malformed' | 'unsupported' | 'tooLarge';

/** The bytes of a response could not be turned into objects. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
  readonly kind: DecodeErrorKind;

  constructor(kind: DecodeErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
