/**
 * For the static block of a class whose instances may come from another copy of the package: `instanceof` recognises those as well.
 * A class that extends it, and wants the same, is branded with a name of its own.
 */
export function brand(branded: { readonly prototype: object }, name: string): void {
  const mark = brandOf(name);
  /** Never throws: the value may be anything, a revoked proxy too. */
  function isInstance(this: () => unknown, value: unknown): boolean {
    try {
      // A class that a user has derived has no brand.
      if (this !== branded) return Function.prototype[Symbol.hasInstance].call(this, value);
      return typeof value === 'object' && value !== null && mark in value;
    } catch {
      return false;
    }
  }
  Object.defineProperty(branded.prototype, mark, { value: true });
  Object.defineProperty(branded, Symbol.hasInstance, { value: isInstance });
}

/** What instances of the class of that name have, in every copy of the package. */
export function brandOf(name: string): symbol {
  return Symbol.for(`tidewatch.${name}`);
}
