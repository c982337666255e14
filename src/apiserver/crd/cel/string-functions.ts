import { type GoRegExp, goRegExp, PatternError } from '../go-regexp.ts';
import { CelError } from './cel-error.ts';
import { toText } from './conversion-functions.ts';
import type { FunctionTable } from './function-table.ts';
import { type CelValue, ListValue, MapValue, ObjectValue, TypeName } from './values.ts';

/** CEL's own functions of strings, those of its `strings` extension, and Kubernetes' `find` and `findAll`. */
export const stringFunctions: FunctionTable = {
  'jsonpatch.escapeKey': (key) =>
    typeof key === 'string' ? key.replaceAll('~', '~0').replaceAll('/', '~1') : undefined,
  '.contains': onTexts((text, part) => text.includes(part)),
  '.startsWith': onTexts((text, part) => text.startsWith(part)),
  '.endsWith': onTexts((text, part) => text.endsWith(part)),
  '.matches': onTexts((text, pattern) => compiled(pattern).test(text)),
  matches: onTexts((text, pattern) => compiled(pattern).test(text)),
  '.find': onTexts((text, pattern) => compiled(pattern, 'Illegal regex: ').find(text) ?? ''),
  '.findAll': (text, pattern, limit) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return undefined;
    const most = typeof limit === 'bigint' && limit >= 0n ? Number(limit) : Number.POSITIVE_INFINITY;
    return new ListValue(compiled(pattern, 'Illegal regex: ').findAll(text, most));
  },
  '.charAt': (text, at) => {
    if (typeof text !== 'string' || typeof at !== 'bigint') return undefined;
    const chars = [...text];
    if (at < 0n || at > BigInt(chars.length)) throw new CelError(`index out of range: ${at}`);
    return chars[Number(at)] ?? '';
  },
  '.indexOf': (text, part, from = 0n) => {
    if (typeof text !== 'string' || typeof part !== 'string' || typeof from !== 'bigint') return undefined;
    const chars = [...text];
    if (from < 0n || from > BigInt(chars.length)) throw new CelError(`index out of range: ${from}`);
    return findFrom(chars, [...part], Number(from), 1);
  },
  '.lastIndexOf': (text, part, from) => {
    if (typeof text !== 'string' || typeof part !== 'string') return undefined;
    const chars = [...text];
    return findFrom(chars, [...part], typeof from === 'bigint' ? Number(from) : chars.length, -1);
  },
  '.lowerAscii': (text) =>
    typeof text === 'string' ? text.replace(/[A-Z]/g, (char) => char.toLowerCase()) : undefined,
  '.upperAscii': (text) =>
    typeof text === 'string' ? text.replace(/[a-z]/g, (char) => char.toUpperCase()) : undefined,
  '.replace': (text, old, replacement, limit = -1n) => {
    if (typeof text !== 'string' || typeof old !== 'string' || typeof replacement !== 'string') return undefined;
    // An empty text stands before each character, and at the end.
    const parts = old === '' ? ['', ...text, ''] : text.split(old);
    const most = limit === -1n ? parts.length : Number(limit);
    const head = parts.slice(0, most + 1).join(replacement);
    return parts.length > most + 1 ? [head, ...parts.slice(most + 1)].join(old) : head;
  },
  '.split': (text, separator, limit = -1n) => {
    if (typeof text !== 'string' || typeof separator !== 'string') return undefined;
    const parts = separator === '' ? [...text] : text.split(separator);
    if (limit === 0n) return new ListValue([]);
    const most = typeof limit === 'bigint' && limit > 0n ? Number(limit) : parts.length;
    if (parts.length <= most) return new ListValue(parts);
    return new ListValue([...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]);
  },
  '.substring': (text, start, end) => {
    if (typeof text !== 'string' || typeof start !== 'bigint') return undefined;
    const chars = [...text];
    const until = typeof end === 'bigint' ? Number(end) : chars.length;
    if (start < 0n || Number(start) > chars.length || until > chars.length) {
      throw new CelError(`index out of range: ${start < 0n || Number(start) > chars.length ? start : until}`);
    }
    if (Number(start) > until) throw new CelError(`invalid substring range. start: ${start}, end: ${until}`);
    return chars.slice(Number(start), until).join('');
  },
  '.trim': (text) => (typeof text === 'string' ? text.trim() : undefined),
  '.join': (list, separator = '') => {
    if (!(list instanceof ListValue) || typeof separator !== 'string') return undefined;
    if (!list.items.every((item) => typeof item === 'string')) return undefined;
    return list.items.join(separator);
  },
  '.format': (text, args) =>
    typeof text === 'string' && args instanceof ListValue ? format(text, args.items) : undefined,
  'strings.quote': (text) => (typeof text === 'string' ? JSON.stringify(text) : undefined),
};

