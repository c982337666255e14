const UNEXPECTED_END = 'unexpected end of JSON input';
const SPACE = /[ \t\r\n]*/y;
const STRING_PART = /(?:[ !#-[\]-\u{ff}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/uy;
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };
/** The parts of a number: what each looks like, and what Go says of a character that cannot begin it. */
const NUMBER_PARTS: readonly { lead: RegExp; digits: RegExp; where: string }[] = [
  { lead: /-?/y, digits: /0|[1-9][0-9]*/y, where: 'in numeric literal' },
  { lead: /\./y, digits: /[0-9]+/y, where: 'after decimal point in numeric literal' },
  { lead: /[eE][+-]?/y, digits: /[0-9]+/y, where: 'in exponent of numeric literal' },
];

/** What Go's `encoding/json` says of a text that is not JSON; undefined when it is. */
export function goJsonProblem(text: string): string | undefined {
  return new Scanner(Buffer.from(text).toString('latin1')).problem();
}

/** Reads byte by byte, as Go does. */
class Scanner {
  readonly #text: string;
  /** What is open, outermost first. */
  readonly #open: ('{' | '[')[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  problem(): string | undefined {
    let isEmptyAllowed = false;
    for (;;) {
      const begun = this.#begin(isEmptyAllowed);
      if (begun === 'opened') {
        isEmptyAllowed = true;
        continue;
      }
      isEmptyAllowed = false;
      const ended = begun ?? this.#end();
      if (ended !== 'next') return ended === 'done' ? undefined : ended;
    }
  }

  /** Reads a value that does not nest, or opens one that does; before the values of an object stand their keys. */
  #begin(isEmptyAllowed: boolean): string | undefined {
    const inside = this.#open.at(-1);
    this.#take(SPACE);
    if (isEmptyAllowed && this.#text[this.#at] === (inside === '{' ? '}' : ']')) return undefined;
    const key = inside === '{' ? this.#key() : undefined;
    if (key !== undefined) return key;
    this.#take(SPACE);
    const char = this.#text[this.#at] ?? '';
    if (char === '{' || char === '[') {
      this.#at++;
      this.#open.push(char);
      return 'opened';
    }
    if (char === '"') return this.#string();
    if (/[-0-9]/.test(char)) return this.#number();
    const literal = LITERALS[char];
    return literal === undefined ? this.#wrong('looking for beginning of value') : this.#literal(literal);
  }

  /** Closes what ends here. */
  #end(): string {
    for (;;) {
      this.#take(SPACE);
      const inside = this.#open.at(-1);
      const char = this.#text[this.#at];
      if (inside === undefined) return char === undefined ? 'done' : this.#wrong('after top-level value');
      if (char === ',') {
        this.#at++;
        return 'next';
      }
      if (char !== (inside === '{' ? '}' : ']')) {
        return this.#wrong(inside === '{' ? 'after object key:value pair' : 'after array element');
      }
      this.#at++;
      this.#open.pop();
    }
  }

  #key(): string | undefined {
    if (this.#text[this.#at] !== '"') return this.#wrong('looking for beginning of object key string');
    const problem = this.#string();
    if (problem !== undefined) return problem;
    this.#take(SPACE);
    if (this.#text[this.#at] !== ':') return this.#wrong('after object key');
    this.#at++;
    return undefined;
  }

  #string(): string | undefined {
    this.#at++;
    this.#take(STRING_PART);
    const char = this.#text[this.#at];
    if (char === '"') {
      this.#at++;
      return undefined;
    }
    if (char === undefined) return UNEXPECTED_END;
    if (char !== '\\') return this.#wrong('in string literal');
    this.#at++;
    if (this.#text[this.#at] !== 'u') return this.#wrong('in string escape code', true);
    this.#at++;
    this.#take(/[0-9a-fA-F]*/y);
    return this.#wrong('in \\u hexadecimal character escape', true);
  }

  #number(): string | undefined {
    for (const { lead, digits, where } of NUMBER_PARTS) {
      if (!this.#take(lead)) continue;
      if (!this.#take(digits)) return this.#wrong(where, true);
    }
    return undefined;
  }

  #literal(word: string): string | undefined {
    for (const expected of word) {
      if (this.#text[this.#at] !== expected) return this.#wrong(`in literal ${word} (expecting '${expected}')`, true);
      this.#at++;
    }
    return undefined;
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const isThere = pattern.test(this.#text);
    if (isThere) this.#at = pattern.lastIndex;
    return isThere;
  }

  /** At the end Go reads one more space, which is an error of its own `inToken`: where no space may stand. */
  #wrong(where: string, inToken = false): string {
    const char = this.#text[this.#at];
    if (char === undefined && !inToken) return UNEXPECTED_END;
    return `invalid character ${quoted(char ?? ' ')} ${where}`;
  }
}

function quoted(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return `'"'`;
  const code = char.charCodeAt(0);
  const named = NAMED.get(char);
  if (named !== undefined) return `'${named}'`;
  if (code < 0x20 || code === 0x7f) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  return code >= 0x80 && (code <= 0xa0 || code === 0xad) ? `'\\u${code.toString(16).padStart(4, '0')}'` : `'${char}'`;
}

const NAMED = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
]);
