import { asciiText, safeText } from './safe-text.ts';
import { fitted, shortened, textWidth } from './text-width.ts';

export type StyleName = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'inverse';

const CODES: Readonly<Record<StyleName, number>> = {
  bold: 1,
  dim: 2,
  inverse: 7,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  cyan: 36,
};

/** A piece of a line. Its text may come from anywhere: it is made safe when it is painted. */
export interface Span {
  readonly text: string;
  readonly style?: StyleName | readonly StyleName[] | undefined;
}

/** Characters that the drawing needs, in two alphabets. */
export interface Glyphs {
  readonly ellipsis: string;
  readonly dot: string;
  readonly full: string;
  readonly empty: string;
}

const UNICODE: Glyphs = { ellipsis: '…', dot: '●', full: '█', empty: '░' };
const ASCII: Glyphs = { ellipsis: '~', dot: '*', full: '#', empty: '.' };

/**
 * The only way from text to a terminal: everything that passes is safe, fits the width that was asked for, and carries
 * colours only where they are wanted.
 */
export class Painter {
  readonly glyphs: Glyphs;
  readonly color: boolean;
  readonly unicode: boolean;

  constructor({ color, unicode }: { color: boolean; unicode: boolean }) {
    this.color = color;
    this.unicode = unicode;
    this.glyphs = unicode ? UNICODE : ASCII;
  }

  /** What this terminal can show of a text. */
  plain(text: string): string {
    return this.unicode ? safeText(text) : asciiText(text);
  }

  width(text: string): number {
    return textWidth(this.plain(text));
  }

  /** Padded or cut to exactly this many columns. */
  fit(text: string, columns: number): string {
    return fitted(this.plain(text), columns, this.glyphs.ellipsis);
  }

  /** Flush right in this many columns. */
  fitRight(text: string, columns: number): string {
    const plain = shortened(this.plain(text), columns, this.glyphs.ellipsis);
    return ' '.repeat(columns - textWidth(plain)) + plain;
  }

  /** One line of at most `columns`; what does not fit is cut. */
  line(spans: readonly Span[], columns: number): string {
    let left = columns;
    let line = '';
    for (const { text, style } of spans) {
      if (left <= 0) break;
      const plain = shortened(this.plain(text), left, this.glyphs.ellipsis);
      line += this.#styled(plain, style);
      left -= textWidth(plain);
    }
    return line;
  }

  #styled(plain: string, style: Span['style']): string {
    const names = style === undefined ? [] : typeof style === 'string' ? [style] : style;
    if (!this.color || names.length === 0 || plain === '') return plain;
    return `\x1b[${names.map((name) => CODES[name]).join(';')}m${plain}\x1b[0m`;
  }
}
