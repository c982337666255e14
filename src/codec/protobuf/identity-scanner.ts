import { KeyReader } from '../key-reader.ts';
import { varintSize, writeVarint } from './varint.ts';
import { LENGTH_DELIMITED, type WireReader } from './wire-reader.ts';

const bytesField = (number: number): number => (number << 3) | LENGTH_DELIMITED;
const METADATA = bytesField(1);
const NAME = bytesField(1);
const NAMESPACE = bytesField(3);
const UID = bytesField(5);
const RESOURCE_VERSION = bytesField(6);
const LABELS = bytesField(11);
const MANAGED_FIELDS = bytesField(17);

/**
 * Reads from the message of an object nothing but who it is, in one pass that jumps over everything else. What it
 * has skipped is known to be whole: the top-level fields and those of the metadata end where the object ends. The fields
 * hold what the last `scan` found, and after one that threw, what it found until then.
 */
export class IdentityScanner {
  /** "" when there is no name. */
  key = '';
  /** The same text for all objects of the namespace. */
  namespace = '';
  uid = '';
  resourceVersion = '';
  readonly #reader: WireReader;
  readonly #keys = new KeyReader();
  #start = 0;
  #end = 0;
  #metadataTag = 0;
  #metadataStart = 0;
  #metadataEnd = 0;
  #namespaceStart = 0;
  #namespaceEnd = 0;
  #nameStart = 0;
  #nameEnd = 0;
  /** Where managed fields begin and end, by turns. Most often all of them lie together. */
  readonly #cuts: number[] = [];
  #cutBytes = 0;

  constructor(reader: WireReader) {
    this.#reader = reader;
  }

  /** Throws `WireError`. */
  scan(bytes: Buffer, start: number, end: number): void {
    this.#reset(start, end);
    const reader = this.#reader;
    reader.open(bytes, start, end);
    let isFound = false;
    try {
      while (reader.position < end) {
        const tagStart = reader.position;
        const tag = reader.tag();
        if (tag !== METADATA) {
          reader.skip(tag, end);
          continue;
        }
        // A second one would be merged into the first by Go; nobody writes that.
        if (isFound) throw reader.malformed('the object has metadata twice', tagStart);
        isFound = true;
        this.#metadataTag = tagStart;
        this.#metadataEnd = reader.lengthDelimited(end);
        this.#metadataStart = reader.position;
        this.#scanMetadata(this.#metadataEnd);
      }
      reader.finish(end);
      if (!isFound) throw reader.malformed('the object has no metadata', start);
    } finally {
      this.#readKey(bytes);
    }
  }

  /** How many bytes `copyWithoutManagedFields` writes for the object that was scanned last. */
  get sizeWithoutManagedFields(): number {
    const length = this.#keptLength;
    return this.#metadataTag - this.#start + 1 + varintSize(length) + length + this.#end - this.#metadataEnd;
  }

  /** Writes the object that was scanned last to `out`, from `at` on. The bytes that were scanned must still be as they were. */
  copyWithoutManagedFields(out: Buffer, at: number): void {
    const { bytes } = this.#reader;
    const cuts = this.#cuts;
    let position = at;
    if (this.#metadataTag > this.#start) {
      bytes.copy(out, position, this.#start, this.#metadataTag);
      position += this.#metadataTag - this.#start;
    }
    out[position++] = METADATA;
    position = writeVarint(out, position, this.#keptLength);
    let keptFrom = this.#metadataStart;
    for (let i = 0; i < cuts.length; i += 2) {
      const cut = cuts[i] as number;
      bytes.copy(out, position, keptFrom, cut);
      position += cut - keptFrom;
      keptFrom = cuts[i + 1] as number;
    }
    // What is left of the metadata, and everything behind it.
    bytes.copy(out, position, keptFrom, this.#end);
  }

  #reset(start: number, end: number): void {
    this.uid = '';
    this.resourceVersion = '';
    this.#start = start;
    this.#end = end;
    this.#namespaceStart = this.#namespaceEnd = this.#nameStart = this.#nameEnd = 0;
    this.#cuts.length = 0;
    this.#cutBytes = 0;
  }

  #scanMetadata(end: number): void {
    const reader = this.#reader;
    while (reader.position < end) {
      const tagStart = reader.position;
      const tag = reader.tag();
      switch (tag) {
        case NAME:
          this.#nameEnd = reader.lengthDelimited(end);
          this.#nameStart = reader.position;
          reader.position = this.#nameEnd;
          break;
        case NAMESPACE:
          this.#namespaceEnd = reader.lengthDelimited(end);
          this.#namespaceStart = reader.position;
          reader.position = this.#namespaceEnd;
          break;
        case UID:
          this.uid = reader.uniqueString(reader.lengthDelimited(end));
          break;
        case RESOURCE_VERSION:
          this.resourceVersion = reader.uniqueString(reader.lengthDelimited(end));
          break;
        case LABELS:
          this.#checkEntry(reader.lengthDelimited(end));
          break;
        case MANAGED_FIELDS:
          reader.position = reader.lengthDelimited(end);
          this.#cut(tagStart, reader.position);
          break;
        default:
          reader.skip(tag, end);
      }
    }
    reader.finish(end);
  }

  #cut(start: number, end: number): void {
    this.#cutBytes += end - start;
    const last = this.#cuts.length - 1;
    if (last > 0 && this.#cuts[last] === start) this.#cuts[last] = end;
    else this.#cuts.push(start, end);
  }

  #checkEntry(end: number): void {
    const reader = this.#reader;
    while (reader.position < end) reader.skip(reader.tag(), end);
    reader.finish(end);
  }

  #readKey(bytes: Buffer): void {
    this.key = this.#keys.read(bytes, this.#namespaceStart, this.#namespaceEnd, this.#nameStart, this.#nameEnd);
    this.namespace = this.#keys.namespace;
  }

  get #keptLength(): number {
    return this.#metadataEnd - this.#metadataStart - this.#cutBytes;
  }
}
