import { isGeneratorFunction } from '../api/generator-function.ts';
import { suggestion } from '../api/suggestion.ts';

const FUNCTIONS = ['onAdd', 'onUpdate', 'onDelete'] as const;

/** What client-go calls them, in lower case. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['addfunc', 'onAdd'],
  ['updatefunc', 'onUpdate'],
  ['deletefunc', 'onDelete'],
]);

const WANTED = 'a handler has at least one of the functions onAdd, onUpdate and onDelete';

/**
 * Throws a `TypeError` for a handler that would never be called as its author means it: one without any of the three functions, or
 * with one of them misspelt or a generator. Other members are the handler's own.
 */
export function checkHandler(where: string, handler: unknown): void {
  if (typeof handler !== 'object' || handler === null) {
    const hint = typeof handler === 'function' ? ': pass { onAdd: (object) => … }' : '';
    throw new TypeError(`${where}: ${WANTED}, and this is ${handler === null ? 'null' : `a ${typeof handler}`}${hint}`);
  }
  const members = handler as Readonly<Record<string, unknown>>;
  for (const name of FUNCTIONS) {
    const value = members[name];
    if (value !== undefined && typeof value !== 'function') {
      throw new TypeError(`${where}: ${name} of the handler must be a function, and is a ${typeof value}`);
    }
    if (isGeneratorFunction(value)) {
      throw new TypeError(
        `${where}: ${name} of the handler is a generator function, of which a call runs nothing. Pass a function without the asterisk; it may be async`,
      );
    }
  }
  for (const name of memberNames(handler)) {
    const meant = misspelt(name);
    if (meant !== undefined && members[meant] === undefined && typeof members[name] === 'function') {
      throw new TypeError(`${where}: the handler has "${name}", which is never called: did you mean "${meant}"?`);
    }
  }
  if (FUNCTIONS.every((name) => members[name] === undefined))
    throw new TypeError(`${where}: ${WANTED}, and this one has none`);
}

function misspelt(name: string): string | undefined {
  if ((FUNCTIONS as readonly string[]).includes(name)) return undefined;
  return FOREIGN.get(name.toLowerCase()) ?? suggestion(name, FUNCTIONS);
}

/** Its own and those of its classes. */
function* memberNames(handler: object): Iterable<string> {
  for (
    let from: object | null = handler;
    from !== null && from !== Object.prototype;
    from = Object.getPrototypeOf(from)
  ) {
    yield* Object.getOwnPropertyNames(from);
  }
}
