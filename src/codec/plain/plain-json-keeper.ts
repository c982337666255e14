import type { BrokenObject, Cached } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { type Origin, type Reduction, withOrigin } from '../../api/origin.ts';
import { plainCached } from '../../api/plain-cached.ts';
import { aKind, apiVersionOf } from '../../api/resource.ts';
import { DecodeError } from '../decode-error.ts';
import { type FieldRules, reductionByTransform } from '../filter/field-filter.ts';
import { JsonObjectReader } from '../json/json-object-reader.ts';
import type { ExpectedObjects, JsonKeeper, Where } from '../keeping.ts';
import { broken } from './decoded-objects.ts';

export interface PlainKeeperOptions {
  /** Take care of managed fields too. */
  rules: FieldRules | undefined;
  dropManagedFields: boolean;
  /** What objects tell that is missing of them. */
  reduction: Reduction | undefined;
}

/** From the text of an object to a `Cached` that holds it decoded. */
export class PlainJsonKeeper<T extends KubernetesObject> implements JsonKeeper<T> {
  readonly #expected: ExpectedObjects;
  readonly #reader: JsonObjectReader;
  readonly #origin: Origin | undefined;
  readonly #transformOrigin: Origin;

  constructor(expected: ExpectedObjects, { rules, dropManagedFields, reduction }: PlainKeeperOptions) {
    const { kind, apiVersion } = expected;
    this.#expected = expected;
    this.#reader = new JsonObjectReader({ kind, apiVersion, rules, dropManagedFields });
    this.#origin = reduction && (() => reduction);
    const transformed = reductionByTransform(reduction);
    this.#transformOrigin = () => transformed;
  }

  takeWhole(bytes: Buffer, start: number, end: number): Cached<T> | undefined {
    try {
      return this.#judged(this.#reader.read(bytes, start, end));
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
    return this.#takeOrExplain(value, where);
  }

  takeValue(value: unknown, where: Where): Cached<T> | BrokenObject {
    return this.#takeOrExplain(this.#reader.complete(value), where);
  }

  /** Keeps the very object when nothing of it has to be changed. */
  fromTransform(object: T): Cached<T> {
    return this.#judged(this.#completed(object), this.#transformOrigin);
  }

  /** The same for an object that will be kept by others. Does not mark it. */
  fromObject(object: T): Cached<T> {
    return this.#judged(this.#completed(object));
  }

  #completed(object: T): unknown {
    return this.#reader.isComplete(object) ? object : this.#reader.complete(copyOf(object));
  }

  #takeOrExplain(value: unknown, where: Where): Cached<T> | BrokenObject {
    try {
      return this.#judged(value);
    } catch (cause) {
      return broken(value, `${where()} cannot be used`, cause);
    }
  }

  /** The value, if it is a usable object of the expected kind; throws what is wrong with it. */
  #judged(value: unknown, origin = this.#origin): Cached<T> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new DecodeError('malformed', `expected an object and got ${value === null ? 'null' : typeof value}`);
    }
    const { kind, apiVersion, metadataOf } = this.#expected;
    let object: KubernetesObject = value;
    if (metadataOf !== undefined) object = reduced(object, this.#expected);
    else if (kind !== '' && (object.kind !== kind || object.apiVersion !== apiVersion)) {
      throw new DecodeError(
        'unsupported',
        `expected ${aKind(kind)} of ${apiVersion} and got ${aKind(String(object.kind))} of ${String(object.apiVersion)}`,
      );
    }
    return plainCached((origin ? withOrigin(object, origin) : object) as T);
  }
}

/** As deep as completion may change it. */
function copyOf<T extends KubernetesObject>(object: T): T {
  const metadata = object?.metadata;
  return typeof metadata === 'object' && metadata !== null ? { ...object, metadata: { ...metadata } } : { ...object };
}

function reduced(object: KubernetesObject, { kind, apiVersion, metadataOf }: ExpectedObjects): KubernetesObject {
  const whole =
    metadataOf !== undefined && object.kind === metadataOf.kind && object.apiVersion === apiVersionOf(metadataOf);
  if (!whole && object.kind !== kind) {
    throw new DecodeError('unsupported', `expected ${aKind(kind)} and got ${aKind(String(object.kind))}`);
  }
  return { kind, apiVersion, ...(object.metadata !== undefined && { metadata: object.metadata }) };
}
