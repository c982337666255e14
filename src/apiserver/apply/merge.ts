import { getKey, isObject, type JsonObject, type JsonValue, setKey } from '../values/json.ts';
import { itemElement } from './list-item.ts';
import type { PathElement } from './path-element.ts';
import { childSchema, kindOf, type ListSchema, type MapSchema, type MergeSchema } from './schema-node.ts';

/**
 * `live` with everything that `config` says on top. Nothing goes away: a null in `config` replaces scalars and atomic
 * values only. The result shares what did not change with its operands. Throws `SchemaMismatch`.
 */
export function merge(live: JsonValue, config: JsonValue, schema: MergeSchema): JsonValue {
  let root: JsonValue = config;
  const open: Pending[] = [{ live, config, schema, put: (value) => (root = value) }];
  // Without recursion: values may nest more deeply than the stack reaches.
  for (let next = open.pop(); next; next = open.pop()) next.put(mergeOne(next, open));
  return root;
}

/** Two values that are still to be merged, and where the result goes. */
interface Pending {
  readonly live: JsonValue;
  readonly config: JsonValue;
  readonly schema: MergeSchema;
  put(merged: JsonValue): void;
}

function mergeOne({ live, config, schema }: Pending, open: Pending[]): JsonValue {
  const kind = kindOf(schema, config);
  if (kind === 'map' && schema.map && !schema.map.atomic) {
    const [ours, theirs] = [mapOf(live), mapOf(config)];
    if (hasKeys(ours) || hasKeys(theirs)) return mergeMaps(ours, theirs, schema.map, open);
  } else if (kind === 'list' && schema.list && schema.list.kind !== 'atomic') {
    const [ours, theirs] = [listOf(live), listOf(config)];
    if (ours.length > 0 || theirs.length > 0) return mergeLists(ours, theirs, schema.list, open);
  }
  return config;
}

function mergeMaps(live: JsonObject, config: JsonObject, map: MapSchema, open: Pending[]): JsonObject {
  const out: JsonObject = { ...live };
  for (const [key, value] of Object.entries(config)) {
    if (value === undefined) continue;
    const current = getKey(live, key);
    if (current === undefined) setKey(out, key, value);
    else {
      const put = (merged: JsonValue) => setKey(out, key, merged);
      open.push({ live: current, config: value, schema: childSchema(map, key), put });
    }
  }
  return out;
}

/** Live items keep their places among each other, and so do configured ones; those in both follow the configuration. */
function mergeLists(
  live: readonly JsonValue[],
  config: readonly JsonValue[],
  list: ListSchema,
  open: Pending[],
): JsonValue[] {
  const liveElements = live.map((item) => itemElement(list, item));
  const configElements = config.map((item) => itemElement(list, item));
  const configured = new Set(configElements);
  const liveItems = itemsOnce(live, liveElements);
  const shared = configElements.filter((element) => liveItems.has(element));
  /** How many of the shared ones have been taken. */
  let s = 0;
  const merged = new Set<PathElement>();
  const out: JsonValue[] = [];
  const take = (element: PathElement, item: JsonValue): void => {
    merged.add(element);
    const current = liveItems.get(element);
    const place = out.push(item) - 1;
    if (current !== undefined) {
      const put = (value: JsonValue) => {
        out[place] = value;
      };
      open.push({ live: current, config: item, schema: list.items, put });
    }
    if (shared[s] === element) s++;
  };

  let l = 0;
  let c = 0;
  while (l < live.length || c < config.length) {
    const ours = liveElements[l];
    const theirs = configElements[c];
    if (ours !== undefined && theirs !== undefined) {
      if (ours === theirs) {
        take(theirs, config[c] as JsonValue);
        l++;
        c++;
        continue;
      }
      if (configured.has(ours) && s < shared.length && shared[s] !== ours) {
        l++;
        continue;
      }
    }
    if (ours !== undefined) {
      if (!configured.has(ours)) {
        out.push(live[l] as JsonValue);
        l++;
        continue;
      }
      if (merged.has(ours)) l++;
    }
    if (theirs !== undefined) {
      take(theirs, config[c] as JsonValue);
      c++;
    }
  }
  return out;
}

/** Items that share their keys take no part in a merge: null stands for each such group. */
function itemsOnce(items: readonly JsonValue[], elements: readonly PathElement[]): Map<PathElement, JsonValue> {
  const out = new Map<PathElement, JsonValue>();
  for (const [index, element] of elements.entries()) {
    out.set(element, out.has(element) ? null : (items[index] as JsonValue));
  }
  return out;
}

function hasKeys(value: JsonObject): boolean {
  return Object.keys(value).length > 0;
}

function mapOf(value: JsonValue): JsonObject {
  return isObject(value) ? value : {};
}

function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
