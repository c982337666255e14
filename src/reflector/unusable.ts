import { MAX_DESCRIBED } from '../api/broken-objects.ts';
import { asError, ReflectorError } from './reflector-error.ts';

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
