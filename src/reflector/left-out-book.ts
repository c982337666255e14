import { MAX_DESCRIBED, ONE_OF_MANY } from '../api/cached.ts';
import { asError, ReflectorError } from './reflector-error.ts';
import type { LeftOut } from './reflector-state.ts';

/** The objects of one list that cannot be used: the first hundred with what is wrong, of the others the keys, or their number. */
export class Unusable {
  /** Of the first hundred. */
  readonly errors: ReflectorError[] = [];
  readonly keys = new Set<string>();
  /** How many have no key that could be read. */
  unnamed = 0;

  get count(): number {
    return this.keys.size + this.unnamed;
  }

  add(what: string, key: string | undefined, cause: unknown): void {
    if (this.errors.length < MAX_DESCRIBED) this.errors.push(unusableError(what, key, cause));
    if (key === undefined) this.unnamed++;
    else this.keys.add(key);
  }
}

export function unusableError(what: string, key: string | undefined, cause: unknown): ReflectorError {
  const options = key === undefined ? { cause } : { cause, key };
  return new ReflectorError('unusable', `${what} cannot be used: ${asError(cause).message}`, options);
}

/** Most of the time. */
const NOTHING = new Map<string, LeftOut>();

/** What the last whole state had and the target has not, because it could not be used. */
export class LeftOutBook {
  /** Those with a key, by it, and some without. */
  #entries = NOTHING;
  #unnamed = 0;
  /** Of those without a key, how many have no entry. */
  #further = 0;

  get count(): number {
    return this.#entries.size + this.#further;
  }

  /** A field, so that asking for each event costs nothing. */
  isEmpty = true;

  /** The first hundred. */
  get first(): readonly LeftOut[] {
    const first: LeftOut[] = [];
    for (const entry of this.#entries.values()) {
      if (first.length === MAX_DESCRIBED) break;
      first.push(entry);
    }
    return first;
  }

  has(key: string | undefined): boolean {
    return key !== undefined && this.#entries.has(key);
  }

  /** Whether there is one among them that has not been left out so far. Those without a key can only be counted. */
  isNewsIn({ keys, unnamed }: Unusable): boolean {
    if (unnamed > this.#unnamed) return true;
    for (const key of keys) if (!this.#entries.has(key)) return true;
    return false;
  }

  /** These, and no others, are left out. */
  replace({ errors, keys, unnamed }: Unusable): void {
    this.#entries = new Map();
    for (const [index, { key = '', cause, message }] of errors.entries()) {
      this.#entries.set(key || `#${index}`, { key, reason: cause === undefined ? message : asError(cause).message });
    }
    const described = errors.filter(({ key }) => key === undefined).length;
    for (const key of keys) {
      if (!this.#entries.has(key)) this.#entries.set(key, { key, reason: ONE_OF_MANY.problem.message });
    }
    this.#unnamed = unnamed;
    this.#further = unnamed - described;
    this.isEmpty = this.count === 0;
  }

  clear(): void {
    this.#entries = NOTHING;
    this.#unnamed = 0;
    this.#further = 0;
    this.isEmpty = true;
  }

  /** Whether it was left out. */
  delete(key: string): boolean {
    const wasLeftOut = this.#entries.delete(key);
    this.isEmpty = this.count === 0;
    return wasLeftOut;
  }
}
