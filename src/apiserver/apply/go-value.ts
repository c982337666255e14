import type { JsonValue } from '../values/json.ts';
import { type TextStyle, treeText } from '../values/json-text.ts';

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
const SHORT_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

/** `%q`: the form in which messages quote names and values. */
export function quote(text: string): string {
  let out = '"';
  for (const char of text) out += SHORT_ESCAPES.get(char) ?? (PRINTABLE.test(char) ? char : escapeUnprintable(char));
  return `${out}"`;
}

function escapeUnprintable(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Text in which JSON escapes nothing. */
const PLAIN = /^[\w .:/@-]*$/;

function goString(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}

const GO_JSON: TextStyle = {
  list: ['[', ']'],
  map: ['{', '}'],
  separator: ',',
  key: (name) => `${goString(name)}:`,
  scalar: (value) => (typeof value === 'string' ? goString(value) : JSON.stringify(value ?? null)),
  sorted: true,
};

/** JSON as Go writes it: keys sorted, and `<`, `>`, `&`, U+2028 and U+2029 escaped. */
export function goJson(value: JsonValue | undefined): string {
  return typeof value === 'string' ? goString(value) : treeText(value, GO_JSON);
}

const GO_VALUE: TextStyle = {
  list: ['[', ']'],
  map: ['map[', ']'],
  separator: ' ',
  key: (name) => `${name}:`,
  scalar: (value) => (value === undefined || value === null ? '<nil>' : String(value)),
  sorted: true,
};

/** `%v` of a decoded JSON value: `map[a:1 b:[x y]]`. */
export function goValue(value: JsonValue | undefined): string {
  return treeText(value, GO_VALUE);
}

/** `%T` of a decoded JSON value. */
export function goType(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}
