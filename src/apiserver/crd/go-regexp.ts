/** A pattern that Go would refuse, or that cannot be said in JavaScript. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
}

const SPACE = '\\t\\n\\f\\r ';
const POSIX = new Map([
  ['alnum', '0-9A-Za-z'],
  ['alpha', 'A-Za-z'],
  ['ascii', '\\x00-\\x7F'],
  ['blank', '\\t '],
  ['cntrl', '\\x00-\\x1F\\x7F'],
  ['digit', '0-9'],
  ['graph', '!-~'],
  ['lower', 'a-z'],
  ['print', ' -~'],
  ['punct', '!-\\/:-@\\[-`{-~'],
  ['space', '\\t\\n\\v\\f\\r '],
  ['upper', 'A-Z'],
  ['word', '0-9A-Za-z_'],
  ['xdigit', '0-9A-Fa-f'],
]);
const SYNTAX_CHARACTERS = new Set('^$\\.*+?()[]{}|/');

const compiled = new Map<string, RegExp>();
const MOST_REMEMBERED = 1000;

/**
 * A regular expression in Go's syntax (RE2) as a JavaScript one that matches the same texts. Throws `PatternError` for
 * what Go refuses (look-around, back references) and for the flag U. Unlike Go's it backtracks. Case is ignored for ASCII
 * letters alone where the flag i stands in the middle of a pattern.
 */
export function goRegExp(pattern: string): RegExp {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const expression = translate(pattern);
  if (compiled.size >= MOST_REMEMBERED) compiled.clear();
  compiled.set(pattern, expression);
  return expression;
}

function translate(pattern: string): RegExp {
  // At the start, JavaScript's own flag does it, for all letters.
  const ignoreCase = /^\(\?i\)/.test(pattern);
  const source = new Translator(ignoreCase ? pattern.slice('(?i)'.length) : pattern).translate();
  try {
    return new RegExp(source, ignoreCase ? 'iu' : 'u');
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*: /, '') : String(error);
    throw new PatternError(`error parsing regexp: ${reason}: \`${pattern}\``);
  }
}

/** Which flags hold at a place; they end with the group in which they were set. */
interface Flags {
  readonly ignoreCase: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
}

class Translator {
  readonly #text: string;
  readonly #outer: Flags[] = [];
  #flags: Flags = { ignoreCase: false, multiLine: false, dotAll: false };
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  translate(): string {
    let out = '';
    while (this.#at < this.#text.length) out += this.#next();
    return out;
  }

  #next(): string {
    const char = this.#text[this.#at] ?? '';
    if (char === '\\') return this.#escape(false);
    if (char === '[') return this.#class();
    if (char === '(') return this.#group();
    this.#at += 1;
    if (char === ')') this.#flags = this.#outer.pop() ?? this.#flags;
    if (char === '.') return this.#flags.dotAll ? '[\\s\\S]' : '[^\\n]';
    if (char === '^' && this.#flags.multiLine) return '(?<![^\\n])';
    if (char === '$' && this.#flags.multiLine) return '(?![^\\n])';
    if (char === ']' || char === '}') return `\\${char}`;
    if (char === '{') return this.#braces();
    return this.#flags.ignoreCase && /[a-zA-Z]/.test(char) ? `[${bothCases(char)}]` : char;
  }

  /** Braces that are no repetition stand for themselves. */
  #braces(): string {
    const repetition = /^\d+(,\d*)?\}/.exec(this.#text.slice(this.#at))?.[0];
    if (repetition === undefined) return '\\{';
    if (repetition.split(/[,}]/).some((bound) => Number(bound) > 1000)) {
      throw new PatternError(`error parsing regexp: invalid repeat count: \`{${repetition}\``);
    }
    this.#at += repetition.length;
    return `{${repetition}`;
  }

