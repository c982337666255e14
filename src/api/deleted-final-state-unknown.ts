import { brand } from './brand.ts';

/**
 * A tombstone: the object is gone, but the moment of its deletion was missed, so `obj` is the last state known, which
 * may be stale, or undefined when none was. client-go's `cache.DeletedFinalStateUnknown`.
 * `instanceof` recognises it across two copies of the package.
 */
export class DeletedFinalStateUnknown<T = unknown> {
  readonly key: string;
  readonly obj: T;

  static {
    brand(DeletedFinalStateUnknown, 'DeletedFinalStateUnknown');
  }

  constructor(key: string, obj: T) {
    this.key = key;
    this.obj = obj;
  }
}
