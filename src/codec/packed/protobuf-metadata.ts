import type { MessagePlan } from '../protobuf/message-plan.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { readTime, readTimeSeconds } from '../protobuf/special-types.ts';
import { timeText } from '../protobuf/time-text.ts';
import { LENGTH_DELIMITED, VARINT, type WireReader } from '../protobuf/wire-reader.ts';
import { Metadata, type MetadataFields, type MetadataTail, MetadataTails } from './common-metadata.ts';
import { type ViewShape, ViewShapes } from './lazy-view.ts';
import { type PackedObject, type PartReader, PartSource } from './packed-cached.ts';

const bytesField = (number: number): number => (number << 3) | LENGTH_DELIMITED;
const numberField = (number: number): number => (number << 3) | VARINT;
const METADATA = bytesField(1);

/* Of ObjectMeta. */
const GENERATE_NAME = bytesField(2);
const NAMESPACE = bytesField(3);
const SELF_LINK = bytesField(4);
const UID = bytesField(5);
const RESOURCE_VERSION = bytesField(6);
const GENERATION = numberField(7);
const CREATION_TIMESTAMP = bytesField(8);
const DELETION_TIMESTAMP = bytesField(9);
const DELETION_GRACE_PERIOD_SECONDS = numberField(10);
const FIRST_LATER = bytesField(11);
const MANAGED_FIELDS = bytesField(17);

/** Those that are decoded when they are first read, in the order of JSON: behind all others. */
const LATER = new Map([
  [FIRST_LATER, 'labels'],
  [bytesField(12), 'annotations'],
  [bytesField(13), 'ownerReferences'],
  [bytesField(14), 'finalizers'],
  [MANAGED_FIELDS, 'managedFields'],
]);
const LATER_TAGS = [...LATER.keys()];
const MANAGED_FIELDS_BIT = 1 << LATER_TAGS.indexOf(MANAGED_FIELDS);

/**
 * Reads metadata in a fraction of the time that decoding takes: who the object is is known, and maps and lists are copied
 * from those of an object that has the same, or wait until somebody looks at them.
 */
export class ProtobufMetadata implements PartReader {
  readonly path = 'metadata';
  readonly #reader: WireReader;
  readonly #decoder: ObjectDecoder;
  readonly #tails: MetadataTails;
  readonly #shapes = new ViewShapes();
  /** By the fields that are present: a bit for each of `LATER`. */
  readonly #shapeByMask: (ViewShape | undefined)[] = [];
  /** Of the metadata that were read last, if they say it. */
  #createdSeconds = 0;

  constructor(plan: MessagePlan, reader: WireReader) {
    this.#reader = reader;
    this.#decoder = new ObjectDecoder(plan.schema, { plan, reader });
    this.#tails = new MetadataTails(this.#decoder);
  }

  /** Of the object from `start` to `end`. Undefined when its metadata are not in the order in which Go writes them. */
  view(bytes: Buffer, start: number, end: number, object: PackedObject): object | undefined {
    const reader = this.#reader;
    const metadataEnd = this.#open(bytes, start, end);
    const view: MetadataFields = new Metadata(object.name);
    let last = 0;
    let tailStart = reader.position;
    while (tailStart < metadataEnd) {
      const tag = reader.tag();
      if (tag >= FIRST_LATER) break;
      if (tag < last) return undefined;
      last = tag;
      this.#readScalar(view, tag, metadataEnd, object);
      tailStart = reader.position;
    }
    if (tailStart >= metadataEnd) {
      reader.finish(metadataEnd);
      this.#remember(object, view, this.#tails.none);
      return view;
    }
    const tail = this.#tails.find(reader.view, tailStart, metadataEnd);
    if (tail === undefined) {
      reader.position = tailStart;
      return this.#withTail(view, bytes, start, metadataEnd, object);
    }
    if (tail.isCommon) this.#remember(object, view, tail);
    tail.copyTo(view);
    return view;
  }

