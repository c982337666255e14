import type { BrokenObject, Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { lacksType } from './json/json-object-reader.ts';
import type { JsonKeeper, Keeping, Where } from './keeping.ts';

interface ItemType {
  readonly kind: string;
  readonly apiVersion: string;
}

/** What a list says its items are: a `FooList` holds objects of kind `Foo`. */
function itemTypeOf(listFields: ReadonlyMap<string, unknown>): ItemType | undefined {
  const kind = listFields.get('kind');
  const apiVersion = listFields.get('apiVersion');
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !/.List$/.test(kind)) return undefined;
  return { kind: kind.slice(0, -'List'.length), apiVersion };
}

/**
 * Takes the items of one list of a resource whose kind only the server knows. Those that do not say their type, as servers
 * leave it out in lists, get it from the list: at once when the list has said it by then, else when it has ended.
 */
export class ItemTypes<T extends KubernetesObject> {
  readonly #keeping: Keeping<T>;
  readonly #keeper: JsonKeeper<T>;
  readonly #listFields: ReadonlyMap<string, unknown>;
  readonly #waiting = new Set<Cached<T>>();
  #typed: JsonKeeper<T> | undefined;

  /** `keeper` takes any kind; `listFields` is what the list has said so far. */
  constructor(keeping: Keeping<T>, keeper: JsonKeeper<T>, listFields: ReadonlyMap<string, unknown>) {
    this.#keeping = keeping;
    this.#keeper = keeper;
    this.#listFields = listFields;
  }

  takeWhole(bytes: Buffer, start: number, end: number): Cached<T> | undefined {
    if (!lacksType(bytes, start, end)) return this.#keeper.takeWhole(bytes, start, end);
    const typed = this.#typedKeeper();
    return typed ? typed.takeWhole(bytes, start, end) : this.#waits(this.#keeper.takeWhole(bytes, start, end));
  }

  take(bytes: Buffer, start: number, end: number, where: Where): Cached<T> | BrokenObject | undefined {
    if (!lacksType(bytes, start, end)) return this.#keeper.take(bytes, start, end, where);
    const typed = this.#typedKeeper()?.take(bytes, start, end, where);
    if (typed !== undefined && !('problem' in typed)) return typed;
    // It may say behind its other fields that it is of another type.
    const taken = this.#keeper.take(bytes, start, end, where);
    return taken === undefined || 'problem' in taken ? taken : this.#waits(taken);
  }

  /** The list has ended: those that wait get what it has said. */
  complete(items: Cached<T>[]): void {
    const type = itemTypeOf(this.#listFields);
    if (type === undefined || this.#waiting.size === 0) return;
    items.forEach((item, i) => {
      if (this.#waiting.has(item)) items[i] = this.#completed(item, type);
    });
  }

  #completed(item: Cached<T>, type: ItemType): Cached<T> {
    const object = item.view();
    if (object.kind && object.apiVersion) return item;
    const { kind, apiVersion, ...rest } = object;
    const whole = { kind: kind || type.kind, apiVersion: apiVersion || type.apiVersion, ...rest };
    const completed = this.#keeper.takeValue(whole, () => item.key);
    return 'problem' in completed ? item : completed;
  }

  #waits<C extends Cached<T> | undefined>(taken: C): C {
    if (taken !== undefined) this.#waiting.add(taken);
    return taken;
  }

  #typedKeeper(): JsonKeeper<T> | undefined {
    const type = this.#typed === undefined ? itemTypeOf(this.#listFields) : undefined;
    if (type !== undefined) this.#typed = this.#keeping.jsonKeeper({ ...type, metadataOf: undefined });
    return this.#typed;
  }
}
