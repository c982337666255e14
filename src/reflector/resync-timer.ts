import type { KubernetesObject } from '../api/metadata.ts';
import type { Timer } from '../observe/clock.ts';
import { asError, ReflectorError } from './reflector-error.ts';
import type { Session } from './session.ts';

/** Has the target queue what it knows, again and again, from the first list on and whatever the server does. */
export class ResyncTimer<T extends KubernetesObject> {
  readonly #session: Session<T>;
  #timer: Timer | undefined;

  constructor(session: Session<T>) {
    this.#session = session;
  }

  /** Idempotent. Does nothing without a period. */
  start(): void {
    const { resyncMs, clock } = this.#session.settings;
    if (resyncMs === 0 || this.#timer !== undefined) return;
    this.#timer = clock.setTimeout(() => {
      this.#timer = undefined;
      if (this.#session.signal.aborted) return;
      this.#resync();
      if (!this.#session.signal.aborted) this.start();
    }, resyncMs);
  }

  stop(): void {
    this.#timer?.clear();
  }

  #resync(): void {
    const { shouldResync, target } = this.#session.settings;
    try {
      if (!shouldResync()) return;
      this.#session.debug('resync');
      target.resync?.()?.catch((cause: unknown) => this.#failed(cause));
    } catch (cause) {
      this.#failed(cause);
    }
  }

  #failed(cause: unknown): void {
    if (this.#session.signal.aborted) return;
    const error = new ReflectorError('resync', `resync failed: ${asError(cause).message}`, { cause });
    this.#session.report(error, 'watching', this.#session.settings.resyncMs);
  }
}
