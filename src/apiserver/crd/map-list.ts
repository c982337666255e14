import { getKey, isObject, type JsonValue } from '../values/json.ts';
import type { Schema } from './structural-schema.ts';

/** Finds items of an old list by the keys of new ones (`x-kubernetes-list-type: map`), each in the time of one look-up. */
export class MapList {
  readonly #keys: readonly string[];
  readonly #items: readonly JsonValue[];
  #index: Map<string, JsonValue> | undefined;

  /** Finds nothing when the old value is not a list, or the schema does not say by which keys items are told apart. */
  constructor(schema: Schema, old: JsonValue | undefined) {
    const isKeyed = schema.listType === 'map' && schema.listMapKeys.length > 0;
    this.#keys = schema.listMapKeys;
    this.#items = isKeyed && Array.isArray(old) ? old : [];
  }

  /** The first old item with the keys of a new one; undefined when there is none, or a key is missing or not a scalar. */
  find(item: JsonValue): JsonValue | undefined {
    if (this.#items.length === 0) return undefined;
    const key = this.#keyOf(item);
    return key === undefined ? undefined : this.#byKey().get(key);
  }

  #byKey(): Map<string, JsonValue> {
    if (this.#index !== undefined) return this.#index;
    this.#index = new Map();
    for (const item of this.#items) {
      const key = this.#keyOf(item);
      if (key !== undefined && !this.#index.has(key)) this.#index.set(key, item);
    }
    return this.#index;
  }

  #keyOf(item: JsonValue): string | undefined {
    if (!isObject(item)) return undefined;
    const values: JsonValue[] = [];
    for (const name of this.#keys) {
      const value = getKey(item, name);
      if (value === undefined || value === null || typeof value === 'object') return undefined;
      values.push(value);
    }
    return JSON.stringify(values);
  }
}
