import { isObject, type JsonObject, type JsonValue } from '../../values/json.ts';
import { additionalSchema, type Schema } from '../structural-schema.ts';
import { declare, withMeta } from './declaration.ts';
import { fieldName } from './field-name.ts';
import { parseDuration, parseTimestamp } from './time.ts';
import { type CelValue, type ListIdentity, ListValue, MapValue, ObjectValue } from './values.ts';

/**
 * JSON as rules see it: typed by its schema, without what the schema does not declare. `isRoot` adds what every resource
 * has: its type, and the names in its metadata.
 */
export function toCel(value: JsonValue, schema: Schema, isRoot = false): CelValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return schema.type === 'number' ? value : toInteger(value);
  if (typeof value === 'string') return schema.intOrString ? value : formatted(value, schema.format);
  if (Array.isArray(value)) return toList(value, schema);
  return isObject(value) ? toObject(value, schema, isRoot || schema.embeddedResource) : null;
}

function toInteger(value: number): CelValue {
  return Number.isInteger(value) ? BigInt(value) : value;
}

function formatted(value: string, format: string): CelValue {
  switch (format) {
    case 'byte':
      return Buffer.from(value, 'base64');
    case 'date-time':
      return parseTimestamp(value) ?? value;
    case 'date':
      return parseTimestamp(`${value}T00:00:00Z`) ?? value;
    case 'duration':
      return parseDuration(value) ?? value;
    default:
      return value;
  }
}

function toList(value: readonly JsonValue[], schema: Schema): CelValue {
  const { items } = schema;
  return new ListValue(items === undefined ? [] : value.map((item) => toCel(item, items)), identityOf(schema));
}

function identityOf(schema: Schema): ListIdentity {
  if (schema.listType === 'set') return { by: 'value' };
  return schema.listType === 'map' ? { by: 'keys', keys: schema.listMapKeys } : { by: 'place' };
}

function toObject(value: JsonObject, schema: Schema, isResource: boolean): CelValue {
  const additional = additionalSchema(schema);
  if (additional !== undefined && schema.properties.size === 0) {
    return new MapValue(Object.entries(value).map(([key, item]) => [key, toCel(item ?? null, additional)]));
  }
  const { properties } = isResource ? withMeta(schema) : schema;
  const fields = new Map<string, () => CelValue>();
  for (const [property, inner] of properties) {
    const name = fieldName(property);
    const item = Object.hasOwn(value, property) ? value[property] : undefined;
    // To rules, a field that is null is a field that is not there.
    if (name === undefined || item === undefined || item === null || declare(inner) === undefined) continue;
    fields.set(name, () => toCel(item, inner));
  }
  return new ObjectValue(fields);
}
