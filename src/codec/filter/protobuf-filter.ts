import {
  EMBEDDED,
  type FieldPlan,
  type FieldTable,
  LIST,
  MAP,
  MESSAGE,
  type MessagePlan,
  ONE,
  RAW_JSON,
} from '../protobuf/message-plan.ts';
import { LENGTH_DELIMITED, varintSize, type WireReader, writeVarint } from '../protobuf/wire-reader.ts';
import { type FieldRule, type FieldRules, filterData, ruleOf, ruleOfScalar } from './field-filter.ts';

const FIRST = (1 << 3) | LENGTH_DELIMITED;
const SECOND = (2 << 3) | LENGTH_DELIMITED;

/** Copies messages without the fields that the rules drop. Fields that the schema does not know are always dropped. */
export class ProtobufFilter {
  readonly #plan: MessagePlan;
  readonly #rules: FieldRules;
  readonly #reader: WireReader;
  #out = Buffer.allocUnsafe(16 * 1024);
  #position = 0;
  /** What stays and has not been written yet: fields that lie together are copied together. */
  #keptStart = 0;
  #keptEnd = 0;

  constructor(plan: MessagePlan, rules: FieldRules, reader: WireReader) {
    this.#plan = plan;
    this.#rules = rules;
    this.#reader = reader;
  }

  /** What stays, in memory that the next call uses again. Throws `WireError`. */
  filter(bytes: Buffer, start: number, end: number): Buffer {
    this.#position = this.#keptStart = this.#keptEnd = 0;
    this.#reader.open(bytes, start, end);
    this.#message(this.#plan.table, this.#rules, end);
    this.#writeKept();
    return this.#out.subarray(0, this.#position);
  }

