import type { JsonValue } from '../values/json.ts';
import { type TextStyle, treeText } from '../values/json-text.ts';

/** As Go's `json.Marshal` writes maps: keys sorted, and `<`, `>`, `&` escaped. */
export function goJson(value: JsonValue | undefined): string {
  return treeText(value, GO_JSON);
}

const GO_JSON: TextStyle = {
  list: ['[', ']'],
  map: ['{', '}'],
  separator: ',',
  key: (name) => `${scalarText(name)}:`,
  scalar: scalarText,
  sorted: true,
};

function scalarText(value: string | number | boolean | null | undefined): string {
  if (typeof value === 'number') return goNumber(value);
  return JSON.stringify(value ?? null).replace(/[<>&\u2028\u2029]/g, unicodeEscape);
}

/** As Go's `fmt.Print` writes int64 and float64. */
export function goNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString();
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 21) return String(value);
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
