/** What an index or a field selector sees of a value; undefined when it sees nothing. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Follows the path from segment `depth` on in a decoded value; `*` stands for every element or entry. */
export function collectTexts(value: unknown, segments: readonly string[], depth: number, found: string[]): void {
  const segment = segments[depth];
  if (segment === undefined) {
    const text = textOf(value);
    if (text !== undefined) found.push(text);
  } else if (typeof value === 'object' && value !== null) {
    const container = value as Record<string, unknown>;
    if (segment === '*')
      for (const element of Object.values(container)) collectTexts(element, segments, depth + 1, found);
    else if (Object.hasOwn(container, segment)) collectTexts(container[segment], segments, depth + 1, found);
  }
}