  #group(): string {
    const rest = this.#text.slice(this.#at);
    const [flagged, set = '', cleared = '', end] = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest) ?? [];
    if (flagged !== undefined && flagged !== '(?)') return this.#flagGroup(flagged, set, cleared, end === ':');
    const [opening = '('] = /^\((?:\?P?<\w+>)?/.exec(rest) ?? [];
    if (rest.startsWith('(?') && opening === '(') {
      const [syntax = '(?'] = /^\(\?(?:<?[=!]|P[=>]|[a-zA-Z-]*[:)]?)/.exec(rest) ?? [];
      throw new PatternError(`error parsing regexp: invalid or unsupported Perl syntax: \`${syntax}\``);
    }
    this.#at += opening.length;
    this.#outer.push(this.#flags);
    return opening.replace('?P<', '?<');
  }

  #flagGroup(whole: string, set: string, cleared: string, opens: boolean): string {
    if (set.includes('U')) throw new PatternError('the flag U is not supported by the embedded server');
    this.#at += whole.length;
    if (opens) this.#outer.push(this.#flags);
    const flag = (letter: string, before: boolean) => (set.includes(letter) || before) && !cleared.includes(letter);
    this.#flags = {
      ignoreCase: flag('i', this.#flags.ignoreCase),
      multiLine: flag('m', this.#flags.multiLine),
      dotAll: flag('s', this.#flags.dotAll),
    };
    return opens ? '(?:' : '';
  }

  #escape(inClass: boolean): string {
    const char = this.#text[this.#at + 1];
    if (char === undefined) throw new PatternError('error parsing regexp: trailing backslash at end of expression: ``');
    const rest = this.#text.slice(this.#at);
    const long = /^\\(?:[pP](?:\{\^?\w+\}|\w)|x(?:\{[0-9A-Fa-f]+\}|[0-9A-Fa-f]{2})|Q.*?(?:\\E|$)|[0-7]{2,3}|0)/s.exec(
      rest,
    );
    if (long) {
      this.#at += long[0].length;
      return longEscape(long[0]);
    }
    this.#at += 2;
    if (char === 's') return inClass ? SPACE : `[${SPACE}]`;
    if (char === 'S') return inClass ? '\\S' : `[^${SPACE}]`;
    if (!inClass && (char === 'A' || char === 'z')) return char === 'A' ? '(?<![\\s\\S])' : '(?![\\s\\S])';
    if (char === 'a') return '\\x07';
    if (/[dDwWfnrtv]/.test(char) || (!inClass && /[bB]/.test(char))) return `\\${char}`;
    if (/[A-Za-z0-9]/.test(char)) {
      throw new PatternError(`error parsing regexp: invalid escape sequence: \`\\${char}\``);
    }
    return literal(char, inClass);
  }

  #class(): string {
    const start = this.#at;
    this.#at += 1;
    let out = '[';
    if (this.#text[this.#at] === '^') {
      out += '^';
      this.#at += 1;
    }
    let first = true;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) {
        throw new PatternError(`error parsing regexp: missing closing ]: \`${this.#text.slice(start)}\``);
      }
      if (char === ']' && !first) break;
      first = false;
      if (char === '\\') out += this.#escape(true);
      else if (char === '[' && this.#text[this.#at + 1] === ':') out += this.#posixClass();
      else {
        this.#at += 1;
        out += char === '-' ? this.#dash(out) : literal(char, true);
      }
    }
    this.#at += 1;
    return this.#flags.ignoreCase ? `${withBothCases(out)}]` : `${out}]`;
  }

  /** A dash at either end of a class, or after a class such as \w, stands for itself. */
  #dash(before: string): string {
    const afterClass = /(?:^\[\^?|\\[dDwWS])$/.test(before) || before.endsWith(SPACE);
    return afterClass || this.#text[this.#at] === ']' ? '\\-' : '-';
  }

  #posixClass(): string {
    const [whole = '', not = '', name = ''] = /^\[:(\^?)(\w+):\]/.exec(this.#text.slice(this.#at)) ?? [];
    const inside = POSIX.get(name);
    if (inside === undefined || not !== '') {
      throw new PatternError(`error parsing regexp: invalid character class range: \`${whole || '[:'}\``);
    }
    this.#at += whole.length;
    return inside;
  }
}

function bothCases(letter: string): string {
  return letter.toLowerCase() + letter.toUpperCase();
}

/** Adds to the inside of a class the letters and ranges of letters in the other case. */
function withBothCases(inside: string): string {
  const plain = inside.replace(/\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|x..|.)/g, ' ');
  const parts = [...plain.matchAll(/([a-z])-([a-z])|([A-Z])-([A-Z])|[a-zA-Z]/g)].map(([part]) => part);
  const other = parts.map((part) => (/[a-z]/.test(part) ? part.toUpperCase() : part.toLowerCase()));
  return inside + other.join('');
}

function longEscape(sequence: string): string {
  const kind = sequence[1];
  if (kind === 'p' || kind === 'P') {
    const name = sequence.slice(2).replace(/[{}]/g, '');
    const negated = name.startsWith('^') !== (kind === 'P');
    return `\\${negated ? 'P' : 'p'}{${unicodeClass(name.replace('^', ''))}}`;
  }
  if (kind === 'x') return `\\u{${sequence.slice(2).replace(/[{}]/g, '')}}`;
  if (kind === 'Q') {
    const quoted = sequence.slice(2).replace(/\\E$/, '');
    return [...quoted].map((char) => literal(char, false)).join('');
  }
  return `\\u{${Number.parseInt(sequence.slice(1), 8).toString(16)}}`;
}

/** `L` and `Lu` are categories, `Greek` is a script. */
function unicodeClass(name: string): string {
  return name.length <= 2 ? name : `Script=${name}`;
}

function literal(char: string, inClass: boolean): string {
  if (inClass && char === '-') return '\\-';
  return SYNTAX_CHARACTERS.has(char) ? `\\${char}` : char;
}
