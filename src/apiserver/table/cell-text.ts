import { asArray, asObject, getPath, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { humanDuration } from './human-duration.ts';
import { canonicalQuantity } from './quantity.ts';

/** A string field, or "" (Go's zero value) when it is absent. */
export function text(object: JsonValue | undefined, ...path: string[]): string {
  const value = getPath(object, ...path);
  return typeof value === 'string' ? value : '';
}

/** A number field, or 0 when it is absent. */
export function count(object: JsonValue | undefined, ...path: string[]): number {
  const value = getPath(object, ...path);
  return typeof value === 'number' ? value : 0;
}

export function flag(object: JsonValue | undefined, ...path: string[]): boolean {
  return getPath(object, ...path) === true;
}

/** The objects of a list field. */
export function list(object: JsonValue | undefined, ...path: string[]): JsonObject[] {
  return asArray(getPath(object, ...path)).map(asObject);
}

export function strings(object: JsonValue | undefined, ...path: string[]): string[] {
  return asArray(getPath(object, ...path)).filter((item) => typeof item === 'string');
}

export function isSet(object: JsonValue | undefined, ...path: string[]): boolean {
  const value = getPath(object, ...path);
  return value !== undefined && value !== null;
}

export function sizeOf(object: JsonValue | undefined, ...path: string[]): number {
  const value = getPath(object, ...path);
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

/** How long ago the time at the path was; `<unknown>` when there is none. */
export function since(nowMs: number, object: JsonValue | undefined, ...path: string[]): string {
  const timeMs = Date.parse(text(object, ...path));
  return Number.isNaN(timeMs) ? '<unknown>' : humanDuration(nowMs - timeMs);
}

export function age(object: JsonObject, nowMs: number): string {
  return since(nowMs, object, 'metadata', 'creationTimestamp');
}

/** A quantity in its canonical form; a missing one is Go's zero. */
export function quantity(value: JsonValue | undefined): string {
  if (typeof value === 'number') return canonicalQuantity(String(value)) ?? '0';
  return typeof value === 'string' ? (canonicalQuantity(value) ?? value) : '0';
}

/** The texts up to a maximum, and how many more there are. */
export function someOf(texts: readonly string[], most: number): string {
  const shown = texts.slice(0, most).join(',');
  if (texts.length > most) return `${shown} + ${texts.length - most} more...`;
  return shown === '' ? '<unset>' : shown;
}

export function yesNo(value: JsonValue | undefined): string {
  if (typeof value !== 'boolean') return '<unset>';
  return value ? 'True' : 'False';
}

export function containerNames(podSpec: JsonValue | undefined): string {
  return list(podSpec, 'containers')
    .map((container) => text(container, 'name'))
    .join(',');
}

export function containerImages(podSpec: JsonValue | undefined): string {
  return list(podSpec, 'containers')
    .map((container) => text(container, 'image'))
    .join(',');
}

/** `a=1,b=2` sorted by key, or `<none>`. */
export function labelsText(labels: JsonValue | undefined): string {
  const pairs = Object.entries(asObject(labels)).map(([key, value]) => `${key}=${String(value)}`);
  return pairs.length === 0 ? '<none>' : pairs.sort().join(',');
}

/**
 * A `metav1.LabelSelector` as the text that `kubectl -l` would take. Undefined when it cannot be one (an unknown
 * operator). An absent selector selects nothing, an empty one everything; both are "".
 */
export function selectorText(selector: JsonValue | undefined): string | undefined {
  const terms: { key: string; term: string }[] = [];
  for (const [key, value] of Object.entries(asObject(getPath(selector, 'matchLabels')))) {
    terms.push({ key, term: `${key}=${String(value)}` });
  }
  for (const expression of list(selector, 'matchExpressions')) {
    const key = text(expression, 'key');
    const values = strings(expression, 'values').sort().join(',');
    const term = expressionText(key, text(expression, 'operator'), values);
    if (term === undefined) return undefined;
    terms.push({ key, term });
  }
  // Stable, and by code unit as Go compares.
  terms.sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
  return terms.map(({ term }) => term).join(',');
}

function expressionText(key: string, operator: string, values: string): string | undefined {
  switch (operator) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return undefined;
  }
}

export function selectorOrNone(selector: JsonValue | undefined): string {
  const said = selectorText(selector);
  if (said === undefined) return '<error>';
  return said === '' ? '<none>' : said;
}
