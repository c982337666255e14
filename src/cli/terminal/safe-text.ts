/**
 * Whatever a cluster says, made harmless for a terminal: nothing in the result moves the cursor, changes a colour, turns
 * the direction of writing, or takes no room while it means something. Such characters are shown as `\x1b` or `\u202e`;
 * joiners and variation selectors, which only refine an emoji, are dropped, so that every terminal agrees on the width.
 */
export function safeText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSAFE, replacement);
}

/** Also without anything that a terminal in the C locale cannot show. */
export function asciiText(text: string): string {
  return PLAIN.test(text) ? text : safeText(text).replace(BEYOND_ASCII, '?');
}

/** A JSON text, with what could harm a terminal as `\u` escapes: still the same JSON. */
export function safeJson(json: string): string {
  return json.replace(UNSAFE, (char) => (isRefinement(char) ? char : escapes(char)));
}

/** What nearly every text is made of. */
const PLAIN = /^[\x20-\x7e]*$/;

/** Controls (C0, DEL, C1), formats (bidi overrides, zero-width marks, tags), line separators, and half surrogate pairs. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Variation_Selector}]/gu;

const BEYOND_ASCII = /[^\x20-\x7e]\p{M}*/gu;

function replacement(char: string): string {
  if (isRefinement(char)) return '';
  const code = char.codePointAt(0) ?? 0;
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : escapes(char);
}

function isRefinement(char: string): boolean {
  return char === '\u200d' || /\p{Variation_Selector}/u.test(char);
}

function escapes(char: string): string {
  let text = '';
  for (let at = 0; at < char.length; at++) text += `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return text;
}
