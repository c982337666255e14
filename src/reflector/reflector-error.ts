import { brandError, type ReflectorErrorKind, TidewatchError } from '../api/tidewatch-error.ts';

/** What is known of a failed list or watch. */
export interface ReflectorErrorOptions extends ErrorOptions {
  /** Of the object that it is about. */
  key?: string | undefined;
}

/** A failure that a reflector found and reports; it goes on. */
export class ReflectorError extends TidewatchError {
  declare readonly name: 'ReflectorError';
  declare readonly kind: ReflectorErrorKind;
  /** Of the object that it is about, when it is about one and the key is known. */
  declare readonly key: string | undefined;

  static {
    brandError(ReflectorError, 'ReflectorError');
  }

  constructor(kind: ReflectorErrorKind, message: string, options: ReflectorErrorOptions = {}) {
    super(kind, message, options);
    if (options.key !== undefined) this.key = options.key;
  }
}

/** What is thrown need not be an Error; what is reported is. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : TidewatchError.from(thrown);
}
