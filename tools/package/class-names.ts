/**
 * The text of a bundle in which classes have the names of their sources. esbuild writes `var Pod = class _Pod { … }` for a class that
 * refers to itself, so that `Pod.name` and stack traces say `_Pod`. The underscore becomes a space: a name inside a class
 * hides the one outside, which means the same class, and the columns of the source map stay true.
 */
export function withClassNames(script: string): string {
  const names = [...script.matchAll(/\b(?:var|let|const) ([\w$]+) = class _\1\b/g)].map(([, name = '']) => name);
  if (names.length === 0) return script;
  const renamed = new RegExp(
    `(?<![\\w$."'\`])_(${names.map((name) => name.replaceAll('$', '\\$')).join('|')})(?![\\w$])`,
    'g',
  );
  return script.replace(renamed, ' $1');
}
