import type { Meter } from './cost/meter.ts';
import type { CelValue } from './values.ts';

/** The variables that an expression sees, and the meter that counts what it costs. */
export class Scope {
  readonly meter: Meter;
  readonly #variables: ReadonlyMap<string, CelValue>;
  readonly #name: string | undefined;
  readonly #value: CelValue;
  readonly #outer: Scope | undefined;

  constructor(meter: Meter, variables: ReadonlyMap<string, CelValue>);
  constructor(meter: Meter, variables: ReadonlyMap<string, CelValue>, name: string, value: CelValue, outer: Scope);
  constructor(
    meter: Meter,
    variables: ReadonlyMap<string, CelValue>,
    name?: string,
    value: CelValue = null,
    outer?: Scope,
  ) {
    this.meter = meter;
    this.#variables = variables;
    this.#name = name;
    this.#value = value;
    this.#outer = outer;
  }

  get(name: string): CelValue | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#outer) {
      if (scope.#name === name) return scope.#value;
    }
    return this.#variables.get(name);
  }

  /** The scope with one variable more. */
  with(name: string, value: CelValue): Scope {
    return new Scope(this.meter, this.#variables, name, value, this);
  }
}
