import type { Labels } from '../../api/label-selector.ts';
import { setEntry } from './map-entry.ts';
import { LENGTH_DELIMITED, type WireReader } from './wire-reader.ts';

const bytesField = (number: number): number => (number << 3) | LENGTH_DELIMITED;

/** Of every object. */
const METADATA = bytesField(1);

/** Of ObjectMeta. */
const NAME = bytesField(1);
const NAMESPACE = bytesField(3);
const UID = bytesField(5);
const RESOURCE_VERSION = bytesField(6);
const LABELS = bytesField(11);
const MANAGED_FIELDS = bytesField(17);

/** Of an entry of a map. */
const KEY = bytesField(1);
const VALUE = bytesField(2);

const NO_LABELS: Labels = Object.freeze({});

/**
 * Reads from the bytes of an object what the stages need to know, in one pass that jumps over everything else. What has
 * been passed over is known to be whole: the top-level fields and those of the metadata end where the object ends. The
 * fields hold what the last `scan` found, and after one that threw, what it found until then.
 */
export class MetadataScanner {
  name = '';
  namespace = '';
  uid = '';
  resourceVersion = '';
  /** Looked up with `Object.hasOwn`. */
  labels: Labels = NO_LABELS;
  readonly #reader: WireReader;
  #start = 0;
  #end = 0;
  #metadataTag = 0;
  #metadataStart = 0;
  #metadataEnd = 0;
  #managedFieldsBytes = 0;

  constructor(reader: WireReader) {
    this.#reader = reader;
  }

  /** Throws `WireError`. */
  scan(bytes: Uint8Array, start: number, end: number): void {
    this.#reset(start, end);
    const reader = this.#reader;
    reader.open(bytes, start, end);
    let found = false;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      if (tag !== METADATA) {
        reader.skip(tag, end);
        continue;
      }
      // A second one would be merged into the first by Go; nobody writes that.
      if (found) throw reader.malformed('the object has metadata twice', tagStart);
      found = true;
      this.#metadataTag = tagStart;
      this.#metadataEnd = reader.lengthDelimited(end);
      this.#metadataStart = reader.position;
      this.#scanMetadata(this.#metadataEnd);
    }
    reader.finish(end);
    if (!found) throw reader.malformed('the object has no metadata', start);
  }

  /** How many bytes `copyWithoutManagedFields` writes for the object that was scanned last. */
  get sizeWithoutManagedFields(): number {
    const length = this.#keptLength;
    return this.#metadataTag - this.#start + 1 + varintSize(length) + length + this.#end - this.#metadataEnd;
  }

  /**
   * Writes the object that was scanned last to `out`, from `at` on, and returns where it ends there. Managed fields are half
   * of an object, and hardly anybody reads them. The bytes that were scanned must still be as they were.
   */
  copyWithoutManagedFields(out: Uint8Array, at = 0): number {
    let position = this.#append(out, at, this.#start, this.#metadataTag);
    out[position++] = METADATA;
    position = writeVarint(out, position, this.#keptLength);
    const reader = this.#reader;
    reader.position = this.#metadataStart;
    let keptFrom = this.#metadataStart;
    while (reader.position < this.#metadataEnd) {
      const tagStart = reader.position;
      const tag = reader.tag();
      reader.skip(tag, this.#metadataEnd);
      if (tag !== MANAGED_FIELDS) continue;
      position = this.#append(out, position, keptFrom, tagStart);
      keptFrom = reader.position;
    }
    // What is left of the metadata, and everything behind it.
    return this.#append(out, position, keptFrom, this.#end);
  }

  #append(out: Uint8Array, at: number, start: number, end: number): number {
    if (start < end) this.#reader.bytes.copy(out, at, start, end);
    return at + end - start;
  }

  #reset(start: number, end: number): void {
    this.name = '';
    this.namespace = '';
    this.uid = '';
    this.resourceVersion = '';
    this.labels = NO_LABELS;
    this.#start = start;
    this.#end = end;
    this.#managedFieldsBytes = 0;
  }

  #scanMetadata(end: number): void {
    const reader = this.#reader;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      switch (tag) {
        case NAME:
          this.name = reader.uniqueString(reader.lengthDelimited(end));
          break;
        case NAMESPACE:
          this.namespace = reader.string(reader.lengthDelimited(end));
          break;
        case UID:
          this.uid = reader.uniqueString(reader.lengthDelimited(end));
          break;
        case RESOURCE_VERSION:
          this.resourceVersion = reader.uniqueString(reader.lengthDelimited(end));
          break;
        case LABELS:
          this.#scanLabel(reader.lengthDelimited(end));
          break;
        case MANAGED_FIELDS:
          reader.position = reader.lengthDelimited(end);
          this.#managedFieldsBytes += reader.position - tagStart;
          break;
        default:
          reader.skip(tag, end);
      }
    }
    reader.finish(end);
  }

  #scanLabel(end: number): void {
    const reader = this.#reader;
    let key = '';
    let value = '';
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag === KEY) key = reader.string(reader.lengthDelimited(end));
      else if (tag === VALUE) value = reader.string(reader.lengthDelimited(end));
      else reader.skip(tag, end);
    }
    reader.finish(end);
    if (this.labels === NO_LABELS) this.labels = {};
    setEntry(this.labels, key, value);
  }

  get #keptLength(): number {
    return this.#metadataEnd - this.#metadataStart - this.#managedFieldsBytes;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

function writeVarint(out: Uint8Array, at: number, value: number): number {
  let position = at;
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) out[position++] = (rest % 0x80) | 0x80;
  out[position++] = rest;
  return position;
}
