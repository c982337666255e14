/** What was thrown, as text. Never throws, whatever it was. */
export function failureText(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown);
  } catch {
    return 'what was thrown cannot be shown as text';
  }
}
