import { brandError, TidewatchError } from './tidewatch-error.ts';

/** A transform threw, or returned what cannot be stored in the place of the object that it was given. That object is not stored. */
export class TransformError extends TidewatchError {
  declare readonly name: 'TransformError';
  declare readonly kind: 'transform';
  /** Of the object. */
  readonly key: string;

  static {
    brandError(TransformError, 'TransformError');
  }

  constructor(key: string, message: string, options?: ErrorOptions) {
    super('transform', message, options);
    this.key = key;
  }
}
