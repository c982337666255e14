import type { BrokenObject, Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import type { Reduction } from '../../api/origin.ts';
import { type FieldRules, reductionByTransform } from '../filter/field-filter.ts';
import { JsonObjectReader } from '../json/json-object-reader.ts';
import type { ExpectedObjects, JsonKeeper, Where } from '../keeping.ts';
import { ObjectIntake } from './decoded-objects.ts';

export interface PlainKeeperOptions {
  /** Take care of managed fields too. */
  rules: FieldRules | undefined;
  dropManagedFields: boolean;
  /** What objects tell that is missing of them. */
  reduction: Reduction | undefined;
}

/** From the text of an object to a `Cached` that holds it decoded. */
export class PlainJsonKeeper<T extends KubernetesObject> implements JsonKeeper<T> {
  readonly #reader: JsonObjectReader;
  readonly #intake: ObjectIntake<T>;
  readonly #transformIntake: ObjectIntake<T>;

  constructor(expected: ExpectedObjects, { rules, dropManagedFields, reduction }: PlainKeeperOptions) {
    const { kind, apiVersion } = expected;
    this.#reader = new JsonObjectReader({ kind, apiVersion, rules, dropManagedFields });
    this.#intake = new ObjectIntake(expected, reduction);
    this.#transformIntake = new ObjectIntake(expected, reductionByTransform(reduction));
  }

  takeWhole(bytes: Buffer, start: number, end: number): Cached<T> | undefined {
    try {
      return this.#intake.take(this.#reader.read(bytes, start, end));
    } catch {
      return undefined;
    }
  }

  take(bytes: Buffer, start: number, end: number, where: Where): Cached<T> | BrokenObject | undefined {
    let value: unknown;
    try {
      value = this.#reader.read(bytes, start, end);
    } catch {
      return undefined;
    }
    return this.#intake.takeOrExplain(value, where);
  }

  takeValue(value: unknown, where: Where): Cached<T> | BrokenObject {
    return this.#intake.takeOrExplain(this.#reader.complete(value), where);
  }

  /** Keeps the very object when nothing of it has to be changed. */
  fromTransform(object: T): Cached<T> {
    return this.#transformIntake.take(this.#completed(object));
  }

  /** The same for an object that will be kept by others. Does not mark it. */
  fromObject(object: T): Cached<T> {
    return this.#intake.take(this.#completed(object));
  }

  #completed(object: T): unknown {
    return this.#reader.isComplete(object) ? object : this.#reader.complete(copyOf(object));
  }
}

/** As deep as completion may change it. */
function copyOf<T extends KubernetesObject>(object: T): T {
  const metadata = object?.metadata;
  return typeof metadata === 'object' && metadata !== null ? { ...object, metadata: { ...metadata } } : { ...object };
}
