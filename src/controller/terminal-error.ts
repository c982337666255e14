import { brandError, TidewatchError } from '../api/tidewatch-error.ts';

/**
 * For a reconcile that fails and would fail again: the key is not retried, and runs again when something changes. Everything else that a
 * reconcile throws is retried. controller-runtime's `TerminalError`.
 */
export class TerminalError extends TidewatchError {
  declare readonly name: 'TerminalError';
  declare readonly kind: 'terminal';

  static {
    brandError(TerminalError, 'TerminalError');
  }

  constructor(message: string, options?: ErrorOptions) {
    super('terminal', message, options);
  }
}
