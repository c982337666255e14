import { type Defined, defined } from './defined.ts';
import { printable } from './printable.ts';
import { didYouMean, suggestion } from './suggestion.ts';

/** What is wanted in place of a value that will not do; undefined when it will. */
export type ValueCheck = (value: unknown) => string | undefined;

/** A check for each option that there is: the compiler finds one that is missing here. */
export type OptionChecks<O> = { readonly [K in keyof O]-?: ValueCheck };

export const anything: ValueCheck = () => undefined;
export const aFunction = typeCheck('function', 'a function');
export const aBoolean = typeCheck('boolean', 'true or false');
export const aText = typeCheck('string', 'a text');
export const aNumber: ValueCheck = (value) =>
  typeof value === 'number' && !Number.isNaN(value) ? undefined : 'a number';
export const anObject: ValueCheck = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'an object';
export const aSignal: ValueCheck = (value) => {
  if (isSignal(value)) return undefined;
  const isController = typeof value === 'object' && value !== null && isSignal((value as AbortController).signal);
  return isController ? 'an AbortSignal: the `signal` of that AbortController' : 'an AbortSignal';
};
export const paths: ValueCheck = (value) =>
  Array.isArray(value) && value.every((path) => typeof path === 'string')
    ? undefined
    : "a list of paths, such as ['metadata.annotations']";

export const aSelector: ValueCheck = (value) =>
  typeof value === 'string' || typeof (value as { matches?: unknown } | null)?.matches === 'function'
    ? undefined
    : 'a selector, such as "app=web"';

/** One of these words. */
export function oneOf(...words: readonly string[]): ValueCheck {
  const quoted = words.map((word) => `"${word}"`);
  const wanted = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].join(' or ');
  return (value) => {
    if (typeof value !== 'string') return wanted;
    if (words.includes(value)) return undefined;
    const meant = suggestion(value, words);
    return meant === undefined ? wanted : `${wanted}: did you mean "${meant}"?`;
  };
}

/**
 * The options that are set. Throws a `TypeError` for a key that is not an option, naming the one that was likely meant, and for a
 * value that will not do: an option that is misspelt would otherwise do nothing, silently.
 */
export function checkedOptions<O extends object>(
  where: string,
  options: O | undefined,
  checks: OptionChecks<O>,
): Defined<O> {
  if (options === undefined) return {} as Defined<O>;
  if (anObject(options) !== undefined)
    throw new TypeError(`${where}: its options must be an object, not ${shown(options)}`);
  const known = checks as Readonly<Record<string, ValueCheck | undefined>>;
  for (const [key, value] of Object.entries(options)) {
    const check = Object.hasOwn(known, key) ? known[key] : undefined;
    if (check === undefined) throw new TypeError(`${where}: ${unknownKey(key, Object.keys(known))}`);
    if (value === undefined) continue;
    const wanted = check(value);
    if (wanted !== undefined) throw new TypeError(`${where}: ${key} is ${shown(value)}, and must be ${wanted}`);
  }
  return defined(options);
}

function unknownKey(key: string, known: readonly string[]): string {
  const hint = didYouMean(key, known) ?? `there are ${known.toSorted().join(', ')}`;
  return `there is no option "${printable(key)}": ${hint}`;
}

/** In a few words, for a message. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(printable(value.length > 60 ? `${value.slice(0, 60)}…` : value));
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object' && value !== null) return 'an object';
  return String(value);
}

function typeCheck(type: 'function' | 'boolean' | 'string', wanted: string): ValueCheck {
  return (value) => (typeof value === type ? undefined : wanted);
}

/** Also one of another realm, as under Jest. */
export function isSignal(value: unknown): value is AbortSignal {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as AbortSignal).aborted === 'boolean' &&
    typeof (value as AbortSignal).addEventListener === 'function'
  );
}
