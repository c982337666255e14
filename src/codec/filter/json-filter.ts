import {
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COMMA,
  JsonElements,
  JsonMembers,
  skipManagedFields,
} from '../json/json-bytes.ts';
import { type FieldRule, type FieldRules, ruleOf, ruleOfScalar } from './field-filter.ts';

const MANAGED_FIELDS = 'managedFields';

/** Copies the text of objects without the fields that the rules drop. */
export class JsonFilter {
  readonly #rules: FieldRules;
  #bytes: Buffer = Buffer.alloc(0);
  #out = Buffer.allocUnsafe(16 * 1024);
  #position = 0;
  /** What stays and has not been written yet: parts that lie together are copied together, with the commas between them. */
  #keptStart = 0;
  #keptEnd = 0;
  /** Whether anything was kept of the part that was looked at last. */
  #isKept = false;

  constructor(rules: FieldRules) {
    this.#rules = rules;
  }

  /** What stays, in memory that the next call uses again; undefined when the bytes are not as servers write them. */
  filter(bytes: Buffer, start: number, end: number): Buffer | undefined {
    // It is never longer than the original.
    if (this.#out.length < end - start) this.#out = Buffer.allocUnsafe(2 * (end - start));
    this.#bytes = bytes;
    this.#position = 0;
    this.#keptStart = start;
    this.#keptEnd = start + 1;
    const isWhole = this.#inside(start, end, this.#rules) === end;
    this.#writeKept();
    this.#bytes = this.#out;
    return isWhole ? this.#out.subarray(0, this.#position) : undefined;
  }

  /** Keeps what stays in the object or list at `start`, and returns where that ends; -1 when it is malformed. */
  #inside(start: number, limit: number, rules: FieldRules): number {
    return this.#bytes[start] === BRACE_OPEN ? this.#object(start, limit, rules) : this.#list(start, limit, rules);
  }

  #object(start: number, limit: number, rules: FieldRules): number {
    const members = new JsonMembers(this.#bytes, start, limit);
    let isFirst = true;
    while (members.next()) {
      const { keyStart, valueStart } = members;
      const key = keyOf(members);
      const rule = ruleOf(rules, key);
      if (key === MANAGED_FIELDS && rule === 'drop') {
        members.valueEnd = skipManagedFields(this.#bytes, valueStart, limit);
        continue;
      }
      members.valueEnd = this.#part(keyStart, valueStart, limit, rule, isFirst, members);
      if (this.#isKept) isFirst = false;
    }
    this.#close(members.end, BRACE_CLOSE);
    return members.end;
  }

  #list(start: number, limit: number, rules: FieldRules): number {
    const elements = new JsonElements(this.#bytes, start, limit);
    let isFirst = true;
    while (elements.next()) {
      const { valueStart } = elements;
      elements.valueEnd = this.#part(valueStart, valueStart, limit, rules.others, isFirst, elements);
      if (this.#isKept) isFirst = false;
    }
    this.#close(elements.end, BRACKET_CLOSE);
    return elements.end;
  }

  /** A member or an element whose text begins at `start`. `isFirst`: nothing of its container has been kept before. */
  #part(
    start: number,
    valueStart: number,
    limit: number,
    rule: FieldRule,
    isFirst: boolean,
    parts: JsonMembers | JsonElements,
  ): number {
    if (typeof rule !== 'string' && this.#isEnterable(valueStart, rule)) {
      this.#keep(start, valueStart + 1, isFirst);
      const valueEnd = this.#inside(valueStart, limit, rule);
      this.#isKept = true;
      return valueEnd;
    }
    parts.skip();
    const { valueEnd } = parts;
    const isContainer = this.#bytes[valueStart] === BRACKET_OPEN && typeof rule !== 'string';
    this.#isKept = valueEnd > 0 && !isContainer && ruleOfScalar(rule) === 'keep';
    if (this.#isKept) this.#keep(start, valueEnd, isFirst);
    return valueEnd;
  }

  /** A list of which no element stays goes as a whole. */
  #isEnterable(valueStart: number, rules: FieldRules): boolean {
    const byte = this.#bytes[valueStart];
    return byte === BRACE_OPEN || (byte === BRACKET_OPEN && rules.others !== 'drop');
  }

  #keep(start: number, end: number, isFirst: boolean): void {
    // Between two parts that lie together there is a comma, and none between a bracket and the first part.
    if (start !== this.#keptEnd + (isFirst ? 0 : 1)) {
      this.#writeKept();
      if (!isFirst) this.#out[this.#position++] = COMMA;
      this.#keptStart = start;
    }
    this.#keptEnd = end;
  }

  /** Keeps the bracket that closes what ends at `end`. */
  #close(end: number, bracket: number): void {
    if (this.#keptEnd !== end - 1) {
      this.#writeKept();
      this.#out[this.#position++] = bracket;
      this.#keptStart = end;
    }
    this.#keptEnd = end;
  }

  #writeKept(): void {
    const [start, end] = [this.#keptStart, this.#keptEnd];
    this.#keptStart = end;
    if (start >= end) return;
    this.#bytes.copy(this.#out, this.#position, start, end);
    this.#position += end - start;
  }
}

/** A key that cannot be read matches no rule; the damage is found when the object is scanned. */
function keyOf(members: JsonMembers): string {
  try {
    return members.key;
  } catch {
    return '';
  }
}