  readField(bytes: Buffer, start: number, end: number, name: string): unknown {
    return this.#decoder.decodeField(bytes, start, end, name);
  }

  /** Unless there is more to remember, which few objects have, or a time so far away that the number takes memory of its own. */
  #remember(object: PackedObject, view: MetadataFields, tail: MetadataTail): void {
    const seconds = this.#createdSeconds;
    if (view.creationTimestamp === undefined || seconds !== (seconds | 0)) return;
    if (view.deletionTimestamp !== undefined || view.deletionGracePeriodSeconds !== undefined) return;
    if (view.selfLink !== undefined) return;
    const common = tail.commonWith(view);
    if (common !== undefined) object.remember(common, seconds);
  }

  #readScalar(view: MetadataFields, tag: number, end: number, object: PackedObject): void {
    const reader = this.#reader;
    switch (tag) {
      case GENERATE_NAME: {
        const text = reader.string(reader.lengthDelimited(end));
        if (text !== '') view.generateName = text;
        return;
      }
      case NAMESPACE: {
        const text = reader.string(reader.lengthDelimited(end));
        if (text !== '') view.namespace = text;
        return;
      }
      case SELF_LINK: {
        const text = reader.string(reader.lengthDelimited(end));
        if (text !== '') view.selfLink = text;
        return;
      }
      case UID:
        reader.position = reader.lengthDelimited(end);
        if (object.uid !== '') view.uid = object.uid;
        return;
      case RESOURCE_VERSION:
        reader.position = reader.lengthDelimited(end);
        if (object.resourceVersion !== '') view.resourceVersion = object.resourceVersion;
        return;
      case GENERATION: {
        const generation = reader.int64();
        if (generation !== 0) view.generation = generation;
        return;
      }
      case CREATION_TIMESTAMP: {
        const seconds = readTimeSeconds(reader, reader.lengthDelimited(end));
        if (seconds === undefined) return;
        this.#createdSeconds = seconds;
        view.creationTimestamp = timeText(seconds);
        return;
      }
      case DELETION_TIMESTAMP:
        view.deletionTimestamp = readTime(reader, reader.lengthDelimited(end));
        return;
      case DELETION_GRACE_PERIOD_SECONDS:
        view.deletionGracePeriodSeconds = reader.int64();
        return;
      default:
        // The name among them, which is known.
        reader.skip(tag, end);
    }
  }

  /** The reader stands at the first of the fields that are left for later. */
  #withTail(view: MetadataFields, bytes: Buffer, start: number, end: number, object: PackedObject): object | undefined {
    const reader = this.#reader;
    const tailStart = reader.position;
    let mask = 0;
    let last = 0;
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag < last) return undefined;
      last = tag;
      if (LATER.has(tag)) mask |= 1 << LATER_TAGS.indexOf(tag);
      reader.skip(tag, end);
    }
    reader.finish(end);
    if (mask === 0) return view;
    const shape = this.#shapeOf(mask);
    if (shape === undefined) return undefined;
    shape.extend(view, new PartSource(object, this, tailStart - start, end - start));
    if ((mask & MANAGED_FIELDS_BIT) === 0) this.#tails.missed(bytes, tailStart, end);
    return view;
  }

  /** Puts the reader at the beginning of the metadata and returns where they end. */
  #open(bytes: Buffer, start: number, end: number): number {
    const reader = this.#reader;
    reader.open(bytes, start, end);
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag === METADATA) return reader.lengthDelimited(end);
      reader.skip(tag, end);
    }
    throw reader.malformed('the object has no metadata', start);
  }

  #shapeOf(mask: number): ViewShape | undefined {
    this.#shapeByMask[mask] ??= this.#shapes.shapeOf([...LATER.values()].filter((_, i) => mask & (1 << i)));
    return this.#shapeByMask[mask];
  }
}
