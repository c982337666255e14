import type { JsonObject } from '../values/json.ts';
import { finish, resultOf, type Steps } from './steps.ts';
import type { Table } from './storage.ts';
import { StoredObject } from './stored-object.ts';

/**
 * Between the version that is served and those that objects are stored as, by somebody outside: the webhook of a definition. What
 * has to be asked for is a promise, and fails with a `StatusError`. Objects may be changed in place.
 */
export interface OutsideConversion {
  /** `apiVersion` is what the object is stored as, which need not be what others are stored as now. */
  fromStorage(object: JsonObject, apiVersion: string): JsonObject | Promise<JsonObject>;
  /** To the version that objects are stored as from now on. */
  toStorage(object: JsonObject): JsonObject | Promise<JsonObject>;
}

/** Which objects, and in which version: `example.com/v1`. */
interface ShownVersion {
  readonly table: Table;
  readonly apiVersion: string;
}

/** How many conversions of one list are under way at once. */
const AT_ONCE = 8;

/** The objects of a resource as clients of one version see them, converted once. */
export class ShownObjects {
  readonly #version: ShownVersion;
  readonly #outside: OutsideConversion;
  readonly #known = new WeakMap<StoredObject, StoredObject | Promise<StoredObject>>();

  constructor(version: ShownVersion, outside: OutsideConversion) {
    this.#version = version;
    this.#outside = outside;
  }

  /** What was converted before is not converted again. */
  one(stored: StoredObject): StoredObject | Promise<StoredObject> {
    const known = this.#known.get(stored);
    if (known !== undefined) return known;
    const shown = this.fresh(stored);
    this.#known.set(stored, shown);
    if (shown instanceof Promise) {
      shown.then(
        (value) => this.#known.set(stored, value),
        () => this.#known.delete(stored),
      );
    }
    return shown;
  }

  /** Converted now, whether or not it was before: as the real server reads a single object from etcd. */
  fresh(stored: StoredObject): StoredObject | Promise<StoredObject> {
    return finish(this.#convert(stored));
  }

  /** In their order; the first that fails, in that order, is what fails. */
  async all(items: readonly StoredObject[]): Promise<StoredObject[]> {
    const shown: StoredObject[] = [];
    for (let from = 0; from < items.length; from += AT_ONCE) {
      const part = await Promise.allSettled(items.slice(from, from + AT_ONCE).map((item) => this.one(item)));
      for (const result of part) {
        if (result.status === 'rejected') throw result.reason;
        shown.push(result.value);
      }
    }
    return shown;
  }

  *#convert(stored: StoredObject): Steps<StoredObject> {
    const object = yield* resultOf(this.#outside.fromStorage(stored.decode(), stored.apiVersion));
    return shownObject(this.#version, object, stored.revision);
  }
}

/** A state in that version, which is stored nowhere. */
export function shownObject({ table, apiVersion }: ShownVersion, object: JsonObject, revision: number): StoredObject {
  return new StoredObject(object, revision, table.fieldsOf(object), apiVersion);
}
