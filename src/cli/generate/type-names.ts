/** Names that mean something in the generated file, or anywhere in TypeScript. */
const TAKEN = new Set([
  ...['KubernetesObject', 'ObjectMeta', 'Resource', 'Record', 'Array', 'Object', 'String', 'Number', 'Boolean'],
  ...[
    'any',
    'bigint',
    'boolean',
    'never',
    'null',
    'number',
    'object',
    'string',
    'symbol',
    'undefined',
    'unknown',
    'void',
  ],
]);

/** Words that cannot be the name of a constant, and those that the file imports. */
const RESERVED = new Set(
  (
    'abstract arguments as async await boolean break case catch class const continue debugger declare default ' +
    'defineResource delete do else enum eval export extends false finally for from function get if implements import in ' +
    'instanceof interface let module namespace new null of package private protected public require return set static ' +
    'super switch this throw true try type typeof undefined var void while with yield'
  ).split(' '),
);

/** Hands out names for types and constants, each once. */
export class TypeNames {
  readonly #used = new Set<string>(TAKEN);

  /** Of the parts in PascalCase; numbered when it is taken. */
  type(...parts: readonly string[]): string {
    return this.#unused(pascalCase(parts.join('-')) || 'Unnamed');
  }

  /** `cronTabs` for the kind CronTab with the plural name crontabs; else the plural name in camelCase. */
  constant(plural: string, kind: string, suffix = ''): string {
    const words = pascalCase(kind);
    const start = sharedStart(plural, words.toLowerCase());
    const cased = words.slice(0, start) + plural.slice(start);
    const name = camelCase(cased) + suffix;
    return this.#unused(RESERVED.has(name) ? `${name}Resource` : name);
  }

  #unused(wanted: string): string {
    let name = wanted;
    for (let number = 2; this.#used.has(name); number++) name = `${wanted}${number}`;
    this.#used.add(name);
    return name;
  }
}

export function pascalCase(text: string): string {
  const joined = text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
  return /^[0-9]/.test(joined) ? `_${joined}` : joined;
}

function camelCase(text: string): string {
  const pascal = pascalCase(text);
  return pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
