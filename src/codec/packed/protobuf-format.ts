import type { Labels } from '../../api/label-selector.ts';
import type { EnvelopeType } from '../protobuf/envelope.ts';
import { EMBEDDED, type FieldPlan, type MessagePlan } from '../protobuf/message-plan.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { LENGTH_DELIMITED, setEntry, VARINT, type WireReader } from '../protobuf/wire-reader.ts';
import { type ViewShape, ViewShapes } from './lazy-view.ts';
import type { PackedFormat, PackedObject } from './packed-cached.ts';
import { ProtobufMessageView } from './protobuf-message-view.ts';
import { ProtobufMetadata } from './protobuf-metadata.ts';
import { ProtobufPathReader } from './protobuf-path-reader.ts';

const bytesField = (number: number): number => (number << 3) | LENGTH_DELIMITED;
const METADATA = bytesField(1);
const LABELS = bytesField(11);
const KEY = bytesField(1);
const VALUE = bytesField(2);

const NO_LABELS: Labels = Object.freeze({});

/** As many as there are bits to tell which of them an object has. */
const MAX_MASKED_FIELDS = 30;

export interface ProtobufFormatOptions {
  type: EnvelopeType;
  plan: MessagePlan;
  reader: WireReader;
}

/** The bytes are the message of the object. */
export class ProtobufFormat implements PackedFormat {
  readonly #plan: MessagePlan;
  readonly #reader: WireReader;
  readonly #decoder: ObjectDecoder;
  readonly #paths: ProtobufPathReader;
  readonly #metadata: ProtobufMetadata | undefined;
  /** By the name of the field, those whose parts can be read one by one. */
  readonly #messages = new Map<string, { readonly tag: number; readonly view: ProtobufMessageView }>();
  readonly #shapes: ViewShapes;
  /** By the fields that are present: a bit for each slot of the plan. */
  readonly #shapeByMask = new Map<number, ViewShape | undefined>();
  readonly #shownMask: number;
  readonly #isMaskable: boolean;

  constructor({ type, plan, reader }: ProtobufFormatOptions) {
    this.#plan = plan;
    this.#reader = reader;
    this.#decoder = new ObjectDecoder(plan.schema, { type, plan, reader });
    this.#paths = new ProtobufPathReader({ type, plan, reader });
    const metadata = plan.table[1];
    if (metadata?.name === 'metadata' && metadata.message) {
      this.#metadata = new ProtobufMetadata(metadata.message, reader);
    }
    for (const field of plan.fields) {
      const view = field === metadata ? undefined : ProtobufMessageView.of(field, reader);
      if (view !== undefined && plan.table[field.number] === field)
        this.#messages.set(field.name, { tag: bytesField(field.number), view });
    }
    this.#shapes = new ViewShapes(type);
    this.#isMaskable = plan.fields.length <= MAX_MASKED_FIELDS && !plan.table.some((field) => field?.code === EMBEDDED);
    this.#shownMask = plan.fields.reduce(
      (mask, { absent, slot }) => (absent === undefined ? mask : mask | (1 << slot)),
      0,
    );
  }

  labels(bytes: Buffer, start: number, end: number): Labels {
    const reader = this.#reader;
    reader.open(bytes, start, end);
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag === METADATA) return this.#labelsOf(reader.lengthDelimited(end));
      reader.skip(tag, end);
    }
    return NO_LABELS;
  }

  shape(bytes: Buffer, start: number, end: number): ViewShape | undefined {
    if (!this.#isMaskable) return this.#shapes.shapeOf(this.#decoder.fieldNames(bytes, start, end));
    const mask = this.#mask(bytes, start, end);
    const known = this.#shapeByMask.get(mask);
    if (known !== undefined) return known;
    const names = this.#plan.fields.filter(({ slot }) => mask & (1 << slot)).map(({ name }) => name);
    const shape = this.#shapes.shapeOf(['kind', 'apiVersion', ...names]);
    this.#shapeByMask.set(mask, shape);
    return shape;
  }

  metadata(bytes: Buffer, start: number, end: number, object: PackedObject): object | undefined {
    return this.#metadata?.view(bytes, start, end, object);
  }

  decodeField(bytes: Buffer, start: number, end: number, name: string, object: PackedObject): unknown {
    return this.#messageView(bytes, start, end, name, object) ?? this.#decoder.decodeField(bytes, start, end, name);
  }

  decodeAll(bytes: Buffer, start: number, end: number): unknown {
    return this.#decoder.decode(bytes, start, end);
  }

  readPath(bytes: Buffer, start: number, end: number, segments: readonly string[]): readonly string[] {
    return this.#paths.read(bytes, start, end, segments);
  }

  /** Undefined when the field is better decoded as a whole. */
  #messageView(bytes: Buffer, start: number, end: number, name: string, object: PackedObject): object | undefined {
    const messages = this.#messages.get(name);
    if (messages === undefined) return undefined;
    const reader = this.#reader;
    reader.open(bytes, start, end);
    let valueStart = 0;
    let valueEnd = 0;
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag !== messages.tag) {
        reader.skip(tag, end);
        continue;
      }
      // Who wrote it twice is understood by the decoder alone.
      if (valueEnd > 0) return undefined;
      valueEnd = reader.lengthDelimited(end);
      valueStart = reader.position;
      reader.position = valueEnd;
    }
    return messages.view.view(bytes, valueStart, valueEnd, start, object);
  }

  #labelsOf(end: number): Labels {
    const reader = this.#reader;
    let labels = NO_LABELS;
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag !== LABELS) {
        reader.skip(tag, end);
        continue;
      }
      const entryEnd = reader.lengthDelimited(end);
      let key = '';
      let value = '';
      while (reader.position < entryEnd) {
        const part = reader.tag();
        if (part === KEY) key = reader.string(reader.lengthDelimited(entryEnd));
        else if (part === VALUE) value = reader.string(reader.lengthDelimited(entryEnd));
        else reader.skip(part, entryEnd);
      }
      if (labels === NO_LABELS) labels = {};
      setEntry(labels, key, value);
    }
    return labels;
  }

  #mask(bytes: Buffer, start: number, end: number): number {
    const reader = this.#reader;
    const { table } = this.#plan;
    reader.open(bytes, start, end);
    let mask = this.#shownMask;
    while (reader.position < end) {
      const tag = reader.tag();
      const number = tag >>> 3;
      const field = number < table.length ? table[number] : undefined;
      const isShown = !field?.omitsZero || !isZero(reader, field, tag);
      reader.skip(tag, end);
      if (field !== undefined && isShown) mask |= 1 << field.slot;
    }
    reader.finish(end);
    return mask;
  }
}

/** Whether the value behind the tag is one that JSON leaves out. */
function isZero(reader: WireReader, field: FieldPlan, tag: number): boolean {
  const { position, bytes, limit } = reader;
  if (field.wireType === LENGTH_DELIMITED || field.wireType === VARINT) return bytes[position] === 0;
  const size = (tag & 7) === 1 ? 8 : 4;
  return bytes.subarray(position, Math.min(position + size, limit)).every((byte) => byte === 0);
}
