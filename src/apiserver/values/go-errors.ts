/** Several errors as one text, as Go joins them: each once, more than one in brackets. */
export function aggregate(texts: readonly string[]): string {
  const once = [...new Set(texts)];
  return once.length === 1 ? (once[0] ?? '') : `[${once.join(', ')}]`;
}
