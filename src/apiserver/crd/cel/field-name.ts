const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: readonly (readonly [RegExp, string])[] = [
  [/__/g, '__underscores__'],
  [/\./g, '__dot__'],
  [/-/g, '__dash__'],
  [/\//g, '__slash__'],
];

/** The name by which rules reach a property; undefined when they cannot. */
export function fieldName(property: string): string | undefined {
  if (RESERVED.has(property)) return `__${property}__`;
  if (!/^[a-zA-Z_.\-/][a-zA-Z0-9_.\-/]*$/.test(property)) return undefined;
  return ESCAPES.reduce((name, [pattern, replacement]) => name.replace(pattern, replacement), property);
}
