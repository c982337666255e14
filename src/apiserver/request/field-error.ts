import type { StatusCause } from '../../api/status.ts';
import type { JsonValue } from '../values/json.ts';
import { jsonText } from '../values/json-text.ts';

/** One thing wrong with one field of an object, worded as `field.Error` of apimachinery. */
export interface FieldError {
  /** The reason that the cause carries: `FieldValueRequired`, … */
  readonly reason: string;
  readonly field: string;
  readonly message: string;
}

export function required(field: string, detail = ''): FieldError {
  return make('FieldValueRequired', field, 'Required value', detail);
}

export function invalid(field: string, value: JsonValue | undefined, detail: string): FieldError {
  return make('FieldValueInvalid', field, `Invalid value: ${goValue(value)}`, detail);
}

/** As `invalid`, where the real server shows no value. */
export function invalidWithoutValue(field: string, detail: string): FieldError {
  return make('FieldValueInvalid', field, 'Invalid value', detail);
}

export function notSupported(field: string, value: JsonValue | undefined, supported: readonly string[]): FieldError {
  const listed = supported.map((item) => JSON.stringify(item)).join(', ');
  const detail = supported.length > 0 ? `supported values: ${listed}` : '';
  return make('FieldValueNotSupported', field, `Unsupported value: ${goValue(value)}`, detail);
}

export function duplicate(field: string, value: JsonValue | undefined): FieldError {
  return make('FieldValueDuplicate', field, `Duplicate value: ${goValue(value)}`, '');
}

export function forbidden(field: string, detail: string): FieldError {
  return make('FieldValueForbidden', field, 'Forbidden', detail);
}

export function tooLong(field: string, maxLength: number): FieldError {
  return make('FieldValueTooLong', field, 'Too long', `may not be more than ${maxLength} bytes`);
}

export function tooMany(field: string, count: number, most: number): FieldError {
  return make('FieldValueTooMany', field, `Too many: ${count}`, `must have at most ${most} items`);
}

export function notFoundValue(field: string, value: JsonValue | undefined): FieldError {
  return make('FieldValueNotFound', field, `Not found: ${goValue(value)}`, '');
}

export function fieldErrorText(error: FieldError): string {
  return `${error.field}: ${error.message}`;
}

export function fieldErrorCause(error: FieldError): StatusCause {
  return { reason: error.reason, message: error.message, field: error.field };
}

/** Several errors as one text: alone as it is, together in brackets, each text once. */
export function aggregateText(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(fieldErrorText))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

function make(reason: string, field: string, text: string, detail: string): FieldError {
  return { reason, field, message: detail === '' ? text : `${text}: ${detail}` };
}

function goValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'null';
  return typeof value === 'object' ? jsonText(value) : JSON.stringify(value);
}
