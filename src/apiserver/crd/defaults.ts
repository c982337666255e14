import { cloneJson, isObject, type JsonValue, setKey } from '../values/json.ts';
import { additionalSchema, type Schema } from './structural-schema.ts';

/**
 * Fills in place what is absent and has a default, on writes before validation and on reads. A null where the schema is
 * not nullable counts as absent: it gets the default, or is removed when there is none.
 */
export function applyDefaults(value: JsonValue, schema: Schema): void {
  removeNulls(value, schema);
  fill(value, schema);
}

function removeNulls(value: JsonValue | undefined, schema: Schema | undefined): void {
  if (Array.isArray(value)) {
    for (const item of value) removeNulls(item, schema?.items);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      const inner = schema?.properties.get(key) ?? (schema && additionalSchema(schema));
      if (item === null && inner !== undefined && !inner.nullable && inner.default === undefined) delete value[key];
      else removeNulls(item, inner);
    }
  }
}

function fill(value: JsonValue | undefined, schema: Schema | undefined): void {
  if (schema === undefined) return;
  if (Array.isArray(value)) {
    const items = schema.items;
    for (const [index, item] of value.entries()) {
      if (isDefaulted(item, items)) value[index] = cloneJson(items?.default ?? null);
      fill(value[index], items);
    }
  } else if (isObject(value)) {
    for (const [key, property] of schema.properties) {
      if (property.default === undefined) continue;
      if (!Object.hasOwn(value, key) || isDefaulted(value[key], property)) {
        setKey(value, key, cloneJson(property.default));
      }
    }
    const additional = additionalSchema(schema);
    for (const key of Object.keys(value)) {
      const property = schema.properties.get(key);
      if (property === undefined && isDefaulted(value[key], additional)) {
        setKey(value, key, cloneJson(additional?.default ?? null));
      }
      fill(value[key], property ?? additional);
    }
  }
}

function isDefaulted(value: JsonValue | undefined, schema: Schema | undefined): boolean {
  return value === null && schema !== undefined && !schema.nullable;
}
