/** How many columns of a terminal a text takes, provided that it went through `safeText`. */
export function textWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/**
 * Exactly this many columns: padded with blanks, or cut with `ellipsis` in place of what is missing. A wide character that
 * would lie across the edge is left out, and a blank stands for its half.
 */
export function fitted(text: string, columns: number, ellipsis: string): string {
  const width = textWidth(text);
  if (width <= columns) return text + ' '.repeat(columns - width);
  return cut(text, columns, ellipsis);
}

/** At most this many columns. */
export function shortened(text: string, columns: number, ellipsis: string): string {
  return textWidth(text) <= columns ? text : cut(text, columns, ellipsis).trimEnd();
}

function cut(text: string, columns: number, ellipsis: string): string {
  const mark = textWidth(ellipsis) <= columns ? ellipsis : '';
  const room = columns - textWidth(mark);
  let width = 0;
  let kept = '';
  for (const char of text) {
    const next = width + charWidth(char);
    if (next > room) break;
    width = next;
    kept += char;
  }
  return kept + mark + ' '.repeat(room - width);
}

const NARROW = /^[\x20-\x7e]*$/;

const ZERO_WIDTH = /^[\p{Mn}\p{Me}\u1160-\u11ff]$/u;

/** East Asian Wide and Fullwidth, and what is shown as an emoji by itself. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;

/** Of one code point. */
export function charWidth(char: string): 0 | 1 | 2 {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (WIDE.test(char)) return 2;
  return ZERO_WIDTH.test(char) ? 0 : 1;
}
