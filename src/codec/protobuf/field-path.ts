import { EMBEDDED, type FieldPlan, type FieldTable, LIST, MAP, type MessagePlan } from './message-plan.ts';
import { WireError } from './wire-error.ts';
import { LENGTH_DELIMITED, WireReader } from './wire-reader.ts';

/**
 * Names the field at `offset` as far as it can be told: `spec.containers[1].image`. For errors alone: it reads the message
 * again from its start, and takes its time.
 */
export function fieldPath(plan: MessagePlan, bytes: Uint8Array, start: number, end: number, offset: number): string {
  const reader = new WireReader();
  reader.open(bytes, start, end);
  const finder = new Finder(reader, offset);
  try {
    finder.descend(plan.table, end);
  } catch (error) {
    // The damage itself, which lies behind the last field that was found.
    if (!(error instanceof WireError)) throw error;
  }
  return finder.path;
}

class Finder {
  path = '';
  readonly #reader: WireReader;
  readonly #offset: number;

  constructor(reader: WireReader, offset: number) {
    this.#reader = reader;
    this.#offset = offset;
  }

  descend(table: FieldTable, end: number): void {
    const outer = this.path;
    const counts = new Map<FieldPlan, number>();
    while (this.#reader.position < end) {
      const tag = this.#reader.tag();
      const field = table[tag >>> 3];
      if (field === undefined) {
        this.#reader.skip(tag, end);
        continue;
      }
      const index = counts.get(field) ?? 0;
      counts.set(field, index + 1);
      this.path = field.code === EMBEDDED ? outer : `${outer}${outer === '' ? '' : '.'}${field.name}`;
      if (field.shape === LIST) this.path += `[${index}]`;
      if ((tag & 7) !== LENGTH_DELIMITED) this.#reader.skip(tag, end);
      else if (this.#enter(field, end)) return;
      if (this.#reader.position > this.#offset) return;
      this.path = outer;
    }
  }

  /** Skips a length-delimited value; true when the offset lies in it. */
  #enter(field: FieldPlan, end: number): boolean {
    const valueEnd = this.#reader.lengthDelimited(end);
    // In the tag or the length itself: nothing of what is inside matters, however deep it goes.
    if (this.#offset < this.#reader.position) return true;
    if (this.#offset >= valueEnd) {
      this.#reader.position = valueEnd;
      return false;
    }
    if (field.shape === MAP) this.#enterEntry(field, valueEnd);
    else if (field.code === EMBEDDED) this.descend(field.table, valueEnd);
    else if (field.message) this.descend(field.message.table, valueEnd);
    return true;
  }

  #enterEntry(field: FieldPlan, end: number): void {
    while (this.#reader.position < end) {
      const tag = this.#reader.tag();
      if ((tag & 7) !== LENGTH_DELIMITED) {
        this.#reader.skip(tag, end);
        continue;
      }
      const valueEnd = this.#reader.lengthDelimited(end);
      if (tag >>> 3 === 1) this.path += `[${JSON.stringify(this.#reader.uniqueString(valueEnd))}]`;
      else if (field.message && this.#offset >= this.#reader.position) {
        this.descend(field.message.table, valueEnd);
        return;
      }
      this.#reader.position = valueEnd;
    }
  }
}
