import type { FieldSchema, TypeSchema } from '../../api/type-schema.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import { isObject, type JsonObject, type JsonValue, setKey } from './json.ts';
import { goTypeName, isScalar, jsonTypeName, readScalar } from './scalar-values.ts';

/** A value that Go could not hold; the message is that of Go's JSON decoder. */
export class DecodeProblem extends Error {
  override readonly name = 'DecodeProblem';
}

export interface TypedObject {
  /** As Go would write the object again: known fields only, in its order, without what `omitempty` leaves out. */
  readonly object: JsonObject;
  /** Paths of fields that the type does not have, in the order of the document: `spec.containers[0].foo`. */
  readonly unknownFields: readonly string[];
}

/** Reads JSON as the server does: into the Go struct and out again. Throws `DecodeProblem`. */
export function readTyped(schema: TypeSchema, object: JsonObject): TypedObject {
  const reader = new Reader(isStoredAsJson(schema));
  return { object: reader.struct(schema, object, [], ''), unknownFields: reader.unknown };
}

/** What Go writes for a struct that nobody has filled. */
export function zeroObject(schema: TypeSchema): JsonObject {
  return new Reader(isStoredAsJson(schema)).struct(schema, {}, [], '');
}

/**
 * How deeply structs may nest, which matters for the schemas of definitions alone: no other type contains itself. The real
 * server goes on to 10,000 levels of JSON.
 */
const MAX_STRUCTS = 1_000;

interface KnownField {
  readonly field: FieldSchema;
  /** The struct that declares it, as messages name it. */
  readonly owner: string;
}

const layouts = new WeakMap<TypeSchema, ReadonlyMap<string, KnownField>>();

/** The fields of a struct by their name in JSON, in the order of output, those of embedded structs included. */
function layoutOf(schema: TypeSchema): ReadonlyMap<string, KnownField> {
  const known = layouts.get(schema);
  if (known) return known;
  const layout = new Map<string, KnownField>();
  for (const field of schema.fields) {
    if (field.inline) {
      const embedded = typeSchema(field.type);
      for (const [name, inner] of embedded ? layoutOf(embedded) : []) layout.set(name, inner);
    } else layout.set(field.json, { field, owner: shortName(schema.name) });
  }
  layouts.set(schema, layout);
  return layout;
}

/** Objects of all other types are stored as protobuf. */
function isStoredAsJson({ name }: TypeSchema): boolean {
  return shortName(name) === 'CustomResourceDefinition';
}

class Reader {
  readonly unknown: string[] = [];
  readonly #isStoredAsJson: boolean;

  constructor(isStoredAsJson: boolean) {
    this.#isStoredAsJson = isStoredAsJson;
  }

  /** `names` is the path without indices, for messages; `path` the one with them. */
  struct(schema: TypeSchema, value: JsonObject, names: readonly string[], path: string): JsonObject {
    if (names.length > MAX_STRUCTS) throw new DecodeProblem(`exceeded max depth of ${MAX_STRUCTS}`);
    const layout = layoutOf(schema);
    const read = new Map<string, JsonValue | undefined>();
    for (const [key, item] of Object.entries(value)) {
      const known = layout.get(key);
      const at = path === '' ? key : `${path}.${key}`;
      if (!known) {
        if (item !== undefined) this.unknown.push(at);
      } else if (item !== undefined && item !== null) {
        read.set(key, this.#field(known, item, [...names, key], at));
      }
    }
    const written: JsonObject = {};
    for (const [key, { field }] of layout) {
      const out = this.#written(field, read.get(key));
      if (out !== undefined) setKey(written, key, out);
    }
    return written;
  }

