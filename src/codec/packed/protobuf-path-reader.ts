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
import { LENGTH_DELIMITED, type WireReader } from '../protobuf/wire-reader.ts';
import { collectTexts } from './path-text.ts';

export interface ProtobufPathReaderOptions {
  type: EnvelopeType;
  plan: MessagePlan;
  reader: WireReader;
}

/** What is needed to walk through messages of one type. */
interface Step {
  readonly decoder: ObjectDecoder;
  readonly fields: ReadonlyMap<string, FieldPlan>;
  /** Some of its fields lie in messages of their own, so that it has to be decoded as a whole. */
  readonly isNested: boolean;
}

/** Follows paths in messages; only what lies at the end of a path is decoded. */
export class ProtobufPathReader {
  readonly #reader: WireReader;
  readonly #steps = new Map<MessagePlan, Step>();
  readonly #root: Step;

  constructor({ type, plan, reader }: ProtobufPathReaderOptions) {
    this.#reader = reader;
    this.#root = stepOf(plan, new ObjectDecoder(plan.schema, { type, plan, reader }));
    this.#steps.set(plan, this.#root);
  }

  read(bytes: Buffer, start: number, end: number, segments: readonly string[]): readonly string[] {
    const found: string[] = [];
    this.#follow(this.#root, bytes, start, end, segments, 0, found);
    return found;
  }

  #follow(
    step: Step,
    bytes: Buffer,
    start: number,
    end: number,
    segments: readonly string[],
    depth: number,
    found: string[],
  ): void {
    const name = segments[depth];
    if (name === undefined) return;
    const field = step.fields.get(name);
    if (step.isNested || (name === '*' && field === undefined)) {
      collectTexts(step.decoder.decode(bytes, start, end), segments, depth, found);
      return;
    }
    const inner = field === undefined ? undefined : this.#enterable(field, segments, depth + 1);
    if (field === undefined || inner === undefined) {
      collectTexts(step.decoder.decodeField(bytes, start, end, name), segments, depth + 1, found);
      return;
    }
    const ranges = this.#rangesOf(field, bytes, start, end);
    if (field.shape === LIST) {
      for (const [from, to] of ranges) this.#follow(inner, bytes, from, to, segments, depth + 2, found);
      return;
    }
    const last = ranges.at(-1);
    if (last !== undefined) this.#follow(inner, bytes, last[0], last[1], segments, depth + 1, found);
    else if (field.absent === EMPTY_MESSAGE) this.#follow(inner, bytes, end, end, segments, depth + 1, found);
  }

  /** How to go on within the field when `segments` go on from `depth` in a way that needs no decoding; else undefined. */
  #enterable(field: FieldPlan, segments: readonly string[], depth: number): Step | undefined {
    const { message } = field;
    if (field.code !== MESSAGE || message === undefined || message.schema.form !== undefined) return undefined;
    const isElements = field.shape === LIST && segments[depth] === '*' && segments[depth + 1] !== undefined;
    if (!isElements && (field.shape !== ONE || segments[depth] === undefined)) return undefined;
    let step = this.#steps.get(message);
    if (step === undefined) {
      step = stepOf(message, new ObjectDecoder(message.schema, { plan: message, reader: this.#reader }));
      this.#steps.set(message, step);
    }
    return step;
  }

  #rangesOf(field: FieldPlan, bytes: Buffer, start: number, end: number): [number, number][] {
    const reader = this.#reader;
    const wanted = (field.number << 3) | LENGTH_DELIMITED;
    const ranges: [number, number][] = [];
    reader.open(bytes, start, end);
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag !== wanted) {
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

function stepOf(plan: MessagePlan, decoder: ObjectDecoder): Step {
  return {
    decoder,
    fields: new Map(plan.fields.map((field) => [field.name, field])),
    isNested: plan.table.some((field) => field?.code === EMBEDDED),
  };
}
