import type { FieldSchema, ScalarType, TypeSchema } from '../../api/type-schema.ts';
import { asArray, getKey, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import {
  type FieldNode,
  freeMap,
  type ListSchema,
  type MapSchema,
  type MergeSchema,
  type ScalarKind,
  untypedAtomic,
  untypedDeduced,
} from './schema-node.ts';

export type { MergeSchema } from './schema-node.ts';

export type ResolveType = (name: string) => TypeSchema | undefined;

const nodesByResolver = new WeakMap<ResolveType, Map<string, MergeSchema>>();

/** The merge schema of a built-in type. Nodes are remembered for as long as the resolver lives. */
export function mergeSchemaOf(typeName: string, resolve: ResolveType): MergeSchema {
  let nodes = nodesByResolver.get(resolve);
  if (!nodes) {
    nodes = new Map();
    nodesByResolver.set(resolve, nodes);
  }
  return typeNode(typeName, false, { resolve, nodes });
}

interface Types {
  readonly resolve: ResolveType;
  /** By type name; a type that a field declares atomic has a node of its own. */
  readonly nodes: Map<string, MergeSchema>;
}

function typeNode(name: string, atomic: boolean, types: Types): MergeSchema {
  const key = atomic ? `atomic ${name}` : name;
  const known = types.nodes.get(key);
  if (known) return known;
  const type = types.resolve(name);
  const node = type ? nodeOf(type, atomic, types) : untypedDeduced;
  types.nodes.set(key, node);
  return node;
}

function nodeOf(type: TypeSchema, atomic: boolean, types: Types): MergeSchema {
  const [only] = type.fields;
  if (type.form === 'value' && only) return fieldSchema(only, types);
  if (type.form === 'choice') return untypedDeduced;
  return { fixed: true, map: new StructNode(type, atomic || type.atomic === true, types) };
}

/** With the fields of embedded structs in the places where JSON shows them. */
export function jsonFields(type: TypeSchema, resolve: ResolveType): FieldSchema[] {
  return type.fields.flatMap((field) => {
    if (!field.inline) return [field];
    const embedded = resolve(field.type);
    return embedded ? jsonFields(embedded, resolve) : [];
  });
}

/** Fields become nodes when first asked for: types may contain themselves. */
class StructNode implements MapSchema {
  readonly atomic: boolean;
  readonly struct: boolean;
  readonly elements: MergeSchema | undefined;
  readonly #types: Types;
  readonly #fields: Map<string, FieldSchema>;
  readonly #nodes = new Map<string, FieldNode>();
  #zero: JsonObject | undefined;

  constructor(type: TypeSchema, atomic: boolean, types: Types) {
    this.atomic = atomic;
    this.#types = types;
    this.#fields = new Map(jsonFields(type, types.resolve).map((field) => [field.json, field]));
    this.struct = this.#fields.size > 0;
    this.elements = this.struct ? undefined : untypedDeduced;
  }

  field(name: string): FieldNode | undefined {
    const known = this.#nodes.get(name);
    if (known) return known;
    const field = this.#fields.get(name);
    if (!field) return undefined;
    const schema = fieldSchema(field, this.#types);
    const node = field.default === undefined ? { schema } : { schema, default: field.default as JsonValue };
    this.#nodes.set(name, node);
    return node;
  }

  get zero(): JsonObject {
    if (!this.#zero) {
      this.#zero = {};
      for (const field of this.#fields.values()) {
        const value = zeroValue(field, () => this.field(field.json)?.schema.map?.zero ?? null);
        if (value !== undefined) this.#zero[field.json] = value;
      }
    }
    return this.#zero;
  }
}

function fieldSchema(field: FieldSchema, types: Types): MergeSchema {
  const atomicMap = field.mapType === 'atomic';
  const scalar = SCALARS.get(field.type);
  const element = (atomic: boolean): MergeSchema => scalar ?? typeNode(field.type, atomic, types);
  if (field.shape === 'one') return element(atomicMap);
  if (field.shape === 'list') return { list: { ...listRelation(field), items: element(false) } };
  return { map: freeMap(atomicMap, () => element(false)) };
}

/** The list type that OpenAPI declares; without one, the patch strategy tells. */
function listRelation(field: FieldSchema): Omit<ListSchema, 'items'> {
  if (field.listType === 'map') return { kind: 'map', keys: field.listMapKeys ?? [] };
  if (field.listType) return { kind: field.listType, keys: [] };
  if (!field.patchStrategy?.split(',').includes('merge')) return { kind: 'atomic', keys: [] };
  return field.patchMergeKey ? { kind: 'map', keys: [field.patchMergeKey] } : { kind: 'set', keys: [] };
}

const SCALARS = new Map<string, MergeSchema>(
  (
    [
      ['string', 'string'],
      ['bytes', 'string'],
      ['bool', 'boolean'],
      ['int32', 'numeric'],
      ['int64', 'numeric'],
      ['float', 'numeric'],
      ['double', 'numeric'],
      ['Duration', 'string'],
      ['Time', 'untyped'],
      ['MicroTime', 'untyped'],
      ['Quantity', 'untyped'],
      ['IntOrString', 'untyped'],
    ] satisfies [ScalarType, ScalarKind][]
  ).map(([type, scalar]) => [type, { scalar }]),
);
SCALARS.set('RawExtension' satisfies ScalarType, untypedAtomic);
SCALARS.set('JSON' satisfies ScalarType, untypedDeduced);
SCALARS.set('FieldsV1' satisfies ScalarType, { map: freeMap(false, () => untypedDeduced) });

/** Go structs that JSON shows as a scalar: `omitempty` does not hide them. */
const ZERO_OF_SCALAR_STRUCT = new Map<string, JsonValue>([
  ['Time', null],
  ['MicroTime', null],
  ['Duration', '0s'],
  ['Quantity', '0'],
  ['IntOrString', 0],
  ['RawExtension', null],
  ['JSON', null],
  ['FieldsV1', null],
]);

function zeroValue(field: FieldSchema, zeroOfMessage: () => JsonValue): JsonValue | undefined {
  if (field.omit === 'zero') return undefined;
  if (field.pointer || field.shape !== 'one') return field.omit === 'never' ? null : undefined;
  const scalar = SCALARS.get(field.type);
  if (!scalar) return zeroOfMessage();
  const ofStruct = ZERO_OF_SCALAR_STRUCT.get(field.type);
  if (ofStruct !== undefined) return ofStruct;
  if (field.omit === 'empty') return undefined;
  if (field.type === 'bytes') return null;
  if (scalar.scalar === 'numeric') return 0;
  return scalar.scalar === 'boolean' ? false : '';
}

/** The parts of `metav1.ObjectMeta` in which it differs from what a schema of one's own would say. */
const OBJECT_META: JsonObject = {
  type: 'object',
  properties: {
    annotations: { type: 'object', additionalProperties: { type: 'string' } },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
    finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        properties: {
          apiVersion: { type: 'string' },
          blockOwnerDeletion: { type: 'boolean' },
          controller: { type: 'boolean' },
          kind: { type: 'string' },
          name: { type: 'string' },
          uid: { type: 'string' },
        },
      },
    },
    managedFields: { type: 'array', items: { type: 'object' } },
    creationTimestamp: { type: 'string', format: 'date-time' },
    deletionTimestamp: { type: 'string', format: 'date-time' },
    deletionGracePeriodSeconds: { type: 'integer' },
    generation: { type: 'integer' },
    generateName: { type: 'string' },
    name: { type: 'string' },
    namespace: { type: 'string' },
    resourceVersion: { type: 'string' },
    selfLink: { type: 'string' },
    uid: { type: 'string' },
  },
};

