import { collect, type ObjectPath, valueAt } from '../../api/object-path.ts';
import type { EnvelopeType } from '../protobuf/envelope.ts';
import {
  EMBEDDED,
  EMPTY_MESSAGE,
  type FieldPlan,
  LIST,
  MESSAGE,
  type MessagePlan,
  ONE,
} from '../protobuf/message-plan.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import type { WireReader } from '../protobuf/wire-reader.ts';

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
    const { field, inner, depth, decoder } = step;
    if (field === undefined) return valueAt(decoder.decode(bytes, start, end), path, depth);
    const { reader } = this.#options;
    // What is a list or a map may lie in several places.
    if (field.shape !== ONE || field.number === 0) {
      return valueAt(decoder.decodeField(bytes, start, end, field.name), path, depth + 1);
    }
    reader.open(bytes, start, end);
    const { number } = field;
    let valueStart = -1;
    let valueEnd = -1;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      reader.skip(tag, end);
      if (tag >>> 3 === number) {
        valueStart = tagStart;
        valueEnd = reader.position;
      }
    }
    reader.finish(end);
    if (inner !== undefined) {
      if (valueStart < 0)
        return field.absent === EMPTY_MESSAGE ? this.#readOne(inner, bytes, end, end, path) : undefined;
      reader.position = valueStart;
      reader.tag();
      const innerEnd = reader.lengthDelimited(valueEnd);
      return this.#readOne(inner, bytes, reader.position, innerEnd, path);
    }
    if (valueStart < 0) return valueAt(decoder.absentValue(field), path, depth + 1);
    reader.position = valueStart;
    return valueAt(decoder.readRun(field, valueEnd), path, depth + 1);
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
  // Some of its fields may lie in messages of their own.
  const isWhole = plan.schema.form !== undefined || plan.table.some((field) => field?.code === EMBEDDED);
  const field = isWhole ? undefined : plan.fields.find(({ name }) => name === segments[depth]);
  if (field === undefined) return { decoder, depth, field: undefined, inner: undefined };
  const next = enterableAt(field, segments, depth + 1);
  if (next === undefined || field.message === undefined) return { decoder, depth, field, inner: undefined };
  const innerDecoder = new ObjectDecoder(field.message.schema, { plan: field.message, reader });
  return { decoder, depth, field, inner: stepOf(field.message, innerDecoder, reader, segments, next) };
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