  #message(table: FieldTable, rules: FieldRules, end: number): void {
    const reader = this.#reader;
    while (reader.position < end) {
      const start = reader.position;
      const tag = reader.tag();
      const field = tag >>> 3 < table.length ? table[tag >>> 3] : undefined;
      const rule = field === undefined ? 'drop' : field.code === EMBEDDED ? rules : ruleOf(rules, field.name);
      if (field !== undefined && typeof rule !== 'string' && (tag & 7) === LENGTH_DELIMITED) {
        this.#inside(field, rule, start, tag, end);
        continue;
      }
      reader.skip(tag, end);
      if (ruleOfScalar(rule) === 'keep') this.#keep(start, reader.position);
    }
    reader.finish(end);
  }

  /** The reader stands behind the tag of the value, which begins at `start`. */
  #inside(field: FieldPlan, rules: FieldRules, start: number, tag: number, end: number): void {
    const reader = this.#reader;
    const valueEnd = reader.lengthDelimited(end);
    const rule =
      field.shape === ONE || field.code === EMBEDDED ? rules : field.shape === LIST ? rules.others : undefined;
    if (rule === undefined) this.#entry(field, rules, start, tag, valueEnd);
    else this.#element(field, rule, start, tag, valueEnd);
    reader.position = valueEnd;
  }

  #element(field: FieldPlan, rule: FieldRule, start: number, tag: number, end: number): void {
    if (typeof rule !== 'string') {
      if (field.code === EMBEDDED) {
        this.#nested(tag, () => this.#message(field.table, rule, end));
        return;
      }
      if (field.code === MESSAGE && field.message?.schema.form === undefined) {
        const table = field.message?.table ?? [];
        this.#nested(tag, () => this.#message(table, rule, end));
        return;
      }
      if (field.code === RAW_JSON) {
        this.#rawJson(rule, start, tag, end);
        return;
      }
      // JSON shows such a message as something else, so that no path leads into it.
      if (field.code === MESSAGE) {
        this.#keep(start, end);
        return;
      }
    }
    if (ruleOfScalar(rule) === 'keep') this.#keep(start, end);
  }

  /** An entry of a map, from the reader's position to `end`. */
  #entry(field: FieldPlan, rules: FieldRules, start: number, tag: number, end: number): void {
    const reader = this.#reader;
    const content = reader.position;
    let key = '';
    while (reader.position < end) {
      const part = reader.tag();
      if (part === FIRST) key = reader.string(reader.lengthDelimited(end));
      else reader.skip(part, end);
    }
    reader.finish(end);
    const rule = ruleOf(rules, key);
    if (typeof rule === 'string' || field.code !== MESSAGE) {
      if (ruleOfScalar(rule) === 'keep') this.#keep(start, end);
      return;
    }
    reader.position = content;
    this.#nested(tag, () => {
      while (reader.position < end) {
        const partStart = reader.position;
        const part = reader.tag();
        if (part === SECOND) {
          const valueEnd = reader.lengthDelimited(end);
          this.#element(field, rule, partStart, part, valueEnd);
          reader.position = valueEnd;
        } else {
          reader.skip(part, end);
          this.#keep(partStart, reader.position);
        }
      }
    });
  }

  #rawJson(rules: FieldRules, start: number, tag: number, end: number): void {
    const reader = this.#reader;
    while (reader.position < end) {
      const part = reader.tag();
      if (part !== FIRST) {
        reader.skip(part, end);
        continue;
      }
      const valueEnd = reader.lengthDelimited(end);
      const text = reader.bytes.toString('utf8', reader.position, valueEnd);
      const kept = filteredText(text, rules);
      if (kept === text) break;
      if (kept !== undefined) this.#nested(tag, () => this.#nested(FIRST, () => this.#text(kept)));
      return;
    }
    this.#keep(start, end);
  }

  /** Writes a tag, the length of what `write` writes, and that. */
  #nested(tag: number, write: () => void): void {
    this.#writeKept();
    this.#room(16);
    this.#position = writeVarint(this.#out, this.#position, tag);
    const lengthAt = this.#position;
    this.#position++;
    write();
    this.#writeKept();
    const length = this.#position - lengthAt - 1;
    const more = varintSize(length) - 1;
    if (more > 0) {
      this.#room(more);
      this.#out.copyWithin(lengthAt + 1 + more, lengthAt + 1, this.#position);
      this.#position += more;
    }
    writeVarint(this.#out, lengthAt, length);
  }

  #keep(start: number, end: number): void {
    if (start !== this.#keptEnd) {
      this.#writeKept();
      this.#keptStart = start;
    }
    this.#keptEnd = end;
  }

  #writeKept(): void {
    const [start, end] = [this.#keptStart, this.#keptEnd];
    this.#keptStart = this.#keptEnd;
    if (start === end) return;
    this.#room(end - start);
    this.#reader.bytes.copy(this.#out, this.#position, start, end);
    this.#position += end - start;
  }

  #text(text: string): void {
    this.#room(Buffer.byteLength(text));
    this.#position += this.#out.write(text, this.#position);
  }

  #room(length: number): void {
    if (this.#position + length <= this.#out.length) return;
    const grown = Buffer.allocUnsafe(2 * (this.#position + length));
    this.#out.copy(grown, 0, 0, this.#position);
    this.#out = grown;
  }
}

/** The text as it is when it is not JSON: whoever reads it gets the error. */
function filteredText(text: string, rules: FieldRules): string | undefined {
  try {
    const kept = filterData(JSON.parse(text), rules);
    return kept === undefined ? undefined : JSON.stringify(kept);
  } catch {
    return text;
  }
}

/** The plan of the same message without the fields that are always dropped, so that they are not shown as absent. */
export function filteredPlan(plan: MessagePlan, rules: FieldRules): MessagePlan {
  const fields: FieldPlan[] = [];
  const made = new Map<FieldPlan, FieldPlan>();
  let lastShown = -1;
  for (const field of plan.fields) {
    const rule = ruleOf(rules, field.name);
    const inner = typeof rule === 'string' || field.shape !== LIST ? rule : rule.others;
    if (inner === 'drop' || (!isEnterable(field) && ruleOfScalar(inner) === 'drop')) continue;
    const { message } = field;
    const isFiltered = field.shape !== MAP && message !== undefined && message.schema.form === undefined;
    const kept = {
      ...field,
      message: isFiltered && typeof inner !== 'string' ? filteredPlan(message, inner) : message,
      slot: fields.length,
      shownBefore: lastShown,
    };
    made.set(field, kept);
    fields.push(kept);
    if (kept.absent !== undefined && plan.schema.form === undefined) lastShown = kept.slot;
  }
  return { schema: plan.schema, fields, table: filteredTable(plan.table, made), lastShown };
}

function filteredTable(table: FieldTable, made: ReadonlyMap<FieldPlan, FieldPlan>): FieldTable {
  return table.map((field) => {
    if (field?.code === EMBEDDED) return { ...field, table: filteredTable(field.table, made) };
    return field && made.get(field);
  });
}

/** Whether a path can lead into the field. */
function isEnterable(field: FieldPlan): boolean {
  return field.shape === MAP || field.code === MESSAGE || field.code === RAW_JSON;
}
