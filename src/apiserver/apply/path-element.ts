import { asObject, isObject, type JsonValue } from '../values/json.ts';
import { type TextStyle, treeText } from '../values/json-text.ts';
import { goJson, quote } from './go-value.ts';

/**
 * One step of a path to a field, in the text that `fieldsV1` uses: `f:name` a field, `k:{"name":"x"}` a list item by its
 * keys, `v:"x"` a member of a set, `i:0` a list item by its place. Two elements are the same exactly when their texts
 * are: whatever makes one writes JSON with sorted keys.
 */
export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

export function keyElement(fields: readonly (readonly [string, JsonValue])[]): PathElement {
  const sorted = [...fields].sort(([a], [b]) => (a < b ? -1 : 1));
  return `k:{${sorted.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(',')}}`;
}

export function valueElement(value: JsonValue): PathElement {
  return `v:${goJson(value)}`;
}

/** The name when the element is a field, else undefined. */
export function fieldName(element: PathElement): string | undefined {
  return element.startsWith('f:') ? element.slice(2) : undefined;
}

/** Elements that can only be written in one way; nearly all are. */
const PLAIN = /^(?:f:|k:\{"\w+":(?:"[\w .:/@-]*"|\d{1,15})\}$|v:"[\w .:/@-]*"$)/;

/**
 * The element that a key of `fieldsV1` stands for, or undefined for a kind of element that this version does not know.
 * Throws when the text is malformed.
 */
export function parseElement(text: string): PathElement | undefined {
  if (PLAIN.test(text)) return text;
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  switch (text[0]) {
    case 'k': {
      const key: unknown = JSON.parse(text.slice(2));
      if (!isObject(key)) throw new Error(`a key is an object: ${text}`);
      return `k:${goJson(key)}`;
    }
    case 'v':
      return valueElement(JSON.parse(text.slice(2)) as JsonValue);
    case 'i': {
      if (!/^[+-]?\d+$/.test(text.slice(2))) throw new Error(`an index is a number: ${text}`);
      return `i:${Number(text.slice(2))}`;
    }
    default:
      return undefined;
  }
}

/** `.name`, `[name="x"]`, `[="x"]`, `[0]`: how conflicts show a path. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('');
}

export function elementText(element: PathElement): string {
  const rest = element.slice(2);
  if (element[0] === 'f') return `.${rest}`;
  if (element[0] === 'i') return `[${rest}]`;
  const value = JSON.parse(rest) as JsonValue;
  if (element[0] === 'v') return `[=${valueText(value)}]`;
  return `[${Object.entries(asObject(value))
    .map(([name, part]) => `${name}=${valueText(part)}`)
    .join(',')}]`;
}

const VALUE_TEXT: TextStyle = {
  list: ['[', ']'],
  map: ['', ''],
  separator: ',',
  mapSeparator: '',
  key: (name) => `${name}=`,
  scalar: (value) => (typeof value === 'string' ? quote(value) : String(value)),
};

function valueText(value: JsonValue | undefined): string {
  return treeText(value, VALUE_TEXT);
}

/** In the order of the real server: fields, then keys, values and indexes; numbers by size, texts by character. */
export function sortElements(elements: Iterable<PathElement>): PathElement[] {
  const sorted = [...elements];
  if (sorted.every((element) => element[0] === 'f')) return sorted.sort();
  return sorted
    .map((element) => ({ element, kind: 'fkvi'.indexOf(element[0] ?? ''), value: elementValue(element) }))
    .sort((a, b) => a.kind - b.kind || compareValues(a.value, b.value))
    .map(({ element }) => element);
}

function elementValue(element: PathElement): JsonValue {
  return element[0] === 'f' ? element.slice(2) : (JSON.parse(element.slice(2)) as JsonValue);
}

/** Numbers first, then texts, booleans, lists, maps, null. */
function compareValues(a: JsonValue | undefined, b: JsonValue | undefined): number {
  const rank = valueRank(a) - valueRank(b);
  if (rank !== 0) return rank;
  if (isObject(a) && isObject(b)) return compareLists(Object.entries(a).flat(), Object.entries(b).flat());
  if (typeof a === 'object' && typeof b === 'object') return compareTexts(goJson(a), goJson(b));
  if (a === b || a === undefined || b === undefined || a === null || b === null) return 0;
  return a < b ? -1 : 1;
}

/** The names and values of keys; what nests in them, which no schema allows, goes by its text. */
function compareLists(a: readonly (JsonValue | undefined)[], b: readonly (JsonValue | undefined)[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const [left, right] = [a[index], b[index]];
    const nested = isObject(left) && isObject(right);
    const order = nested ? compareTexts(goJson(left), goJson(right)) : compareValues(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function valueRank(value: JsonValue | undefined): number {
  if (typeof value === 'number') return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 2;
  if (Array.isArray(value)) return 3;
  return isObject(value) ? 4 : 5;
}
