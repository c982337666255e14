import { collect, type ObjectPath, valueAt } from '../../api/object-path.ts';
import type { EnvelopeType } from '../protobuf/envelope.ts';
import { EMPTY_MESSAGE, type FieldPlan, LIST, MESSAGE, type MessagePlan, ONE } from '../protobuf/message-plan.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import type { WireReader } from '../protobuf/wire-reader.ts';
import { ABSENT, findListed, isListable, isWhole, UNLISTED } from './directory.ts';

export interface ProtobufPathsOptions {
  type: EnvelopeType;
  plan: MessagePlan;
  reader: WireReader;
}

/** One message on the way of a path. */
interface Step {
  readonly decoder: ObjectDecoder;
  /** Of the segment that is to be followed in this message. */
  readonly depth: number;
  /** Unset when the message has to be decoded as a whole to go on. */
  readonly field: FieldPlan | undefined;
  /** What comes inside the field; unset when its value is to be decoded. */
  readonly inner: Step | undefined;
  /** The number of the field of the inner step, when directories say where it lies; else 0. */
  readonly listed: number;
}

/** Follows paths in messages: only what lies at the end of a path is decoded. The way is found once for each path. */
export class ProtobufPaths {
  readonly #options: ProtobufPathsOptions;
  readonly #steps = new WeakMap<ObjectPath, Step>();

  constructor(options: ProtobufPathsOptions) {
    this.#options = options;
  }

  read(bytes: Buffer, start: number, end: number, path: ObjectPath): unknown {
    let step = this.#steps.get(path);
    if (step === undefined) {
      const { plan, type, reader } = this.#options;
      step = stepOf(plan, new ObjectDecoder(plan.schema, { type, plan, reader }), reader, path.segments, 0);
      this.#steps.set(path, step);
    }
    if (!path.isPlural) return this.#readOne(step, bytes, start, end, path);
    const found: unknown[] = [];
    this.#readAll(step, bytes, start, end, path.segments, found);
    return found;
  }

  #readOne(step: Step, bytes: Buffer, start: number, end: number, path: ObjectPath): unknown {
    const { field, inner, depth, decoder, listed } = step;
    if (field === undefined) return valueAt(decoder.decode(bytes, start, end), path, depth);
    const { reader } = this.#options;
    // What is a list or a map may lie in several places.
    if (field.shape !== ONE || field.number === 0) {
      return valueAt(decoder.decodeField(bytes, start, end, field.name), path, depth + 1);
    }
    reader.open(bytes, start, end);
    if (listed !== 0) {
      const at = findListed(bytes, start, field.number, listed);
      if (at !== UNLISTED) return this.#readValue(inner as Step, bytes, at, end, path);
    }
    const { number } = field;
    let valueStart = ABSENT;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      reader.skip(tag, end);
      // The last one counts.
      if (tag >>> 3 === number) valueStart = tagStart;
    }
    reader.finish(end);
    return this.#readValue(step, bytes, valueStart, end, path);
  }

  /** The tag of the field lies at `tagStart`, which may be `ABSENT`, in a message that ends at `end`. The reader has been opened. */
  #readValue(
    { field, inner, depth, decoder }: Step,
    bytes: Buffer,
    tagStart: number,
    end: number,
    path: ObjectPath,
  ): unknown {
    const { reader } = this.#options;
    if (tagStart === ABSENT) {
      if (inner === undefined) return valueAt(decoder.absentValue(field as FieldPlan), path, depth + 1);
      return field?.absent === EMPTY_MESSAGE ? this.#readOne(inner, bytes, end, end, path) : undefined;
    }
    reader.position = tagStart;
    const tag = reader.tag();
    if (inner !== undefined) {
      const innerEnd = reader.lengthDelimited(end);
      return this.#readOne(inner, bytes, reader.position, innerEnd, path);
    }
    reader.skip(tag, end);
    const valueEnd = reader.position;
    reader.position = tagStart;
    return valueAt(decoder.readRun(field as FieldPlan, valueEnd), path, depth + 1);
  }

  #readAll(
    { field, inner, depth, decoder }: Step,
    bytes: Buffer,
    start: number,
    end: number,
    segments: readonly string[],
    found: unknown[],
  ): void {
    if (field === undefined) {
      collect(decoder.decode(bytes, start, end), segments, depth, found);
      return;
    }
    if (inner === undefined) {
      collect(decoder.decodeField(bytes, start, end, field.name), segments, depth + 1, found);
      return;
    }
    const ranges = this.#rangesOf(field, bytes, start, end);
    const entered = field.shape === LIST ? ranges : ranges.slice(-1);
    if (entered.length === 0 && field.absent === EMPTY_MESSAGE) entered.push([end, end]);
    for (const [from, to] of entered) this.#readAll(inner, bytes, from, to, segments, found);
  }

  #rangesOf(field: FieldPlan, bytes: Buffer, start: number, end: number): [number, number][] {
    const { reader } = this.#options;
    const ranges: [number, number][] = [];
    reader.open(bytes, start, end);
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag !== ((field.number << 3) | field.wireType)) {
        reader.skip(tag, end);
        continue;
      }
      const valueEnd = reader.lengthDelimited(end);
      ranges.push([reader.position, valueEnd]);
      reader.position = valueEnd;
    }
    reader.finish(end);
    return ranges;
  }
}

function stepOf(
  plan: MessagePlan,
  decoder: ObjectDecoder,
  reader: WireReader,
  segments: readonly string[],
  depth: number,
): Step {
  const field = isWhole(plan) ? undefined : plan.fields.find(({ name }) => name === segments[depth]);
  if (field === undefined) return { decoder, depth, field: undefined, inner: undefined, listed: 0 };
  const next = enterableAt(field, segments, depth + 1);
  if (next === undefined || field.message === undefined) return { decoder, depth, field, inner: undefined, listed: 0 };
  const innerDecoder = new ObjectDecoder(field.message.schema, { plan: field.message, reader });
  const inner = stepOf(field.message, innerDecoder, reader, segments, next);
  const listed = depth === 0 && isListable(field) && inner.field?.shape === ONE ? inner.field.number : 0;
  return { decoder, depth, field, inner, listed };
}

/** The depth of the segment that goes on, from `depth` on, within the messages of the field; undefined when the field has to be decoded. */
function enterableAt(
  { code, shape, message }: FieldPlan,
  segments: readonly string[],
  depth: number,
): number | undefined {
  if (code !== MESSAGE || message === undefined || message.schema.form !== undefined) return undefined;
  if (shape === ONE) return segments[depth] === undefined ? undefined : depth;
  return shape === LIST && segments[depth] === '*' && segments[depth + 1] !== undefined ? depth + 1 : undefined;
}
