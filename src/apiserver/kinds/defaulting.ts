import { asArray, ensureObject, isObject, type JsonObject, type JsonValue } from '../values/json.ts';

/** Fills a field that was left out. */
export function setDefault(object: JsonObject, key: string, value: JsonValue): void {
  const present = object[key];
  if (present === undefined || present === null || present === '') object[key] = value;
}

/** As `setDefault`, for fields whose zero means unset. */
export function setDefaultNumber(object: JsonObject, key: string, value: number): void {
  if (object[key] === undefined || object[key] === null || object[key] === 0) object[key] = value;
}

/** The items of a list that are objects, to be changed in place. */
export function items(value: JsonValue | undefined): JsonObject[] {
  return asArray(value).filter(isObject);
}

export function specOf(object: JsonObject): JsonObject {
  return ensureObject(object, 'spec');
}

export function optionalObject(object: JsonObject, key: string): JsonObject | undefined {
  const value = object[key];
  return isObject(value) ? value : undefined;
}
