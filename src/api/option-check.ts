import { type Defined, defined } from './defined.ts';
import { printable } from './printable.ts';
import { didYouMean, suggestion } from './suggestion.ts';

/** What is wanted in place of a value that will not do; undefined when it will. `where` is for those that throw a `TypeError` themselves. */
export type ValueCheck = (value: unknown, where: string) => string | undefined;

/** A check for each option that there is: the compiler finds one that is missing here. */
export type OptionChecks<O> = { readonly [K in keyof O]-?: ValueCheck };

export const anything: ValueCheck = () => undefined;
export const aFunction = typeCheck('function', 'a function');
export const aBoolean = typeCheck('boolean', 'true or false');
export const aText = typeCheck('string', 'a text');
/** What is given is never shown: neither the value, nor a text in the place of all options that have one. */
export const aSecret: ValueCheck = (value, where) => aText(value, where);
export const texts = listOfTexts('a list of texts');
export const aNumber: ValueCheck = (value) =>
  typeof value === 'number' && !Number.isNaN(value) ? undefined : 'a number';
export const anObject: ValueCheck = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'an object';
export const aSignal: ValueCheck = (value) => {
  if (isSignal(value)) return undefined;
  const isController = typeof value === 'object' && value !== null && isSignal((value as AbortController).signal);
  return isController ? 'an AbortSignal: the `signal` of that AbortController' : 'an AbortSignal';
};
export const aClock = having('a clock', 'now', 'setTimeout', 'sleep');
export const aLogger = having('a logger', 'debug', 'info', 'warn', 'error');
export const aMeter = having('metrics', 'counter', 'gauge', 'histogram');
export const paths = listOfTexts("a list of paths, such as ['metadata.annotations']");

export const aSelector: ValueCheck = (value) =>
  typeof value === 'string' || typeof (value as { matches?: unknown } | null)?.matches === 'function'
    ? undefined
    : 'a selector, such as "app=web"';

/** Options within options. */
export function optionsOf<O extends object>(checks: OptionChecks<O>): ValueCheck {
  return (value, where) => {
    const wanted = anObject(value, where);
    if (wanted === undefined) checkedOptions(where, value as O, checks);
    return wanted;
  };
}

/** Anything with these methods. */
function having(what: string, ...methods: readonly string[]): ValueCheck {
  const wanted = `${what}, which has ${methods.slice(0, -1).join(', ')} and ${methods.at(-1)}`;
  return (value) => {
    const missing = methods.some((name) => typeof (value as Record<string, unknown> | null)?.[name] !== 'function');
    return missing ? wanted : undefined;
  };
}

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
 * The options that are set. Throws a `TypeError` for a key that is not an option, naming the one that was likely meant, for a
 * value that will not do, and for one of `needed` that is not set: an option that is misspelt would otherwise do nothing, silently.
 */
export function checkedOptions<O extends object>(
  where: string,
  options: O | undefined,
  checks: OptionChecks<O>,
  needed: readonly (keyof O & string)[] = [],
): Defined<O> {
  if (options !== undefined) checkEach(where, options, checks);
  for (const key of needed) {
    if (options?.[key] !== undefined) continue;
    const wanted = checks[key](undefined, where);
    throw new TypeError(`${where} needs the option ${key}${wanted === undefined ? '' : `: ${wanted}`}`);
  }
  return options === undefined ? ({} as Defined<O>) : defined(options);
}

function checkEach<O extends object>(where: string, options: O, checks: OptionChecks<O>): void {
  if (anObject(options, where) !== undefined) {
    const given = Object.values(checks).includes(aSecret) ? kindOf(options) : shown(options);
    throw new TypeError(`${where}: its options must be an object, not ${given}`);
  }
  const known = checks as Readonly<Record<string, ValueCheck | undefined>>;
  for (const [key, value] of Object.entries(options)) {
    const check = Object.hasOwn(known, key) ? known[key] : undefined;
    if (check === undefined) throw new TypeError(`${where}: ${unknownKey(key, Object.keys(known))}`);
    if (value === undefined) continue;
    const wanted = check(value, `${where}: ${key}`);
    if (wanted === undefined) continue;
    const given = check === aSecret ? kindOf(value) : shown(value);
    throw new TypeError(`${where}: ${key} is ${given}, and must be ${wanted}`);
  }
}

function unknownKey(key: string, known: readonly string[]): string {
  const hint = didYouMean(key, known) ?? `there are ${known.toSorted().join(', ')}`;
  return `there is no option "${printable(key)}": ${hint}`;
}

/** In a few words, for a message. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(printable(value.length > 60 ? `${value.slice(0, 60)}…` : value));
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindOf(value);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object') return 'an object';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

function listOfTexts(wanted: string): ValueCheck {
  return (value) => (Array.isArray(value) && value.every((item) => typeof item === 'string') ? undefined : wanted);
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
