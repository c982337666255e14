import { brand, brandOf } from './brand.ts';

const NAME = 'DeletedFinalStateUnknown';
/** What a tombstone has, of whichever copy of the package it is. */
export const TOMBSTONE = brandOf(NAME);

/**
 * A tombstone: the object is gone, but the moment of its deletion was missed, so `obj` is the last state known, which
 * may be stale, or undefined when none was. client-go's `cache.DeletedFinalStateUnknown`.
 * `instanceof` recognises it across two copies of the package.
 */
export class DeletedFinalStateUnknown<T = unknown> {
  readonly key: string;
  readonly obj: T;

  static {
    brand(DeletedFinalStateUnknown, NAME);
  }

  constructor(key: string, obj: T) {
    this.key = key;
    this.obj = obj;
  }
}
