import { additionalSchema, parseSchema, type Schema } from '../structural-schema.ts';
import { fieldName } from './field-name.ts';
import { BOOL, type CelType, DYN, INT, STRING, scalar } from './types.ts';

/** The largest request that the server accepts, which bounds what schemas leave open. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

/** What rules know of values before they are there. */
export interface Declaration {
  readonly type: CelType;
  /** The most characters, items or entries that a value has; 0 for what has no size. */
  readonly maxElements: number;
  /** The fewest bytes that a value takes in JSON. */
  readonly minBytes: number;
  /** Of items of a list, or of values of a map. */
  readonly element?: Declaration;
  readonly fields?: ReadonlyMap<string, Declaration>;
}

const known = new WeakMap<Schema, { declaration: Declaration | undefined }>();
const knownRoots = new WeakMap<Schema, { declaration: Declaration | undefined }>();

/** Undefined for a schema that leaves the type open: rules cannot see such values. `isRoot` for a resource as a whole. */
export function declare(schema: Schema, isRoot = false): Declaration | undefined {
  const isResource = isRoot || schema.embeddedResource;
  const cache = isResource ? knownRoots : known;
  const cached = cache.get(schema);
  if (cached !== undefined) return cached.declaration;
  const declaration = declared(isResource && !schema.intOrString ? withMeta(schema) : schema);
  cache.set(schema, { declaration });
  return declaration;
}

function declared(schema: Schema): Declaration | undefined {
  const { maxLength } = schema;
  if (schema.intOrString) {
    return { type: DYN, maxElements: maxLength === undefined ? OPEN_LENGTH : characters(maxLength), minBytes: 1 };
  }
  switch (schema.type) {
    case 'boolean':
      return { type: BOOL, maxElements: 0, minBytes: 4 };
    case 'integer':
      return { type: INT, maxElements: 0, minBytes: 1 };
    case 'number':
      return { type: scalar('double'), maxElements: 0, minBytes: 1 };
    case 'string':
      return declaredText(schema);
    case 'array': {
      const element = schema.items === undefined ? undefined : declare(schema.items);
      if (element === undefined) return undefined;
      const most = schema.maxItems ?? Math.floor((MAX_REQUEST_BYTES - 2) / (element.minBytes + 1));
      return { type: { kind: 'list', items: element.type }, maxElements: Math.max(0, most), minBytes: 2, element };
    }
    case 'object':
      return declaredObject(schema);
    default:
      return undefined;
  }
}

const OPEN_LENGTH = MAX_REQUEST_BYTES - 2;

/** A character may take four bytes. */
function characters(maxLength: number): number {
  return Math.max(0, maxLength) * 4;
}

function declaredText({ format, maxLength, enum: allowed }: Schema): Declaration {
  switch (format) {
    case 'byte':
      return { type: scalar('bytes'), maxElements: Math.max(0, maxLength ?? OPEN_LENGTH), minBytes: 2 };
    case 'duration':
      return { type: scalar('google.protobuf.Duration'), maxElements: 32, minBytes: 3 };
    case 'date':
      return { type: scalar('google.protobuf.Timestamp'), maxElements: 12, minBytes: 12 };
    case 'date-time':
      return { type: scalar('google.protobuf.Timestamp'), maxElements: 32, minBytes: 21 };
    default:
  }
  const lengths = allowed.map((value) => (typeof value === 'string' ? Buffer.byteLength(value) : 0));
  const open = lengths.length > 0 ? Math.max(...lengths) : OPEN_LENGTH;
  return { type: STRING, maxElements: maxLength === undefined ? open : characters(maxLength), minBytes: 2 };
}

function declaredObject(schema: Schema): Declaration | undefined {
  const additional = additionalSchema(schema);
  if (additional !== undefined) {
    const element = declare(additional);
    if (element === undefined) return undefined;
    const most = schema.maxProperties ?? Math.floor((MAX_REQUEST_BYTES - 2) / (element.minBytes + 6));
    return { type: { kind: 'map', values: element.type }, maxElements: Math.max(0, most), minBytes: 2, element };
  }
  const fields = new Map<string, Declaration>();
  const types = new Map<string, CelType>();
  let minBytes = 2;
  for (const [property, inner] of schema.properties) {
    const field = declare(inner);
    if (field === undefined) continue;
    const name = fieldName(property);
    if (name !== undefined) {
      fields.set(name, field);
      types.set(name, field.type);
    }
    if (schema.required.includes(property) && inner.default === undefined) {
      minBytes += Buffer.byteLength(property) + field.minBytes + 4;
    }
  }
  return { type: { kind: 'object', fields: types }, maxElements: 0, minBytes, fields };
}

/** The properties of a resource with those that it has without being told: its type, and the names in its metadata. */
export function withMeta(schema: Schema): Schema {
  const whole = resources.get(schema) ?? completed(schema);
  resources.set(schema, whole);
  return whole;
}

const resources = new WeakMap<Schema, Schema>();

function completed(schema: Schema): Schema {
  const { properties } = schema;
  const metadata = properties.get('metadata');
  const isWhole =
    properties.get('kind')?.type === 'string' &&
    properties.get('apiVersion')?.type === 'string' &&
    metadata?.type === 'object' &&
    metadata.properties.get('name')?.type === 'string' &&
    metadata.properties.get('generateName')?.type === 'string';
  if (isWhole) return schema;
  return {
    ...schema,
    properties: new Map([...properties, ['kind', TEXT], ['apiVersion', TEXT], ['metadata', METADATA]]),
  };
}

const TEXT = parseSchema({ type: 'string' });
const METADATA = parseSchema({
  type: 'object',
  properties: { name: { type: 'string' }, generateName: { type: 'string' } },
});
