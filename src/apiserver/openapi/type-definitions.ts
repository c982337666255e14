import type { FieldSchema, TypeSchema } from '../../api/type-schema.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import type { JsonObject, JsonValue } from '../values/json.ts';
import { PATCH_SCHEMA } from './api-operations.ts';
import { META_DESCRIPTIONS } from './meta-descriptions.ts';

/** The two generations differ in how they refer to another schema, and in what they can say of mixed types. */
export type Generation = 'v2' | 'v3';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

interface Named {
  readonly name: string;
  readonly schema: (generation: Generation) => JsonObject;
}

/** Scalars that have a name of their own in OpenAPI. */
const NAMED: ReadonlyMap<string, Named> = new Map<string, Named>([
  ['Time', { name: `${META}.Time`, schema: () => ({ type: 'string', format: 'date-time' }) }],
  ['MicroTime', { name: `${META}.MicroTime`, schema: () => ({ type: 'string', format: 'date-time' }) }],
  ['Duration', { name: `${META}.Duration`, schema: () => ({ type: 'string' }) }],
  ['FieldsV1', { name: `${META}.FieldsV1`, schema: () => ({ type: 'object' }) }],
  ['RawExtension', { name: 'io.k8s.apimachinery.pkg.runtime.RawExtension', schema: () => ({ type: 'object' }) }],
  ['JSON', { name: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON', schema: () => ({}) }],
  [
    'Quantity',
    {
      name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
      schema: (generation) =>
        generation === 'v2' ? { type: 'string' } : { oneOf: [{ type: 'string' }, { type: 'number' }] },
    },
  ],
  [
    'IntOrString',
    {
      name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
      schema: (generation) => ({
        ...(generation === 'v2' ? { type: 'string' } : { oneOf: [{ type: 'integer' }, { type: 'string' }] }),
        format: 'int-or-string',
      }),
    },
  ],
]);
const NAMED_BY_NAME = new Map([...NAMED.values()].map((named) => [named.name, named]));

const PLAIN: Readonly<Record<string, JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  float: { type: 'number', format: 'float' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};
/** What an absent element of a list or map of scalars is. */
const ZERO: Readonly<Record<string, JsonValue>> = { string: '', bool: false, int32: 0, int64: 0, float: 0, double: 0 };

export interface GroupVersionKindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Collects the schemas that a document refers to, each with all that it refers to in turn. */
export class TypeDefinitions {
  readonly schemas = new Map<string, JsonObject>();
  readonly #generation: Generation;
  readonly #kinds: ReadonlyMap<string, readonly GroupVersionKindName[]>;

  /** `kinds` says which schemas are those of kinds, for `x-kubernetes-group-version-kind`. */
  constructor(generation: Generation, kinds: ReadonlyMap<string, readonly GroupVersionKindName[]>) {
    this.#generation = generation;
    this.#kinds = kinds;
  }

  /** A reference to a schema, which is added to the document. */
  refer(name: string): JsonObject {
    if (!this.schemas.has(name)) {
      // First the place, then the contents: types may contain themselves.
      this.schemas.set(name, {});
      this.schemas.set(name, this.#withKinds(name, this.#build(name)));
    }
    return { $ref: this.#generation === 'v2' ? `#/definitions/${name}` : `#/components/schemas/${name}` };
  }

  /** Adds a schema that comes from elsewhere; it may refer to others with `refer`. */
  add(name: string, schema: JsonObject): void {
    this.schemas.set(name, this.#withKinds(name, schema));
  }

  /** A reference with room for other keys beside it, which v3 does not allow next to `$ref`. */
  referBeside(name: string, others: JsonObject): JsonObject {
    const reference = this.refer(name);
    return this.#generation === 'v2' ? { ...reference, ...others } : { allOf: [reference], ...others };
  }

  #withKinds(name: string, schema: JsonObject): JsonObject {
    const kinds = this.#kinds.get(name);
    if (kinds === undefined) return schema;
    return { ...schema, 'x-kubernetes-group-version-kind': kinds.map((kind) => ({ ...kind })) };
  }

  #build(name: string): JsonObject {
    const named = NAMED_BY_NAME.get(name);
    if (named !== undefined) return named.schema(this.#generation);
    const type = name === PATCH_SCHEMA ? undefined : typeSchema(name);
    // Types that no table describes (Patch is one) are objects of any shape.
    if (type === undefined) return { type: 'object' };
    return type.form === 'choice' ? {} : this.#struct(type);
  }

  #struct(type: TypeSchema): JsonObject {
    const properties: JsonObject = {};
    const required: string[] = [];
    const descriptions = META_DESCRIPTIONS.get(type.name);
    for (const field of jsonFields(type)) {
      const description = descriptions?.[field.json];
      properties[field.json] = { ...this.#field(field), ...(description === undefined ? {} : { description }) };
      if (field.required) required.push(field.json);
    }
    return {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      ...(Object.keys(properties).length === 0 ? {} : { properties: sorted(properties) }),
      ...(type.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    };
  }

  #field(field: FieldSchema): JsonObject {
    const others: JsonObject = {
      ...(field.default === undefined ? {} : { default: field.default as JsonValue }),
      ...(field.listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': [...field.listMapKeys] }),
      ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
      ...(field.mapType === undefined ? {} : { 'x-kubernetes-map-type': field.mapType }),
      ...(field.patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
      ...(field.patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategy }),
    };
    if (field.shape === 'list') return { type: 'array', items: this.#element(field.type), ...others };
    if (field.shape === 'map') {
      return { type: 'object', additionalProperties: this.#element(field.type), ...others };
    }
    return this.#single(field, others);
  }

  #single(field: FieldSchema, others: JsonObject): JsonObject {
    const plain = PLAIN[field.type];
    if (plain !== undefined) return { ...plain, ...others };
    const named = NAMED.get(field.type);
    if (named !== undefined) return this.referBeside(named.name, others);
    const value = valueField(field.type);
    if (value !== undefined) return { ...this.#field(value), ...others };
    const isStruct = !field.pointer && typeSchema(field.type)?.form === undefined;
    return this.referBeside(field.type, { ...(isStruct ? { default: {} } : {}), ...others });
  }

  #element(type: string): JsonObject {
    const plain = PLAIN[type];
    const zero = ZERO[type];
    if (plain !== undefined) return { ...plain, ...(zero === undefined ? {} : { default: zero }) };
    const named = NAMED.get(type);
    if (named !== undefined) return this.refer(named.name);
    const value = valueField(type);
    if (value !== undefined) return this.#field(value);
    return typeSchema(type)?.form === undefined ? this.referBeside(type, { default: {} }) : this.refer(type);
  }
}

/** The one field of a type that JSON shows as that field's value. */
function valueField(type: string): FieldSchema | undefined {
  const schema = typeSchema(type);
  return schema?.form === 'value' ? schema.fields[0] : undefined;
}

/** With the fields of embedded structs in their places. */
function jsonFields(type: TypeSchema): FieldSchema[] {
  return type.fields.flatMap((field) => {
    if (!field.inline) return [field];
    const embedded = typeSchema(field.type);
    return embedded === undefined ? [] : jsonFields(embedded);
  });
}

export function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
