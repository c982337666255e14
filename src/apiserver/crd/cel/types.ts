import { additionalSchema, type Schema } from '../structural-schema.ts';
import { fieldName, withMeta } from './json-values.ts';

/** What is known of a value before it is there. `dyn` stands for anything. */
export type CelType =
  | { readonly kind: 'scalar'; readonly name: string }
  | { readonly kind: 'dyn' }
  | { readonly kind: 'list'; readonly items: CelType }
  | { readonly kind: 'map'; readonly values: CelType }
  | { readonly kind: 'optional'; readonly inner: CelType }
  | { readonly kind: 'object'; readonly fields: ReadonlyMap<string, () => CelType> };

export const DYN: CelType = { kind: 'dyn' };
export const scalar = (name: string): CelType => ({ kind: 'scalar', name });
export const BOOL = scalar('bool');
export const INT = scalar('int');
export const STRING = scalar('string');

const FORMATS: Readonly<Record<string, string>> = {
  byte: 'bytes',
  date: 'google.protobuf.Timestamp',
  'date-time': 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
};

/** The type of values that a schema describes; `isRoot` for a resource as a whole. */
export function typeOfSchema(schema: Schema, isRoot = false): CelType {
  if (schema.intOrString) return DYN;
  switch (schema.type) {
    case 'boolean':
      return BOOL;
    case 'integer':
      return INT;
    case 'number':
      return scalar('double');
    case 'string':
      return scalar(FORMATS[schema.format] ?? 'string');
    case 'array':
      return { kind: 'list', items: schema.items === undefined ? DYN : typeOfSchema(schema.items) };
    case 'object':
      return objectType(schema, isRoot || schema.embeddedResource);
    default:
      return DYN;
  }
}

function objectType(schema: Schema, isResource: boolean): CelType {
  const additional = additionalSchema(schema);
  if (additional !== undefined && schema.properties.size === 0) {
    return { kind: 'map', values: typeOfSchema(additional) };
  }
  const fields = new Map<string, () => CelType>();
  for (const [property, inner] of isResource ? withMeta(schema) : schema.properties) {
    const name = fieldName(property);
    if (name !== undefined) fields.set(name, () => typeOfSchema(inner));
  }
  return { kind: 'object', fields };
}

/** As messages name it; undefined when it has no name that users know. */
export function typeText(type: CelType): string | undefined {
  switch (type.kind) {
    case 'scalar':
      return type.name;
    case 'dyn':
      return 'dyn';
    case 'list': {
      const items = typeText(type.items);
      return items === undefined ? undefined : `list(${items})`;
    }
    case 'map': {
      const values = typeText(type.values);
      return values === undefined ? undefined : `map(string, ${values})`;
    }
    default:
      return undefined;
  }
}
