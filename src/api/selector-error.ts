import { brandError, TidewatchError } from './tidewatch-error.ts';

/** The text is not a selector. The message quotes it and points at the place. */
export class SelectorError extends TidewatchError {
  declare readonly name: 'SelectorError';
  declare readonly kind: 'selector';

  static {
    brandError(SelectorError, 'SelectorError');
  }

  constructor(message: string, options?: ErrorOptions) {
    super('selector', message, options);
  }
}
