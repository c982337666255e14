import { type FieldError, invalid } from '../request/field-error.ts';
import type { JsonValue } from '../values/json.ts';
import { portNameProblems } from '../values/name-rules.ts';

const PERCENT =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

export function between(value: JsonValue, least: number, most: number, field: string): FieldError[] {
  if (typeof value === 'number' && value >= least && value <= most) return [];
  return [invalid(field, value, `must be between ${least} and ${most}, inclusive`)];
}

export function validatePort(value: JsonValue, field: string): FieldError[] {
  return between(value, 1, 65_535, field);
}

/** The number of a port, or the name that a container gave it. */
export function validatePortOrName(value: JsonValue, field: string): FieldError[] {
  if (typeof value !== 'string') return validatePort(value, field);
  return portNameProblems(value).map((text) => invalid(field, value, text));
}

/** Not less than 0; an absent value is fine. */
export function validateNonNegative(value: JsonValue | undefined, field: string): FieldError[] {
  if (typeof value !== 'number' || value >= 0) return [];
  return [invalid(field, value, 'must be greater than or equal to 0')];
}

/** A number of pods, or a share of them. */
export function validateCountOrPercent(value: JsonValue | undefined, field: string): FieldError[] {
  if (typeof value !== 'string') return validateNonNegative(value, field);
  return /^[0-9]+%$/.test(value) ? [] : [invalid(field, value, PERCENT)];
}

export function validateAtMost100Percent(value: JsonValue | undefined, field: string): FieldError[] {
  return percentOf(value) > 100 ? [invalid(field, value, 'must not be greater than 100%')] : [];
}

/** 0 for what is not a percentage. */
export function percentOf(value: JsonValue | undefined): number {
  return typeof value === 'string' && /^[0-9]+%$/.test(value) ? Number.parseInt(value, 10) : 0;
}
