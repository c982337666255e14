import {
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COMMA,
  JsonElements,
  JsonMembers,
} from '../json-bytes.ts';
import { type FieldRule, type FieldRules, ruleOf, ruleOfScalar } from './field-filter.ts';

/** Writes the text of objects anew without the fields that are not to stay. */
export class JsonFilter {
  readonly #rules: FieldRules;
  #bytes: Buffer = Buffer.alloc(0);
  #out = Buffer.allocUnsafe(16 * 1024);
  #position = 0;

  constructor(rules: FieldRules) {
    this.#rules = rules;
  }

  /** What stays, in memory that the next call uses again; undefined when the bytes are not as servers write them. */
  filter(bytes: Buffer, start: number, end: number): Buffer | undefined {
    // It is never longer than the original.
    if (this.#out.length < end - start) this.#out = Buffer.allocUnsafe(2 * (end - start));
    this.#bytes = bytes;
    this.#position = 0;
    const isWhole = this.#value(start, end, this.#rules) === end;
    this.#bytes = this.#out;
    return isWhole ? this.#out.subarray(0, this.#position) : undefined;
  }

  /** Writes what stays of the value at `start`, and returns where that ends; -1 when it is malformed. */
  #value(start: number, limit: number, rules: FieldRules): number {
    return this.#bytes[start] === BRACE_OPEN ? this.#object(start, limit, rules) : this.#list(start, limit, rules);
  }

  #object(start: number, limit: number, rules: FieldRules): number {
    const members = new JsonMembers(this.#bytes, start, limit);
    const first = this.#open(BRACE_OPEN);
    while (members.next()) {
      members.valueEnd = this.#part(
        members.keyStart,
        members.valueStart,
        limit,
        ruleOf(rules, keyOf(members)),
        first,
        members,
      );
    }
    this.#byte(BRACE_CLOSE);
    return members.end;
  }

  #list(start: number, limit: number, rules: FieldRules): number {
    const elements = new JsonElements(this.#bytes, start, limit);
    const first = this.#open(BRACKET_OPEN);
    while (elements.next()) {
      elements.valueEnd = this.#part(elements.valueStart, elements.valueStart, limit, rules.others, first, elements);
    }
    this.#byte(BRACKET_CLOSE);
    return elements.end;
  }

  /** A member or an element whose text begins at `start`; `first` is where the output stands when there is none before it. */
  #part(
    start: number,
    valueStart: number,
    limit: number,
    rule: FieldRule,
    first: number,
    parts: JsonMembers | JsonElements,
  ): number {
    if (typeof rule !== 'string' && this.#isEnterable(valueStart, rule)) {
      this.#comma(first);
      this.#copy(start, valueStart);
      return this.#value(valueStart, limit, rule);
    }
    parts.skip();
    const { valueEnd } = parts;
    const isContainer = this.#bytes[valueStart] === BRACKET_OPEN && typeof rule !== 'string';
    if (valueEnd > 0 && !isContainer && ruleOfScalar(rule) === 'keep') {
      this.#comma(first);
      this.#copy(start, valueEnd);
    }
    return valueEnd;
  }

  /** A list of which no element stays goes as a whole. */
  #isEnterable(valueStart: number, rules: FieldRules): boolean {
    const byte = this.#bytes[valueStart];
    return byte === BRACE_OPEN || (byte === BRACKET_OPEN && rules.others !== 'drop');
  }

  #open(bracket: number): number {
    this.#byte(bracket);
    return this.#position;
  }

  #comma(first: number): void {
    if (this.#position > first) this.#byte(COMMA);
  }

  #byte(byte: number): void {
    this.#out[this.#position++] = byte;
  }

  #copy(start: number, end: number): void {
    this.#bytes.copy(this.#out, this.#position, start, end);
    this.#position += end - start;
  }
}

/** A key that cannot be read is no name of a rule; the damage is found when the object is scanned. */
function keyOf(members: JsonMembers): string {
  try {
    return members.key;
  } catch {
    return '';
  }
}
