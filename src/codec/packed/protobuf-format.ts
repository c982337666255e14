import { type EncodedObject, PROTOBUF_MEDIA_TYPE } from '../../api/cached.ts';
import type { Labels } from '../../api/label-selector.ts';
import type { ObjectPath } from '../../api/object-path.ts';
import type { DecodeError } from '../decode-error.ts';
import type { EnvelopeType } from '../protobuf/envelope.ts';
import { fieldPath } from '../protobuf/field-path.ts';
import type { MessagePlan } from '../protobuf/message-plan.ts';
import { WireError } from '../protobuf/wire-error.ts';
import { LENGTH_DELIMITED, setEntry, type WireReader } from '../protobuf/wire-reader.ts';
import { Accessors, type ViewSource } from './lazy-view.ts';
import { MessageViews } from './message-views.ts';
import { type Outline, OutlineField } from './outline.ts';
import type { PackedFormat } from './packed-cached.ts';
import { ProtobufPaths } from './protobuf-paths.ts';

const bytesField = (number: number): number => (number << 3) | LENGTH_DELIMITED;
const METADATA = bytesField(1);
const LABELS = bytesField(11);
const KEY = bytesField(1);
const VALUE = bytesField(2);

const NO_LABELS: Labels = Object.freeze({});

export interface ProtobufFormatOptions {
  type: EnvelopeType;
  plan: MessagePlan;
  reader: WireReader;
}

/** The bytes are the message of the object. */
export class ProtobufFormat implements PackedFormat {
  readonly #type: EnvelopeType;
  readonly #plan: MessagePlan;
  readonly #reader: WireReader;
  readonly #views: MessageViews;
  readonly #paths: ProtobufPaths;
  readonly #known: readonly OutlineField[];

  constructor({ type, plan, reader }: ProtobufFormatOptions) {
    this.#type = type;
    this.#plan = plan;
    this.#reader = reader;
    this.#views = new MessageViews(plan, { reader, accessors: new Accessors(), byPlan: new Map() }, true);
    this.#paths = new ProtobufPaths({ type, plan, reader });
    this.#known = [new OutlineField('kind', type.kind), new OutlineField('apiVersion', type.apiVersion)];
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

  view(bytes: Buffer, start: number, end: number, source: ViewSource): object {
    return this.#views.extend(new View(this.#type), bytes, start, end, start, source);
  }

  outline(bytes: Buffer, start: number, end: number): Outline | undefined {
    return this.#views.outline(bytes, start, end, this.#known);
  }

  read(bytes: Buffer, start: number, end: number, path: ObjectPath): unknown {
    return this.#paths.read(bytes, start, end, path);
  }

  /** An error of the reader counts from where it was opened, which may be anywhere in the object. */
  locate(error: DecodeError, bytes: Buffer, start: number, end: number): DecodeError {
    if (!(error instanceof WireError)) return error;
    const at = this.#reader.start + error.offset;
    return new WireError(error.what, at - start, fieldPath(this.#plan, bytes, start, end, at));
  }

  encoded(bytes: Buffer, start: number, end: number): EncodedObject {
    return { mediaType: PROTOBUF_MEDIA_TYPE, bytes: bytes.subarray(start, end) };
  }

  pathOf(bytes: Buffer, start: number, end: number, partStart: number): string {
    // The byte before a part is the last of its length.
    return fieldPath(this.#plan, bytes, start, end, partStart - 1);
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
}

/** Makes plain objects, like a literal, but with room for what is added. */
function PlainView(this: Record<string, unknown>, { kind, apiVersion }: EnvelopeType): void {
  this.kind = kind;
  this.apiVersion = apiVersion;
}
PlainView.prototype = Object.prototype;
const View = PlainView as unknown as new (type: EnvelopeType) => Record<string, unknown>;