  #field(known: KnownField, value: JsonValue, names: readonly string[], path: string): JsonValue | undefined {
    const { field } = known;
    if (field.shape === 'list') {
      if (!Array.isArray(value)) throw this.#mismatch(known, names, jsonTypeName(value), `[]${goName(field.type)}`);
      return value.map((item, index) => this.#element(known, item, names, `${path}[${index}]`) ?? null);
    }
    if (field.shape === 'map') {
      if (!isObject(value)) {
        throw this.#mismatch(known, names, jsonTypeName(value), `map[string]${goName(field.type)}`);
      }
      const map: JsonObject = {};
      for (const [key, item] of Object.entries(value)) {
        if (item !== undefined) setKey(map, key, this.#element(known, item, names, `${path}.${key}`) ?? null);
      }
      return map;
    }
    return this.#element(known, value, names, path);
  }

  #element(known: KnownField, value: JsonValue, names: readonly string[], path: string): JsonValue | undefined {
    const { type } = known.field;
    if (isScalar(type)) {
      if (value === null) return zeroScalar(type);
      const reading = readScalar(type, value);
      if ('mismatch' in reading) throw this.#mismatch(known, names, reading.mismatch, goTypeName(type));
      if ('problem' in reading) throw new DecodeProblem(reading.problem);
      return reading.value;
    }
    const schema = typeSchema(type);
    if (schema?.form === 'choice') return this.#choice(schema, value, names);
    if (!schema || schema.form) return value;
    if (value === null) return this.struct(schema, {}, names, path);
    if (!isObject(value)) throw this.#mismatch(known, names, jsonTypeName(value), goName(type));
    return this.struct(schema, value, names, path);
  }

  /** Go reads a type with two forms by a method of its own, which says nothing of fields that it does not know. */
  #choice(schema: TypeSchema, value: JsonValue, names: readonly string[]): JsonValue {
    const inner = schema.fields.map(({ type }) => (isScalar(type) ? undefined : typeSchema(type))).find(Boolean);
    if (!inner) return value;
    const quiet = new Reader(this.#isStoredAsJson);
    const read = (one: JsonValue) => (isObject(one) ? quiet.struct(inner, one, names, '') : one);
    return Array.isArray(value) ? value.map(read) : read(value);
  }

  /** The value as the field's tags have it written; undefined when it is left out. */
  #written(field: FieldSchema, value: JsonValue | undefined): JsonValue | undefined {
    if (field.omit === 'never') {
      // Protobuf does not tell an empty list from none.
      const isNone = field.shape !== 'one' && isEmpty(value) && !this.#isStoredAsJson;
      return isNone ? null : (value ?? zeroOf(field));
    }
    if (field.shape !== 'one') return isEmpty(value) ? undefined : value;
    if (field.pointer) return value;
    if (isScalar(field.type)) {
      if (value === undefined && isStructScalar(field.type) && field.omit === 'empty') return zeroScalar(field.type);
      return value === undefined || isZeroScalar(value) ? undefined : value;
    }
    const schema = typeSchema(field.type);
    if (schema?.form) return isEmpty(value) ? undefined : value;
    const struct = value ?? (schema ? this.struct(schema, {}, [], '') : {});
    return field.omit === 'zero' && isObject(struct) && Object.keys(struct).length === 0 ? undefined : struct;
  }

  #mismatch(known: KnownField, names: readonly string[], got: string, wanted: string): DecodeProblem {
    return new DecodeProblem(
      `json: cannot unmarshal ${got} into Go struct field ${known.owner}.${names.join('.')} of type ${wanted}`,
    );
  }
}

function zeroOf(field: FieldSchema): JsonValue {
  if (field.shape !== 'one' || field.pointer) return null;
  if (isScalar(field.type)) return zeroScalar(field.type);
  const schema = typeSchema(field.type);
  return schema && !schema.form ? zeroObject(schema) : null;
}

function zeroScalar(type: string): JsonValue {
  if (type === 'string') return '';
  if (type === 'bool') return false;
  if (['int32', 'int64', 'float', 'double', 'IntOrString'].includes(type)) return 0;
  if (type === 'Quantity') return '0';
  if (type === 'Duration') return '0s';
  return null;
}

/** Scalars that are structs in Go: `omitempty` does not leave them out. */
function isStructScalar(type: string): boolean {
  return ['Time', 'MicroTime', 'Quantity', 'Duration', 'IntOrString', 'RawExtension'].includes(type);
}

function isZeroScalar(value: JsonValue): boolean {
  return value === '' || value === 0 || value === false;
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function shortName(schemaName: string): string {
  return schemaName.slice(schemaName.lastIndexOf('.') + 1);
}

/** `io.k8s.api.core.v1.Container` is `v1.Container` in Go. */
function goName(type: string): string {
  return isScalar(type) ? goTypeName(type) : type.split('.').slice(-2).join('.');
}
