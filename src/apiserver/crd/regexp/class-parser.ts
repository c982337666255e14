import { foldCase } from './case-folding.ts';
import { type CodePoints, codePoints, complement, MAX_CODE_POINT } from './code-points.ts';
import { PERL_CLASSES, posixClass, unicodeClass } from './named-classes.ts';
import { PatternError } from './pattern-error.ts';

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };

/** Reads what stands for one character: `[a-z]`, `\d`, `\p{Greek}`, `\x41`. `at` is the place after it. */
export class ClassParser {
  readonly #text: string;
  readonly #ignoreCase: boolean;
  at: number;

  constructor(text: string, at: number, ignoreCase: boolean) {
    this.#text = text;
    this.#ignoreCase = ignoreCase;
    this.at = at;
  }

  brackets(): CodePoints {
    const start = this.at;
    this.at += 1;
    const negated = this.#text[this.at] === '^';
    if (negated) this.at += 1;
    const pairs: number[] = [];
    for (let first = true; first || this.#text[this.at] !== ']'; first = false) {
      const named = this.#posixClass() ?? this.namedClass();
      for (const end of named ?? this.#range(start)) pairs.push(end);
    }
    this.at += 1;
    const set = codePoints(pairs);
    return negated ? complement(set) : set;
  }

  /** `\d` or `\pL`; undefined, and nothing read, where something else stands. */
  namedClass(): CodePoints | undefined {
    if (this.#text[this.at] !== '\\') return undefined;
    const letter = this.#text[this.at + 1] ?? '';
    const perl = Object.hasOwn(PERL_CLASSES, letter) ? PERL_CLASSES[letter] : undefined;
    if (perl !== undefined) {
      this.at += 2;
      // All letters are in \w and none in \d or \s, in both cases; but \w under i has two letters beyond ASCII.
      if (!this.#ignoreCase || letter.toLowerCase() !== 'w') return perl;
      return letter === 'w' ? foldCase(perl) : complement(foldCase(complement(perl)));
    }
    return letter === 'p' || letter === 'P' ? this.#unicodeClass(letter === 'P') : undefined;
  }

  #unicodeClass(isNegated: boolean): CodePoints {
    const rest = this.#text.slice(this.at);
    let length = 2 + String.fromCodePoint(rest.codePointAt(2) ?? 0).length;
    let name = rest.slice(2, length);
    if (name === '{') {
      length = rest.indexOf('}') + 1;
      if (length === 0) throw new PatternError('invalid character class range', rest);
      name = rest.slice(3, length - 1);
    }
    const negated = isNegated !== name.startsWith('^');
    const set = unicodeClass(name.replace(/^\^/, ''));
    if (set === undefined) throw new PatternError('invalid character class range', rest.slice(0, length));
    this.at += length;
    const inside = this.#ignoreCase ? foldCase(set) : set;
    return negated ? complement(inside) : inside;
  }

  #posixClass(): CodePoints | undefined {
    if (!this.#text.startsWith('[:', this.at)) return undefined;
    const end = this.#text.indexOf(':]', this.at + 2);
    if (end < 0) return undefined;
    const found = posixClass(this.#text.slice(this.at + 2, end));
    if (found === undefined) {
      throw new PatternError('invalid character class range', this.#text.slice(this.at, end + 2));
    }
    this.at = end + 2;
    const inside = this.#ignoreCase ? foldCase(found.inside) : found.inside;
    return found.negated ? complement(inside) : inside;
  }

  #range(classStart: number): CodePoints {
    const start = this.at;
    const first = this.#member(classStart);
    let last = first;
    const after = this.#text[this.at + 1];
    if (this.#text[this.at] === '-' && after !== undefined && after !== ']') {
      this.at += 1;
      last = this.#member(classStart);
      if (last < first) throw new PatternError('invalid character class range', this.#text.slice(start, this.at));
    }
    return this.#ignoreCase ? foldCase([first, last]) : [first, last];
  }

  #member(classStart: number): number {
    const char = this.#text[this.at];
    if (char === undefined) throw new PatternError('missing closing ]', this.#text.slice(classStart));
    return char === '\\' ? this.character() : this.#take();
  }

  /** One code point. */
  #take(): number {
    const codePoint = this.#text.codePointAt(this.at) ?? 0;
    this.at += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  /** An escaped character: `\.`, `\n`, `\x41`, `\x{1F600}`, `\012`. */
  character(): number {
    const start = this.at;
    const rest = this.#text.slice(start, start + 100);
    if (rest.length === 1) throw new PatternError('trailing backslash at end of expression', '');
    const [octal] = /^\\(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest) ?? [];
    if (octal !== undefined) {
      this.at += octal.length;
      return Number.parseInt(octal.slice(1), 8);
    }
    if (rest[1] === 'x') return this.#hex();
    this.at += 1;
    const codePoint = this.#take();
    const char = String.fromCodePoint(codePoint);
    const control = Object.hasOwn(CONTROLS, char) ? CONTROLS[char] : undefined;
    if (control !== undefined) return control;
    if (codePoint < 0x80 && !/[0-9A-Za-z]/.test(char)) return codePoint;
    throw this.#badEscape(start);
  }

  #hex(): number {
    const start = this.at;
    this.at += 2;
    if (this.#text[this.at] !== '{') {
      // Two characters are read before they are looked at.
      for (let digits = 0; digits < 2 && this.at < this.#text.length; digits += 1) this.#take();
      const digits = this.#text.slice(start + 2, this.at);
      if (!/^[0-9A-Fa-f]{2}$/.test(digits)) throw this.#badEscape(start);
      return Number.parseInt(digits, 16);
    }
    this.at += 1;
    let value = 0;
    for (let count = 0; ; count += 1) {
      if (this.at >= this.#text.length) throw this.#badEscape(start);
      const char = String.fromCodePoint(this.#take());
      if (char === '}' && count > 0) return value;
      const digit = /^[0-9A-Fa-f]$/.test(char) ? Number.parseInt(char, 16) : Number.NaN;
      value = value * 16 + digit;
      if (!(value <= MAX_CODE_POINT)) throw this.#badEscape(start);
    }
  }

  #badEscape(start: number): PatternError {
    return new PatternError('invalid escape sequence', this.#text.slice(start, this.at));
  }
}
