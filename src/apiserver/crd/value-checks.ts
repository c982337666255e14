import { type FieldError, invalid, notSupported, required } from '../request/field-error.ts';
import { goJson, goNumber } from '../table/go-number.ts';
import { type JsonValue, jsonEqual } from '../values/json.ts';
import { heededFormat, stringFormat } from './formats.ts';
import { goRegExp } from './go-regexp.ts';
import type { Schema } from './structural-schema.ts';
import { ValidationResult } from './validation-result.ts';

/** Where a value stands: `path` as messages name it, `base` the field path that the errors hang under ("" for none). */
export interface Place {
  readonly path: string;
  readonly base: string;
}

export function fieldOf({ path, base }: Place): string {
  const own = path.replace(/^\./, '');
  if (own === '' || own === '.') return base === '' ? '<nil>' : base;
  return base === '' ? own : `${base}.${own}`;
}

/** Complaints that the real server does not tie to a field. */
export function looseComplaint(result: ValidationResult, place: Place, text: string): void {
  result.add(text, invalid(place.base === '' ? '<nil>' : place.base, '', text));
}

export function checkType(value: JsonValue, schema: Schema, place: Place): ValidationResult {
  const result = new ValidationResult();
  const types = schema.intOrString ? ['integer', 'string'] : schema.type === '' ? [] : [schema.type];
  const format = heededFormat(types.length === 1 ? (types[0] ?? '') : '', schema.format);
  if (value === null) {
    if (types.length === 0 || types.includes('null') || schema.nullable) result.passed += 1;
    else typeComplaint(result, place, types.join(','), 'null');
    return result;
  }
  const actual = typeOf(value);
  const fits = types.includes(actual) || (actual === 'integer' && types.includes('number'));
  const numeric = types.includes('number') || types.includes('integer');
  if (format !== '' && actual !== 'string' && actual !== 'array' && !fits) {
    typeComplaint(result, place, format, actual === 'integer' ? 'int64' : actual === 'number' ? 'float64' : '');
  } else if (format !== '' && !numeric && (actual === 'string' || actual === 'array')) {
    result.passed += 1;
  } else if (fits) {
    result.passed += 1;
  } else typeComplaint(result, place, types.join(','), actual);
  return result;
}

function typeComplaint(result: ValidationResult, place: Place, wanted: string, actual: string): void {
  const text = `${place.path} in body must be of type ${wanted}: ${JSON.stringify(actual)}`;
  result.add(text, { ...invalid(fieldOf(place), actual, text), reason: 'FieldValueTypeInvalid' });
}

export function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInt64(value) ? 'integer' : 'number';
  return typeof value;
}

/** Whether Go reads the number as an int64; beyond its range everything is a float64. */
function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;
}

export function checkEnum(value: JsonValue, schema: Schema, place: Place): ValidationResult {
  const result = new ValidationResult();
  if (schema.enum.length === 0) return result;
  if (value !== null && schema.enum.some((allowed) => jsonEqual(allowed, value))) return result;
  const allowed = schema.enum.map((item) => (typeof item === 'string' ? item : goJson(item)));
  return result.add(`${place.path} in body should be one of`, notSupported(fieldOf(place), value, allowed));
}

/** The first of the three that fails is the only one told. */
export function checkString(value: string, schema: Schema, place: Place): ValidationResult {
  const result = new ValidationResult();
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    const bytes = schema.maxLength === 1 ? 'byte' : 'bytes';
    const message = `Too long: may not be more than ${schema.maxLength} ${bytes}`;
    return result.add(`${place.path} too long`, { reason: 'FieldValueTooLong', field: fieldOf(place), message });
  }
  if (schema.minLength !== undefined && length < schema.minLength) {
    return told(result, place, value, `should be at least ${schema.minLength} chars long`);
  }
  if (schema.pattern !== '' && !goRegExp(schema.pattern).test(value)) {
    return told(result, place, value, `should match '${schema.pattern}'`);
  }
  return result;
}

export function checkFormat(value: string, schema: Schema, place: Place): ValidationResult {
  const result = new ValidationResult();
  const type = schema.intOrString ? '' : schema.type;
  const format = heededFormat(type, schema.format);
  if (format === '' || stringFormat(format)?.(value) !== false) return result;
  typeComplaintWithValue(result, place, format, value);
  return result;
}

function typeComplaintWithValue(result: ValidationResult, place: Place, format: string, value: string): void {
  const text = `${place.path} in body must be of type ${format}: ${JSON.stringify(value)}`;
  result.add(text, { ...invalid(fieldOf(place), value, text), reason: 'FieldValueTypeInvalid' });
}

export function checkNumber(value: number, schema: Schema, place: Place): ValidationResult {
  const result = new ValidationResult();
  const type = schema.intOrString ? '' : schema.type;
  if (!inRange(value, type, schema.format)) {
    const format = heededFormat(type, schema.format);
    const wanted = format === '' ? `${type} (default format)` : `${type} with format ${format}`;
    looseComplaint(result, place, `Checked value must be of type ${wanted} in ${place.path}`);
  }
  const whole = isInt64(value);
  const shown = (bound: number) => goNumber(whole ? Math.trunc(bound) : bound);
  if (schema.multipleOf !== undefined && !isMultiple(value, schema.multipleOf)) {
    told(result, place, value, `should be a multiple of ${shown(schema.multipleOf)}`);
  }
  if (schema.minimum !== undefined) {
    const bound = whole ? Math.trunc(schema.minimum) : schema.minimum;
    if (value < bound || (schema.exclusiveMinimum && value === bound)) {
      const than = schema.exclusiveMinimum ? 'greater than' : 'greater than or equal to';
      told(result, place, value, `should be ${than} ${shown(schema.minimum)}`);
    }
  }
  if (schema.maximum !== undefined) {
    const bound = whole ? Math.trunc(schema.maximum) : schema.maximum;
    if (value > bound || (schema.exclusiveMaximum && value === bound)) {
      const than = schema.exclusiveMaximum ? 'less than' : 'less than or equal to';
      told(result, place, value, `should be ${than} ${shown(schema.maximum)}`);
    }
  }
  result.passed += 1;
  return result;
}

function inRange(value: number, type: string, format: string): boolean {
  if (type === 'integer') {
    if (format !== 'int32') return isInt64(value);
    return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
  }
  return !(type === 'number' && format === 'float') || Math.abs(value) <= 3.4028234663852886e38;
}

function isMultiple(value: number, factor: number): boolean {
  if (isInt64(value)) return value % Math.trunc(factor) === 0;
  const quotient = factor < 1 ? (1 / factor) * value : value / factor;
  if (Math.abs(quotient) > Number.MAX_SAFE_INTEGER) return false;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9 * Math.max(1, Math.abs(quotient));
}

export function told(result: ValidationResult, place: Place, value: JsonValue, what: string): ValidationResult {
  const text = `${place.path} in body ${what}`;
  return result.add(text, invalid(fieldOf(place), value, text));
}

export function missing(result: ValidationResult, place: Place, name: string): void {
  const path = `${place.path}.${name}`;
  result.add(`${path} in body is required`, required(fieldOf({ ...place, path })));
}

export function tooMany(result: ValidationResult, place: Place, actual: number, most: number, what: string): void {
  const error: FieldError = {
    reason: 'FieldValueTooMany',
    field: fieldOf(place),
    message: `Too many: ${actual}: must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
  };
  result.add(`${place.path} in body should have at most ${most} ${what}`, error);
}
