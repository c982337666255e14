import { EMBEDDED, type FieldPlan, MESSAGE, type MessagePlan, ONE } from '../protobuf/message-plan.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { WireError } from '../protobuf/wire-error.ts';
import type { WireReader } from '../protobuf/wire-reader.ts';
import { bindLazyFields, ViewShapes } from './lazy-view.ts';
import { type PackedObject, type PartReader, PartSource } from './packed-cached.ts';

type Data = Record<string, unknown>;

/** A field of fewer bytes is decoded sooner than it is put off. */
const LARGE_BYTES = 512;

/**
 * Reads a message at the top of an object, such as `spec`. Messages and lists of them that are large wait until somebody
 * looks at them: who wants to know the node of a pod need not decode its containers.
 */
export class ProtobufMessageView implements PartReader {
  readonly path: string;
  readonly #plan: MessagePlan;
  readonly #reader: WireReader;
  readonly #decoder: ObjectDecoder;
  readonly #accessors = new ViewShapes();
  /** By slot: where the values of each field lie in the message in hand. An end of 0 is a field that it lacks. */
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;

  private constructor(path: string, plan: MessagePlan, reader: WireReader) {
    this.path = path;
    this.#plan = plan;
    this.#reader = reader;
    this.#decoder = new ObjectDecoder(plan.schema, { plan, reader });
    this.#starts = new Int32Array(plan.fields.length);
    this.#ends = new Int32Array(plan.fields.length);
  }

  /** Undefined for a field that has to be decoded as a whole. */
  static of(field: FieldPlan, reader: WireReader): ProtobufMessageView | undefined {
    const { message } = field;
    if (field.code !== MESSAGE || field.shape !== ONE || message === undefined || message.schema.form) return undefined;
    if (message.table.some((each) => each?.code === EMBEDDED)) return undefined;
    return new ProtobufMessageView(field.name, message, reader);
  }

  /** Of the message from `start` to `end` in an object that begins at `objectStart`. Undefined when nothing in it is large. */
  view(bytes: Buffer, start: number, end: number, objectStart: number, object: PackedObject): object | undefined {
    if (end - start < LARGE_BYTES || !this.#findRuns(bytes, start, end)) return undefined;
    const view: Data = {};
    for (const { name, slot } of this.#plan.fields) {
      const runStart = this.#starts[slot] as number;
      const runEnd = this.#ends[slot] as number;
      if (runEnd === 0) this.#showAbsent(view, name, slot);
      else if (this.#isLarge(slot)) Object.defineProperty(view, name, this.#accessors.accessorOf(name));
      else this.#decodeRun(view, slot, bytes, runStart, runEnd);
    }
    return bindLazyFields(view, new PartSource(object, this, start - objectStart, end - objectStart));
  }

  readField(bytes: Buffer, start: number, end: number, name: string): unknown {
    try {
      return this.#decoder.decodeField(bytes, start, end, name);
    } catch (error) {
      throw this.#fromTheTop(error);
    }
  }

  #decodeRun(view: Data, slot: number, bytes: Buffer, start: number, end: number): void {
    try {
      this.#decoder.decodeRun(view, slot, bytes, start, end);
    } catch (error) {
      throw this.#fromTheTop(error);
    }
  }

  #showAbsent(view: Data, name: string, slot: number): void {
    const value = this.#decoder.absentValue(slot);
    if (value !== undefined) view[name] = value;
  }

  #isLarge(slot: number): boolean {
    const length = (this.#ends[slot] as number) - (this.#starts[slot] as number);
    return length >= LARGE_BYTES && this.#plan.fields[slot]?.code === MESSAGE;
  }

  /** Finds where each field lies. False when none is large, or when the values of one do not lie together. */
  #findRuns(bytes: Buffer, start: number, end: number): boolean {
    const reader = this.#reader;
    const { table } = this.#plan;
    this.#ends.fill(0);
    reader.open(bytes, start, end);
    let current: FieldPlan | undefined;
    let hasLarge = false;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      const field = tag >>> 3 < table.length ? table[tag >>> 3] : undefined;
      reader.skip(tag, end);
      if (field !== undefined) {
        const { slot } = field;
        if (field !== current) {
          if (this.#ends[slot] !== 0) return false;
          this.#starts[slot] = tagStart;
        }
        this.#ends[slot] = reader.position;
        hasLarge ||= this.#isLarge(slot);
      }
      current = field;
    }
    reader.finish(end);
    return hasLarge;
  }

  /** Errors name a field from the top of the object on. */
  #fromTheTop(error: unknown): unknown {
    if (!(error instanceof WireError)) return error;
    return error.at(error.path === '' ? this.path : `${this.path}.${error.path}`);
  }
}
