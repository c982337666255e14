import { type FieldError, invalid } from '../request/field-error.ts';
import { goJson } from '../table/go-number.ts';
import { getKey, isObject, type JsonObject, type JsonValue, jsonEqual } from '../values/json.ts';
import { heededFormat, stringFormat } from './formats.ts';
import { MapList } from './map-list.ts';
import { additionalSchema, type Schema } from './structural-schema.ts';
import { ValidationResult } from './validation-result.ts';
import {
  checkEnum,
  checkFormat,
  checkNumber,
  checkString,
  checkType,
  fieldOf,
  looseComplaint,
  missing,
  type Place,
  told,
  tooMany,
} from './value-checks.ts';

/**
 * What is wrong with a value by its schema, in the words of the real server. With `old` given this is an update, and
 * complaints about parts that the update leaves as they were are dropped (ratcheting): a schema that got stricter does
 * not keep objects from being changed elsewhere. `base` is the field path of the value inside its object.
 */
export function validateValue(value: JsonValue, schema: Schema, old?: JsonValue, base = ''): FieldError[] {
  const result = check(value, schema, { path: '', base }, old, true);
  return result.complaints.map(({ error }) => error);
}

/** `old` is the value before the update, undefined when there is none to compare with. */
function check(
  value: JsonValue,
  schema: Schema,
  place: Place,
  old: JsonValue | undefined,
  isRoot: boolean,
): ValidationResult {
  const result = checkAgainst(value, schema, place, old, isRoot);
  return !result.isValid && old !== undefined && jsonEqual(old, value) ? new ValidationResult() : result;
}

function checkAgainst(
  value: JsonValue,
  schema: Schema,
  place: Place,
  old: JsonValue | undefined,
  isRoot: boolean,
): ValidationResult {
  const result = new ValidationResult();
  if (value === null) return result.merge(checkType(value, schema, place)).merge(checkEnum(value, schema, place));
  const apply = (part: ValidationResult) => {
    result.merge(part);
    result.passed += 1;
  };
  const format = heededFormat(schema.intOrString ? '' : schema.type, schema.format);
  if (schema.type !== '' || schema.intOrString || format !== '') apply(checkType(value, schema, place));
  apply(checkCombinations(value, schema, place, old, isRoot));
  if (typeof value === 'string') {
    apply(checkString(value, schema, place));
    if (stringFormat(format) !== undefined) apply(checkFormat(value, schema, place));
  }
  if (typeof value === 'number') apply(checkNumber(value, schema, place));
  if (Array.isArray(value)) apply(checkList(value, schema, place, old));
  apply(checkEnum(value, schema, place));
  if (isObject(value)) apply(checkObject(value, schema, place, old, isRoot));
  result.passed += 1;
  return result;
}

function checkCombinations(
  value: JsonValue,
  schema: Schema,
  place: Place,
  old: JsonValue | undefined,
  isRoot: boolean,
): ValidationResult {
  const result = new ValidationResult();
  const against = (nested: Schema) => checkAgainst(value, nested, place, old, isRoot);
  const quoted = JSON.stringify(place.path);

  if (schema.anyOf.length > 0) {
    const results = schema.anyOf.map(against);
    const valid = results.find(({ isValid }) => isValid);
    if (valid === undefined) looseComplaint(result, place, `${quoted} must validate at least one schema (anyOf)`);
    result.merge(valid ?? closest(results));
  }
  if (schema.oneOf.length > 0) {
    const results = schema.oneOf.map(against);
    const valid = results.filter(({ isValid }) => isValid);
    const [only] = valid;
    if (valid.length === 1 && only !== undefined) result.merge(only);
    else {
      const found = valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
      looseComplaint(result, place, `${quoted} must validate one and only one schema (oneOf). ${found}`);
      if (valid.length === 0) result.merge(closest(results));
    }
  }
  if (schema.allOf.length > 0) {
    const results = schema.allOf.map(against);
    for (const part of results) result.merge(part);
    const valid = results.filter(({ isValid }) => isValid).length;
    if (valid < results.length) {
      const none = valid === 0 ? '. None validated' : '';
      looseComplaint(result, place, `${quoted} must validate all the schemas (allOf)${none}`);
    }
  }
  if (schema.not !== undefined && against(schema.not).isValid) {
    looseComplaint(result, place, `${quoted} must not validate the schema (not)`);
  }
  result.passed += 1;
  return result;
}

/** The failure with most passed checks; the first of those. */
function closest(results: readonly ValidationResult[]): ValidationResult {
  return results.reduce((best, next) => (next.passed > best.passed ? next : best));
}

function checkList(value: JsonValue[], schema: Schema, place: Place, old: JsonValue | undefined): ValidationResult {
  const result = new ValidationResult();
  const { items, minItems, maxItems } = schema;
  if (items !== undefined) {
    const before = new MapList(schema, old);
    for (const [index, item] of value.entries()) {
      result.merge(check(item, items, { ...place, path: `${place.path}[${index}]` }, before.find(item), false));
    }
  }
  if (minItems !== undefined && value.length < minItems) {
    told(result, place, value.length, `should have at least ${minItems} items`);
  }
  if (maxItems !== undefined && value.length > maxItems) tooMany(result, place, value.length, maxItems, 'items');
  if (schema.uniqueItems && new Set(value.map(goJson)).size < value.length) {
    told(result, place, '', "shouldn't contain duplicates");
  }
  result.passed += 1;
  return result;
}

function checkObject(
  value: JsonObject,
  schema: Schema,
  place: Place,
  old: JsonValue | undefined,
  isRoot: boolean,
): ValidationResult {
  const result = new ValidationResult();
  const { minProperties, maxProperties } = schema;
  const keys = Object.keys(value);
  if (minProperties !== undefined && keys.length < minProperties) {
    told(result, place, keys.length, `should have at least ${minProperties} properties`);
  }
  if (maxProperties !== undefined && keys.length > maxProperties) {
    tooMany(result, place, keys.length, maxProperties, 'properties');
  }
  const before = (key: string): JsonValue | undefined => {
    if (isRoot && (key === 'kind' || key === 'apiVersion')) return undefined;
    return isObject(old) ? getKey(old, key) : undefined;
  };
  const additional = additionalSchema(schema);
  for (const key of keys) {
    if (schema.properties.has(key)) continue;
    const item = value[key];
    if (schema.additionalProperties === false) {
      const text = `${place.path}.${key} in body is a forbidden property`;
      result.add(text, invalid(fieldOf(place), key, text));
    } else if (additional !== undefined && item !== undefined) {
      result.merge(check(item, additional, { ...place, path: `${place.path}.${key}` }, before(key), false));
    }
  }
  for (const [name, property] of schema.properties) {
    const item = getKey(value, name);
    if (item === undefined) continue;
    const path = place.path === '' ? name : `${place.path}.${name}`;
    result.merge(check(item, property, { ...place, path }, before(name), false));
  }
  for (const name of schema.required) if (!Object.hasOwn(value, name)) missing(result, place, name);
  return result;
}
