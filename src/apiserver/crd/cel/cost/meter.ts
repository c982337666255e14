/** What one expression may cost when it is evaluated. */
export const CALL_LIMIT = 1_000_000;

/** An expression that was stopped because it costs too much; unlike a `CelError`, no other part of it can hide this. */
export class CostExceeded extends Error {
  override readonly name = 'CostExceeded';

  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** Adds up what evaluating one expression costs, as the server counts, and stops it at the limit. */
export class Meter {
  readonly #limit: number;
  #cost = 0;

  constructor(limit = CALL_LIMIT) {
    this.#limit = limit;
  }

  get cost(): number {
    return this.#cost;
  }

  charge(cost: number): void {
    this.#cost += cost;
    if (this.#cost > this.#limit) throw new CostExceeded();
  }
}
