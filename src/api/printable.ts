const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const EACH_UNPRINTABLE = new RegExp(UNPRINTABLE, 'gu');

/**
 * Text of others for a message: characters that move the cursor, change colours or turn the direction of writing become `U+001B` and the
 * like. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  if (!UNPRINTABLE.test(text)) return text;
  return text
    .replaceAll('\r\n', '\n')
    .replace(EACH_UNPRINTABLE, (char) => (char === '\n' || char === '\t' ? char : codePoint(char)));
}

function codePoint(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
