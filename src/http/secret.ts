import { inspect } from 'node:util';

/**
 * Holds what must never be shown. The value is reachable through `reveal` alone: printing, inspecting (also with
 * `showHidden`), serialising or cloning shows only that something is there.
 */
export class Secret<T = string> {
  readonly #value: T;

  constructor(value: T) {
    this.#value = value;
  }

  reveal(): T {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}
