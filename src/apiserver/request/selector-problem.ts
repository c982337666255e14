import { labelValueProblems, qualifiedNameProblems } from '../values/name-rules.ts';
import { aggregateText, type FieldError, invalid } from './field-error.ts';

const SYMBOLS = ['==', '!=', '=', '!', '(', ')', ',', '>', '<'];
const OPERATORS = ['in', 'notin', '=', '==', '!=', '>', '<'];
const COMPARISONS = ['>', '<'];
const END = '';

/** What Go says of a text that is not a label selector; undefined when it is one. */
export function labelSelectorProblem(text: string): string | undefined {
  try {
    new LabelSelectorReader(text).read();
    return undefined;
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

/** What Go says of a text that is not a field selector; undefined when it is one. */
export function fieldSelectorProblem(text: string): string | undefined {
  const terms = text.match(/(?:\\[\s\S]?|[^\\,])+/g) ?? [];
  for (const term of terms.toSorted()) {
    const at = term.search(/!=|=/);
    if (at < 0) return `invalid selector: '${text}'; can't understand '${term}'`;
    const value = term.slice(at).replace(/^(?:!=|==|=)/, '');
    const [sequence] = value.match(/\\(?![\\,=])[\s\S]?/) ?? [];
    if (sequence !== undefined) return `invalid field selector: invalid escape sequence: ${sequence}`;
    // Go shows the number of the character.
    if (/(?<!\\)(?:\\\\)*=/.test(value)) return 'invalid field selector: unescaped character in value: 61';
  }
  return undefined;
}

class Problem extends Error {}

class LabelSelectorReader {
  /** Symbols and words; the empty text at the end. */
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    const found = text.match(/==|!=|[=!(),<>]|[^\s=!(),<>]+/g) ?? [];
    this.#tokens = [...found, END];
  }

  read(): void {
    for (;;) {
      const token = this.#next;
      if (token === END) return;
      if (!isWord(token) && token !== '!') refuse(token, "!, identifier, or 'end of string'");
      this.#requirement();
      const after = this.#take();
      if (after === END) return;
      if (after !== ',') refuse(after, "',' or 'end of string'");
      if (!isWord(this.#next) && this.#next !== '!') refuse(this.#next, "identifier after ','");
    }
  }

  get #next(): string {
    return this.#tokens[this.#at] ?? END;
  }

  #take(): string {
    const token = this.#next;
    this.#at++;
    return token;
  }

  #requirement(): void {
    try {
      const isNegated = this.#next === '!';
      if (isNegated) this.#take();
      const key = this.#take();
      if (!isWord(key)) refuse(key, 'identifier');
      const keyProblems = qualifiedNameProblems(key);
      if (keyProblems.length > 0) report([invalid('<nil>', key, keyProblems.join('; '))]);
      if (this.#next === END || this.#next === ',') return;
      const operator = this.#take();
      if (!OPERATORS.includes(operator)) refuse(operator, 'in, notin, =, ==, !=, gt, lt');
      const isSet = operator === 'in' || operator === 'notin';
      const values = isSet ? this.#values() : [this.#value()];
      report(values.flatMap((value, index) => valueErrors(key, operator, value, `values[${index}]`)));
    } catch (error) {
      throw error instanceof Problem ? new Problem(`unable to parse requirement: ${error.message}`) : error;
    }
  }

  #value(): string {
    if (this.#next === END || this.#next === ',') return '';
    const token = this.#take();
    if (!isWord(token)) refuse(token, 'identifier');
    return token;
  }

  #values(): string[] {
    const open = this.#take();
    if (open !== '(') throw new Problem(`found '${open}' expected: '('`);
    if (this.#next !== ')' && this.#next !== ',' && !isWord(this.#next)) {
      refuse(this.#next, "',', ')' or identifier");
    }
    const values = new Set<string>();
    let isEmpty = true;
    for (;;) {
      const token = this.#take();
      if (isWord(token)) {
        values.add(token);
        isEmpty = false;
        if (this.#next !== ',' && this.#next !== ')') refuse(this.#next, "',' or ')'");
      } else if (token === ',' || token === ')') {
        if (isEmpty) values.add('');
        if (token === ')') return [...values].sort();
        isEmpty = true;
      } else refuse(token, "',', or identifier");
    }
  }
}

function isWord(token: string): boolean {
  return token !== END && !SYMBOLS.includes(token);
}

function valueErrors(key: string, operator: string, value: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (COMPARISONS.includes(operator) && !/^[+-]?[0-9]+$/.test(value)) {
    errors.push(invalid(field, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
  }
  const problems = labelValueProblems(value);
  if (problems.length > 0) errors.push(invalid(`${field}[${key}]`, value, problems.join('; ')));
  return errors;
}

function refuse(token: string, expected: string): never {
  throw new Problem(`found '${token}', expected: ${expected}`);
}

function report(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw new Problem(aggregateText(errors));
}
