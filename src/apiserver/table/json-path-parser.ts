import {
  fieldStep,
  filterStep,
  JsonPathError,
  literalStep,
  recursiveStep,
  type Step,
  sliceStep,
  unionStep,
  wildcardStep,
} from './json-path-steps.ts';

const FIELD_END = /[\s.,[\]$@{}]/;
const FILTER = /^([^!<>=]+)([!<>=]+)(.+?)$/s;
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;

/** Reads what stands between the braces of a JSONPath template; keywords (`range`, `end`) are refused. */
export class JsonPathParser {
  readonly #text: string;
  readonly #steps: Step[] = [];
  #at = 0;
  #recursed = false;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Step[] {
    while (this.#at < this.#text.length) this.#parseNext();
    return this.#steps;
  }

  #parseNext(): void {
    const rest = this.#text.slice(this.#at);
    const char = rest[0] ?? '';
    if (rest.startsWith('[?(')) this.#parseFilter();
    else if (rest.startsWith('..')) this.#parseRecursive();
    else if (char === '[') this.#parseBrackets();
    else if (char === '.') {
      this.#at += 1;
      this.#parseField();
    } else if (char === '"' || char === "'") this.#parseQuoted(char);
    else if (char === ' ' || char === '@' || char === '$') this.#at += 1;
    else if (/[+\-\d]/.test(char)) this.#parseNumber();
    else if (/[\p{L}_]/u.test(char)) this.#parseWord();
    else throw new JsonPathError(`unrecognized character in action: ${JSON.stringify(char)}`);
  }

  #push(step: Step): void {
    this.#steps.push(step);
    this.#recursed = false;
  }

  #parseField(): void {
    const start = this.#at;
    while (this.#at < this.#text.length && !FIELD_END.test(this.#text[this.#at] ?? '')) {
      this.#at += this.#text[this.#at] === '\\' ? 2 : 1;
    }
    const name = this.#text.slice(start, this.#at).replaceAll('\\', '');
    this.#push(name === '*' ? wildcardStep : fieldStep(name));
  }

  #parseRecursive(): void {
    if (this.#recursed) throw new JsonPathError('invalid multiple recursive descent');
    this.#at += 2;
    this.#steps.push(recursiveStep);
    this.#recursed = true;
    if (/[\p{L}\d_]/u.test(this.#text[this.#at] ?? '')) this.#parseField();
  }

  #parseBrackets(): void {
    const end = this.#text.indexOf(']', this.#at);
    if (end < 0) throw new JsonPathError('unterminated array');
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = inside.split(',');
    if (parts.length > 1) {
      this.#push(unionStep(parts.map((part) => new JsonPathParser(`[${part.trim()}]`).parse())));
      return;
    }
    const key = /^'([^']*)'$/.exec(inside)?.[1];
    if (key !== undefined) {
      for (const step of new JsonPathParser(`.${key}`).parse()) this.#push(step);
      return;
    }
    this.#push(parseSlice(inside === '*' ? ':' : inside));
  }

  #parseFilter(): void {
    const start = this.#at + '[?('.length;
    const end = filterEnd(this.#text, start);
    if (this.#text[end + 1] !== ']') throw new JsonPathError('unclosed array expect ]');
    const inside = this.#text.slice(start, end);
    this.#at = end + 2;
    const [, left, operator, right] = FILTER.exec(inside) ?? [];
    if (left === undefined || operator === undefined || right === undefined) {
      this.#push(filterStep({ left: new JsonPathParser(inside).parse() }));
      return;
    }
    const comparison = { operator, right: new JsonPathParser(right).parse() };
    this.#push(filterStep({ left: new JsonPathParser(left).parse(), comparison }));
  }

  #parseQuoted(quote: string): void {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text[end] !== quote) end += this.#text[end] === '\\' ? 2 : 1;
    if (end >= this.#text.length) throw new JsonPathError('unterminated quoted string');
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    this.#push(literalStep(inside.replace(/\\(.)/gs, (_, char: string) => ESCAPES.get(char) ?? char)));
  }

  #parseNumber(): void {
    const word = /^[+-]?[\d.]*/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    const value = Number(word);
    if (word === '' || Number.isNaN(value)) throw new JsonPathError(`cannot parse number ${word}`);
    this.#at += word.length;
    this.#push(literalStep(value));
  }

  #parseWord(): void {
    const start = this.#at;
    while (this.#at < this.#text.length && !FIELD_END.test(this.#text[this.#at] ?? '')) this.#at += 1;
    const word = this.#text.slice(start, this.#at);
    if (word !== 'true' && word !== 'false') throw new JsonPathError(`unrecognized identifier ${word}`);
    this.#push(literalStep(word === 'true'));
  }
}

const ESCAPES = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);

/** The closing parenthesis, which does not count between quotes. */
function filterEnd(text: string, start: number): number {
  let quote: string | undefined;
  for (let at = start; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\n') break;
    if (quote === undefined) {
      if (char === ')') return at;
      if (char === '"' || char === "'") quote = char;
    } else if (char === quote && text[at - 1] !== '\\') quote = undefined;
  }
  throw new JsonPathError('unterminated filter');
}

function parseSlice(inside: string): Step {
  const parts = SLICE.exec(inside);
  if (parts === null || inside === '') throw new JsonPathError(`invalid array index ${inside}`);
  const [start, end, step] = parts.slice(1).map(bound);
  const isIndex = parts[2] === undefined;
  return sliceStep({ start, end: isIndex ? (start ?? 0) + 1 : end, step }, isIndex);
}

function bound(text: string | undefined): number | undefined {
  const digits = text?.replace(':', '') ?? '';
  if (digits === '') return undefined;
  const value = Number(digits);
  if (Number.isNaN(value)) throw new JsonPathError(`array index ${digits} is not a number`);
  return value;
}
