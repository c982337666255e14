import { CelSyntaxError } from './cel-error.ts';

type TokenKind = 'identifier' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'symbol' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** The text of identifiers, numbers and symbols; the value of strings. */
  readonly text: string;
  /** The value of bytes. */
  readonly bytes?: Uint8Array;
  readonly offset: number;
}

const SYMBOLS = ['&&', '||', '<=', '>=', '==', '!=', ...'.,?:;[](){}<>!+-*/%'];
const NUMBER = /^(?:0x[0-9a-fA-F]+u?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+u?)/i;
const QUOTE = /^([rR]?[bB]|[bB]?[rR])?("""|'''|"|')/;

export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const blank = /^(?:\s+|\/\/[^\n]*)/.exec(rest)?.[0];
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const { token, length } = next(rest, at);
    tokens.push(token);
    at += length;
  }
  tokens.push({ kind: 'end', text: '', offset: text.length });
  return tokens;
}

function next(rest: string, offset: number): { token: Token; length: number } {
  const quoted = QUOTE.exec(rest);
  if (quoted) return readString(rest, quoted[0], offset);
  const number = NUMBER.exec(rest)?.[0];
  if (number !== undefined) return { token: { kind: numberKind(number), text: number, offset }, length: number.length };
  const word = /^[_a-zA-Z][_a-zA-Z0-9]*/.exec(rest)?.[0];
  if (word !== undefined) return { token: { kind: 'identifier', text: word, offset }, length: word.length };
  const symbol = SYMBOLS.find((candidate) => rest.startsWith(candidate));
  if (symbol !== undefined) return { token: { kind: 'symbol', text: symbol, offset }, length: symbol.length };
  throw new CelSyntaxError(`Syntax error: token recognition error at: '${rest[0] ?? ''}'`, offset);
}

function numberKind(text: string): TokenKind {
  if (/^0x/i.test(text)) return text.endsWith('u') ? 'uint' : 'int';
  if (/[.eE]/.test(text)) return 'double';
  return /u$/i.test(text) ? 'uint' : 'int';
}

function readString(rest: string, opening: string, offset: number): { token: Token; length: number } {
  const prefix = opening.replace(/["']/g, '').toLowerCase();
  const quote = opening.slice(prefix.length);
  const raw = prefix.includes('r');
  let end = opening.length;
  for (;;) {
    if (end >= rest.length || (quote.length === 1 && rest[end] === '\n')) {
      throw new CelSyntaxError('Syntax error: unterminated string literal', offset);
    }
    if (rest.startsWith(quote, end)) break;
    end += rest[end] === '\\' && !raw ? 2 : 1;
  }
  const inside = rest.slice(opening.length, end);
  const length = end + quote.length;
  if (!prefix.includes('b')) {
    return { token: { kind: 'string', text: raw ? inside : unescapeText(inside, offset), offset }, length };
  }
  const bytes = raw ? Buffer.from(inside) : unescapeBytes(inside, offset);
  return { token: { kind: 'bytes', text: '', bytes, offset }, length };
}

const ESCAPE = /\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|.)/gs;
const SIMPLE = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ...'\\"\'`?'.split('').map((char) => [char, char] as const),
]);

function unescapeText(text: string, offset: number): string {
  return text.replace(ESCAPE, (_, code: string) => {
    const simple = SIMPLE.get(code);
    if (simple !== undefined) return simple;
    if (/^[xuU]/.test(code) && code.length > 1) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
    if (/^[0-7]{3}$/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8));
    throw new CelSyntaxError(`Syntax error: invalid escape \\${code}`, offset);
  });
}

/** In bytes, \x and octal escapes stand for bytes, not for characters. */
function unescapeBytes(text: string, offset: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let last = 0;
  for (const match of text.matchAll(ESCAPE)) {
    const [whole, code = ''] = match;
    chunks.push(Buffer.from(text.slice(last, match.index)));
    const isByte = /^(?:x..|[0-7]{3})$/.test(code);
    const byte = Number.parseInt(code.replace('x', ''), code.startsWith('x') ? 16 : 8);
    chunks.push(isByte ? Uint8Array.of(byte) : Buffer.from(unescapeText(whole, offset)));
    last = match.index + whole.length;
  }
  chunks.push(Buffer.from(text.slice(last)));
  return Buffer.concat(chunks);
}
