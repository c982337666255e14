import { CelSyntaxError } from './cel-error.ts';
import type { Element, Expression } from './expression.ts';
import { type Token, tokenize } from './lexer.ts';
import { parseMacro } from './macros.ts';
import { structCall } from './struct-value.ts';
import { Uint } from './values.ts';

const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
/** Weakest first; all are left-associative. */
const BINARY = [['||'], ['&&'], ['<', '<=', '>=', '>', '==', '!=', 'in'], ['+', '-'], ['*', '/', '%']];
const MAX_DEPTH = 250;

export function parseExpression(text: string): Expression {
  return new Parser(text).parse();
}

class Parser {
  readonly #tokens: Token[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  parse(): Expression {
    const expression = this.#expression();
    if (this.#peek().kind !== 'end') throw this.#unexpected();
    return expression;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: '', offset: 0 };
  }

  #is(symbol: string): boolean {
    const { kind, text } = this.#peek();
    return text === symbol && (kind === 'symbol' || (kind === 'identifier' && symbol === 'in'));
  }

  #take(symbol: string): boolean {
    if (!this.#is(symbol)) return false;
    this.#at += 1;
    return true;
  }

  #expect(symbol: string): void {
    if (!this.#take(symbol)) throw this.#unexpected();
  }

  #unexpected(): CelSyntaxError {
    const { kind, text, offset } = this.#peek();
    const shown = kind === 'end' ? '<EOF>' : text;
    return new CelSyntaxError(`Syntax error: mismatched input '${shown}'`, offset);
  }

  #expression(): Expression {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw new CelSyntaxError('expression recursion limit exceeded', this.#peek().offset);
    const condition = this.#binary(0);
    const { offset } = this.#peek();
    if (this.#take('?')) {
      const yes = this.#binary(0);
      this.#expect(':');
      const no = this.#expression();
      this.#depth -= 1;
      return { kind: 'call', name: '?:', target: undefined, args: [condition, yes, no], offset };
    }
    this.#depth -= 1;
    return condition;
  }

  #binary(level: number): Expression {
    const operators = BINARY[level];
    if (operators === undefined) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const { offset } = this.#peek();
      const name = operators.find((operator) => this.#is(operator));
      if (name === undefined) return left;
      this.#at += 1;
      left = { kind: 'call', name, target: undefined, args: [left, this.#binary(level + 1)], offset };
    }
  }

  #unary(): Expression {
    const { offset } = this.#peek();
    if (this.#take('!')) return { kind: 'call', name: '!', target: undefined, args: [this.#unary()], offset };
    if (!this.#take('-')) return this.#member();
    const { kind, text } = this.#peek();
    // The least int has no positive counterpart, so the sign belongs to the literal.
    if (kind === 'int') {
      this.#at += 1;
      return this.#members({ kind: 'literal', value: parseInt64(`-${text}`, offset), offset });
    }
    return { kind: 'call', name: 'neg', target: undefined, args: [this.#unary()], offset };
  }

  #member(): Expression {
    return this.#members(this.#primary());
  }

  #members(first: Expression): Expression {
    let operand = first;
    for (;;) {
      const { offset } = this.#peek();
      if (this.#take('.')) operand = this.#selected(operand, offset);
      else if (this.#take('[')) {
        const optional = this.#take('?');
        operand = { kind: 'index', operand, index: this.#expression(), optional, offset };
        this.#expect(']');
      } else {
        const typeName = this.#is('{') ? dottedName(operand) : undefined;
        if (typeName === undefined) return operand;
        this.#at += 1;
        operand = this.#struct(typeName, offset);
      }
    }
  }

  /** `Type{field: value}` */
  #struct(typeName: string, offset: number): Expression {
    const entries = this.#entries((name, at) => ({ kind: 'literal', value: name, offset: at }));
    const fields: Expression = { kind: 'map', entries, offset };
    return { kind: 'call', name: structCall(typeName), target: undefined, args: [fields], offset };
  }

  #selected(operand: Expression, offset: number): Expression {
    const optional = this.#take('?');
    const { kind, text: field } = this.#peek();
    if (kind !== 'identifier') throw this.#unexpected();
    this.#at += 1;
    if (optional || !this.#is('(')) return { kind: 'select', operand, field, test: false, optional, offset };
    const opening = this.#peek().offset;
    return this.#call(field, operand, opening);
  }

  #call(name: string, target: Expression | undefined, offset: number): Expression {
    this.#expect('(');
    const args = this.#list(')').map(({ value }) => value);
    return parseMacro(name, target, args, offset) ?? { kind: 'call', name, target, args, offset };
  }

  #primary(): Expression {
    const token = this.#peek();
    const { kind, text, offset } = token;
    this.#at += 1;
    switch (kind) {
      case 'int':
        return { kind: 'literal', value: parseInt64(text, offset), offset };
      case 'uint':
        return { kind: 'literal', value: new Uint(BigInt(text.slice(0, -1))), offset };
      case 'double':
        return { kind: 'literal', value: Number(text), offset };
      case 'string':
        return { kind: 'literal', value: text, offset };
      case 'bytes':
        return { kind: 'literal', value: token.bytes ?? new Uint8Array(), offset };
      case 'identifier':
        return this.#named(text, offset);
      default:
        return this.#bracketed(text, offset);
    }
  }

  #named(text: string, offset: number): Expression {
    if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true', offset };
    if (text === 'null') return { kind: 'literal', value: null, offset };
    if (RESERVED.has(text)) throw new CelSyntaxError(`reserved identifier: ${text}`, offset);
    return this.#is('(')
      ? this.#call(text, undefined, this.#peek().offset)
      : { kind: 'identifier', name: text, offset };
  }

  #bracketed(text: string, offset: number): Expression {
    if (text === '(') {
      const inner = this.#expression();
      this.#expect(')');
      return inner;
    }
    if (text === '[') return { kind: 'list', items: this.#list(']'), offset };
    if (text === '{') return { kind: 'map', entries: this.#entries(), offset };
    if (text === '.') return this.#primary();
    this.#at -= 1;
    throw this.#unexpected();
  }

  #name(): string {
    const { kind, text } = this.#peek();
    if (kind !== 'identifier') throw this.#unexpected();
    this.#at += 1;
    return text;
  }

  #list(closing: string): Element[] {
    const items: Element[] = [];
    while (!this.#take(closing)) {
      if (items.length > 0) this.#expect(',');
      if (items.length > 0 && this.#take(closing)) break;
      const optional = this.#take('?');
      items.push({ value: this.#expression(), optional });
    }
    return items;
  }

  /** `named` makes keys of names; without it keys are expressions. */
  #entries(named?: (name: string, offset: number) => Expression): (Element & { key: Expression })[] {
    const entries: (Element & { key: Expression })[] = [];
    while (!this.#take('}')) {
      if (entries.length > 0) this.#expect(',');
      if (entries.length > 0 && this.#take('}')) break;
      const optional = this.#take('?');
      const key = named ? named(this.#name(), this.#peek().offset) : this.#expression();
      this.#expect(':');
      entries.push({ key, value: this.#expression(), optional });
    }
    return entries;
  }
}

/** `Object.spec`, when the expression is nothing but names. */
function dottedName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'select' || expression.test || expression.optional) return undefined;
  const before = dottedName(expression.operand);
  return before === undefined ? undefined : `${before}.${expression.field}`;
}

function parseInt64(text: string, offset: number): bigint {
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
  if (BigInt.asIntN(64, value) !== value) throw new CelSyntaxError('invalid int literal', offset);
  return value;
}
