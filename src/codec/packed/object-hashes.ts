import { LENGTH_DELIMITED, type WireReader } from '../protobuf/wire-reader.ts';

const bytesField = (number: number): number => (number << 3) | LENGTH_DELIMITED;
const METADATA = bytesField(1);
const NAME = bytesField(1);
const NAMESPACE = bytesField(3);
const LABELS = bytesField(11);
const OWNERS = bytesField(13);

const ZERO = 0x30;
const NINE = 0x39;

/** Of a stretch of bytes: the same for the same bytes. Two that differ may have the same one. */
export type ContentHash = (view: DataView, start: number, end: number) => number;

/** What an object is found by that is likely to be alike. 0 is what it does not have. */
export class ObjectHashes {
  /** Of its owner references: pods of one ReplicaSet have the same. */
  owners = 0;
  labels = 0;
  /**
   * Of its namespace, and of its name up to the first digit: what comes behind that is what generated names have of their own. Of a name
   * without digits, that alone: many namespaces have an object of that name.
   */
  stem = 0;
  readonly #hash: ContentHash;

  constructor(hash: ContentHash = contentHash) {
    this.#hash = hash;
  }

  /** Of the object that lies in `bytes` from 0 to `length`, whose metadata are whole. */
  read(reader: WireReader, bytes: Buffer, view: DataView, length: number): void {
    this.owners = this.labels = this.stem = 0;
    reader.open(bytes, 0, length);
    while (reader.position < length) {
      const tag = reader.tag();
      if (tag === METADATA) {
        this.#readMetadata(reader, bytes, view, reader.lengthDelimited(length));
        return;
      }
      reader.skip(tag, length);
    }
  }

  #readMetadata(reader: WireReader, bytes: Buffer, view: DataView, end: number): void {
    let nameStart = 0;
    let nameEnd = 0;
    let namespaceStart = 0;
    let namespaceEnd = 0;
    let labelsStart = 0;
    let labelsEnd = 0;
    let ownersStart = 0;
    let ownersEnd = 0;
    while (reader.position < end) {
      const start = reader.position;
      const tag = reader.tag();
      reader.skip(tag, end);
      if (tag === LABELS) {
        if (labelsEnd === 0) labelsStart = start;
        labelsEnd = reader.position;
      } else if (tag === OWNERS) {
        if (ownersEnd === 0) ownersStart = start;
        ownersEnd = reader.position;
      } else if (tag === NAME) {
        nameStart = start;
        nameEnd = reader.position;
      } else if (tag === NAMESPACE) {
        namespaceStart = start;
        namespaceEnd = reader.position;
      }
    }
    // Behind the tag and the length, in which names of one stem differ.
    nameStart = Math.min(nameStart + 2, nameEnd);
    const stemEnd = endOfStem(bytes, nameStart, nameEnd);
    this.stem = this.#hash(view, nameStart, stemEnd);
    if (stemEnd < nameEnd) this.stem = (this.stem + this.#hash(view, namespaceStart, namespaceEnd)) | 0;
    if (labelsEnd > 0) this.labels = this.#hash(view, labelsStart, labelsEnd);
    if (ownersEnd > 0) this.owners = this.#hash(view, ownersStart, ownersEnd);
  }
}

function contentHash(view: DataView, start: number, end: number): number {
  let hash = end - start;
  let at = start;
  for (; at + 4 <= end; at += 4) hash = mix(hash, view.getInt32(at, true));
  for (; at < end; at++) hash = mix(hash, view.getUint8(at));
  return hash;
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0x9e37_79b1);
  return mixed ^ (mixed >>> 15);
}

function endOfStem(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && ((bytes[at] as number) < ZERO || (bytes[at] as number) > NINE)) at++;
  return at;
}
