import { type EnvelopeType, FIRST, MAGIC, SECOND } from './envelope.ts';
import { writeVarint } from './varint.ts';

export type ObjectEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

const TYPES = (['ADDED', 'MODIFIED', 'DELETED'] as const).map((type) => ({ type, bytes: Buffer.from(type) }));
/** By the length of their names, which no two of them share. */
const TYPE_BY_LENGTH = Array.from({ length: 16 }, (_, length) => TYPES.find(({ bytes }) => bytes.length === length));

/** What Go writes behind the object: that its encoding and its content type are "". */
const TAIL = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

/**
 * Finds the object in a frame whose head is written as API servers write it, in which nothing but lengths differs from one
 * frame to the next. Whatever differs makes `match` return false, for `readEvent` and `readEnvelope` to judge.
 */
export class FrameHead {
  type: ObjectEventType = 'ADDED';
  objectStart = 0;
  objectEnd = 0;
  /** Between the length of the envelope and that of the object. */
  readonly #envelope: Buffer;
  #length = 0;

  constructor({ kind, apiVersion }: EnvelopeType) {
    const type = Buffer.concat([field(FIRST, Buffer.from(apiVersion)), field(SECOND, Buffer.from(kind))]);
    this.#envelope = Buffer.concat([MAGIC, field(FIRST, type), Buffer.from([SECOND])]);
  }

  /** Only when it returns true do the fields mean anything. */
  match(bytes: Buffer, start: number, end: number): boolean {
    const nameLength = bytes[start + 1] as number;
    const named = TYPE_BY_LENGTH[nameLength];
    if (named === undefined || bytes[start] !== FIRST || !isAt(bytes, start + 2, named.bytes)) return false;
    let at = start + 2 + nameLength;
    if (bytes[at] !== SECOND) return false;
    at = this.#readLength(bytes, at + 1);
    if (at + this.#length !== end || bytes[at] !== FIRST) return false;
    at = this.#readLength(bytes, at + 1);
    if (at + this.#length !== end || !isAt(bytes, at, this.#envelope)) return false;
    at = this.#readLength(bytes, at + this.#envelope.length);
    const objectEnd = at + this.#length;
    if (objectEnd !== end && !(objectEnd + TAIL.length === end && isAt(bytes, objectEnd, TAIL))) return false;
    this.type = named.type;
    this.objectStart = at;
    this.objectEnd = objectEnd;
    return true;
  }

  /** Returns where the number ends; one of more than four bytes is taken for one that fits nowhere. */
  #readLength(bytes: Buffer, at: number): number {
    let value = 0;
    for (let i = 0; i < 4; i++) {
      const byte = bytes[at + i] as number;
      value |= (byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        this.#length = value;
        return at + i + 1;
      }
    }
    this.#length = Number.POSITIVE_INFINITY;
    return at;
  }
}

function isAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

function field(tag: number, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  const size = writeVarint(length, 0, content.length);
  return Buffer.concat([Buffer.from([tag]), length.subarray(0, size), content]);
}
