import { isObject, type JsonValue } from './json.ts';

/** How a tree is written: what stands around, between and before its parts. */
export interface TextStyle {
  readonly list: readonly [open: string, close: string];
  readonly map: readonly [open: string, close: string];
  readonly separator: string;
  /** Between the parts of a map. Default: as between those of a list. */
  readonly mapSeparator?: string;
  /** The text of a key with what stands between it and its value. */
  key(name: string): string;
  scalar(value: string | number | boolean | null | undefined): string;
  /** Keys in the order of their characters. Default: in the order of the object. Those set to undefined are left out. */
  readonly sorted?: boolean;
}

/** The text of a value, however deeply it nests. */
export function treeText(root: JsonValue | undefined, style: TextStyle): string {
  const parts: string[] = [];
  /** What is still to be written, the next one last: a value, or a text as it is. */
  const open: ({ readonly value: JsonValue | undefined } | string)[] = [{ value: root }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') {
      parts.push(next);
      continue;
    }
    const { value } = next;
    if (Array.isArray(value)) {
      parts.push(style.list[0]);
      open.push(style.list[1]);
      for (let index = value.length - 1; index >= 0; index--) {
        open.push({ value: value[index] });
        if (index > 0) open.push(style.separator);
      }
    } else if (isObject(value)) {
      parts.push(style.map[0]);
      open.push(style.map[1]);
      const keys = Object.keys(value).filter((key) => value[key] !== undefined);
      if (style.sorted) keys.sort();
      for (let index = keys.length - 1; index >= 0; index--) {
        const key = keys[index] as string;
        open.push({ value: value[key] }, style.key(key));
        if (index > 0) open.push(style.mapSeparator ?? style.separator);
      }
    } else parts.push(style.scalar(value));
  }
  return parts.join('');
}

const JSON_STYLE: TextStyle = {
  list: ['[', ']'],
  map: ['{', '}'],
  separator: ',',
  key: (name) => `${JSON.stringify(name)}:`,
  scalar: (value) => JSON.stringify(value ?? null),
};

/** `JSON.stringify`, which gives up on values that nest more deeply than the machine's stack reaches. */
export function jsonText(value: object): string {
  return orElse(
    () => JSON.stringify(value),
    () => treeText(value as JsonValue, JSON_STYLE),
  );
}

/** For people: indented, unless the value nests so deeply that nobody would read it. */
export function prettyJson(value: object): string {
  return orElse(
    () => JSON.stringify(value, null, 2),
    () => jsonText(value),
  );
}

/** What the first one gives; what the second gives when the stack was too small for the first. */
export function orElse<T>(first: () => T, second: () => T): T {
  try {
    return first();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return second();
  }
}