/** The merge schema of a custom resource, from `openAPIV3Schema` of its version; without one everything is deduced. */
export function mergeSchemaOfStructural(openAPIV3Schema: JsonObject | undefined): MergeSchema {
  if (openAPIV3Schema === undefined) return untypedDeduced;
  const embedded = { ...openAPIV3Schema, type: 'object', 'x-kubernetes-embedded-resource': true };
  return structuralNode(embedded, false);
}

/** `preserved`: some schema above keeps unknown fields, which holds for everything below it. */
function structuralNode(schema: JsonValue | undefined, preserved: boolean): MergeSchema {
  if (!isObject(schema)) return untypedDeduced;
  const preserve = preserved || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return { map: structuralMap(schema, preserve) };
    case 'array':
      return { list: structuralList(schema, preserve) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: schema.format === undefined || schema.format === 'byte' ? 'string' : 'untyped' };
    default:
      return { scalar: 'untyped', map: structuralMap(schema, preserve), list: structuralList(schema, preserve) };
  }
}

function structuralList(schema: JsonObject, preserve: boolean): ListSchema {
  const type = schema['x-kubernetes-list-type'];
  const keys = type === 'map' ? asArray(schema['x-kubernetes-list-map-keys']) : [];
  let items: MergeSchema | undefined;
  return {
    kind: type === 'set' || type === 'map' ? type : 'atomic',
    keys: keys.filter((key) => typeof key === 'string'),
    get items() {
      items ??= isObject(schema.items) ? structuralNode(schema.items, preserve) : untypedAtomic;
      return items;
    },
  };
}

/** Fields become nodes when first asked for: schemas may nest more deeply than the stack reaches. */
function structuralMap(schema: JsonObject, preserve: boolean): MapSchema {
  const properties = new Map(Object.entries(isObject(schema.properties) ? schema.properties : {}));
  if (schema['x-kubernetes-embedded-resource'] === true) {
    properties.set('apiVersion', { type: 'string' });
    properties.set('kind', { type: 'string' });
    properties.set('metadata', OBJECT_META);
  }
  const nodes = new Map<string, FieldNode>();
  let elements: { schema: MergeSchema | undefined } | undefined;
  return {
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    struct: properties.size > 0,
    zero: {},
    field(name) {
      const known = nodes.get(name);
      if (known || !properties.has(name)) return known;
      const property = properties.get(name);
      const inner = structuralNode(property, preserve && property !== OBJECT_META);
      const fallback = isObject(property) ? getKey(property, 'default') : undefined;
      const node = fallback === undefined ? { schema: inner } : { schema: inner, default: fallback };
      nodes.set(name, node);
      return node;
    },
    get elements() {
      elements ??= { schema: elementsOf(schema.additionalProperties, preserve, properties.size > 0) };
      return elements.schema;
    },
  };
}

function elementsOf(
  additional: JsonValue | undefined,
  preserve: boolean,
  declaresFields: boolean,
): MergeSchema | undefined {
  if (isObject(additional)) return structuralNode(additional, preserve);
  if (additional === undefined) return preserve || !declaresFields ? untypedDeduced : undefined;
  return additional === true ? untypedDeduced : undefined;
}