/** A pattern that is only known now, and may be wrong. */
function compiled(pattern: string, prefix = ''): GoRegExp {
  try {
    return goRegExp(pattern);
  } catch (error) {
    if (error instanceof PatternError) throw new CelError(prefix + error.message);
    throw error;
  }
}

function onTexts(apply: (text: string, other: string) => CelValue) {
  return (text?: CelValue, other?: CelValue): CelValue | undefined =>
    typeof text === 'string' && typeof other === 'string' ? apply(text, other) : undefined;
}

function findFrom(chars: readonly string[], part: readonly string[], from: number, step: 1 | -1): bigint {
  const last = chars.length - part.length;
  for (let at = step === 1 ? from : Math.min(from, last); at >= 0 && at <= last; at += step) {
    if (part.every((char, index) => chars[at + index] === char)) return BigInt(at);
  }
  return -1n;
}

/** `"%d of %s".format([1, "x"])`. */
function format(text: string, args: readonly CelValue[]): string {
  let next = 0;
  return text.replace(/%(%|(?:\.(\d+))?([a-zA-Z]))/g, (_, all: string, precision: string | undefined, verb: string) => {
    if (all === '%') return '%';
    const arg = args[next];
    if (arg === undefined) throw new CelError(`index ${next} out of range`);
    next += 1;
    return formatted(verb, arg, precision === undefined ? 6 : Number(precision));
  });
}

function formatted(verb: string, arg: CelValue, precision: number): string {
  const number = typeof arg === 'bigint' || typeof arg === 'number' ? Number(arg) : undefined;
  switch (verb) {
    case 's':
      return shown(arg);
    case 'd':
      if (typeof arg === 'bigint') return String(arg);
      break;
    case 'f':
      if (number !== undefined) return number.toFixed(precision);
      break;
    case 'e':
      if (number !== undefined) return number.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
      break;
    case 'b':
      if (typeof arg === 'bigint') return arg.toString(2);
      if (typeof arg === 'boolean') return arg ? '1' : '0';
      break;
    case 'o':
      if (typeof arg === 'bigint') return arg.toString(8);
      break;
    case 'x':
    case 'X': {
      const hex =
        typeof arg === 'bigint' ? arg.toString(16) : typeof arg === 'string' ? Buffer.from(arg).toString('hex') : '';
      if (hex !== '') return verb === 'X' ? hex.toUpperCase() : hex;
      break;
    }
    default:
  }
  throw new CelError(
    `error during formatting: could not parse formatting clause: unrecognized formatting clause "${verb}"`,
  );
}

function shown(value: CelValue): string {
  if (value === null) return 'null';
  if (value instanceof ListValue) return `[${value.items.map(shownInside).join(', ')}]`;
  if (value instanceof MapValue) {
    return `{${[...value.entries.values()]
      .map(([key, item]) => `${shownInside(key)}: ${shownInside(item)}`)
      .sort()
      .join(', ')}}`;
  }
  if (value instanceof TypeName) return value.name;
  if (value instanceof ObjectValue) throw new CelError('objects cannot be formatted');
  return toText(value) ?? '';
}

function shownInside(value: CelValue): string {
  return typeof value === 'string' ? JSON.stringify(value) : shown(value);
}
