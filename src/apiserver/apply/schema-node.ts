import type { JsonObject, JsonValue } from '../values/json.ts';

export type ScalarKind = 'string' | 'numeric' | 'boolean' | 'untyped';

/**
 * What a value may be, and what several writers may share of it: structured-merge-diff's view of a type. A node with
 * more than one of `scalar`, `map` and `list` takes any of them. Nodes are immutable, and equal types share one node.
 */
export interface MergeSchema {
  readonly scalar?: ScalarKind;
  readonly map?: MapSchema;
  readonly list?: ListSchema;
  /** The type is compiled in: what managers owned under it yesterday fits it today. */
  readonly fixed?: true;
}

/** Structs and maps alike. */
export interface MapSchema {
  /** The whole map has one owner, like a scalar. */
  readonly atomic: boolean;
  /** Whether some fields are declared by name; a map of free keys declares none. */
  readonly struct: boolean;
  /** A declared field. Undefined for a key that is not declared, whether or not it is allowed. */
  field(name: string): FieldNode | undefined;
  /** The schema of keys that are not declared; undefined when no such key is allowed. */
  readonly elements: MergeSchema | undefined;
  /** What JSON shows of the type's zero value: on a create these fields count as there before. */
  readonly zero: JsonObject;
}

export interface FieldNode {
  readonly schema: MergeSchema;
  /** Stands in for an absent key of a list item (`protocol: TCP`). */
  readonly default?: JsonValue;
}

export interface ListSchema {
  readonly kind: 'atomic' | 'set' | 'map';
  /** The fields that identify an item; empty unless `kind` is `map`. */
  readonly keys: readonly string[];
  readonly items: MergeSchema;
}

/** Anything, owned as a whole. */
export const untypedAtomic: MergeSchema = {
  scalar: 'untyped',
  map: freeMap(true, () => untypedAtomic),
  list: {
    kind: 'atomic',
    keys: [],
    get items() {
      return untypedAtomic;
    },
  },
};

/** Anything: lists are owned as a whole, maps key by key. What an object without a schema gets. */
export const untypedDeduced: MergeSchema = {
  scalar: 'untyped',
  map: freeMap(false, () => untypedDeduced),
  list: { kind: 'atomic', keys: [], items: untypedAtomic },
};

export function freeMap(atomic: boolean, elements: () => MergeSchema): MapSchema {
  return {
    atomic,
    struct: false,
    zero: {},
    field: () => undefined,
    get elements() {
      return elements();
    },
  };
}

/** The schema under a key. A key that no schema knows is left to its value: validation is where it is refused. */
export function childSchema(map: MapSchema, key: string): MergeSchema {
  return map.field(key)?.schema ?? map.elements ?? untypedDeduced;
}

export type ValueKind = 'map' | 'scalar' | 'list';

/** Which part of the schema handles a value. What fits nothing (null too) goes to the first part there is. */
export function kindOf(schema: MergeSchema, value: JsonValue | undefined): ValueKind {
  if (value !== undefined && value !== null) {
    if (Array.isArray(value)) {
      if (schema.list) return 'list';
    } else if (typeof value === 'object') {
      if (schema.map) return 'map';
    } else if (schema.scalar) {
      return 'scalar';
    }
  }
  if (schema.map) return 'map';
  return schema.scalar ? 'scalar' : 'list';
}
