import type { Cause } from './controller.ts';

const MAX_CAUSES = 8;

/** Why keys are to be run, until they are. */
export class CauseBook {
  readonly #causes = new Map<string, Cause[]>();

  add(key: string, cause: Cause): void {
    const known = this.#causes.get(key);
    if (known === undefined) this.#causes.set(key, [cause]);
    else if (known.length < MAX_CAUSES) known.push(cause);
  }

  take(key: string): readonly Cause[] {
    const causes = this.#causes.get(key);
    if (causes === undefined) return [];
    this.#causes.delete(key);
    return causes;
  }
}
