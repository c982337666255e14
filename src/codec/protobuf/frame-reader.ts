import type { CachedFrame } from '../../api/cached.ts';
import type { KubernetesObject, ObjectMeta } from '../../api/metadata.ts';
import { aKind } from '../../api/resource.ts';
import type { Status } from '../../api/status.ts';
import { INITIAL_EVENTS_END } from '../../api/watch-event.ts';
import { ByteWindow } from '../byte-window.ts';
import { DecodeError } from '../decode-error.ts';
import type { ProtobufKeeper, Where } from '../keeping.ts';
import { type Envelope, type EnvelopeType, FIRST, MAGIC, readEnvelope, SECOND } from './envelope.ts';
import type { ObjectDecoder } from './object-decoder.ts';
import { type WireReader, writeVarint } from './wire-reader.ts';

const PREFIX_BYTES = 4;

/** Cuts a watch into frames, and has them read: each comes behind its length, four bytes with the highest first. */
export class FrameCutter<F> {
  readonly #window = new ByteWindow();
  readonly #maxFrameBytes: number;
  readonly #reader: { read(bytes: Buffer, start: number, end: number): F };

  constructor(maxFrameBytes: number, reader: { read(bytes: Buffer, start: number, end: number): F }) {
    this.#maxFrameBytes = maxFrameBytes;
    this.#reader = reader;
  }

  append(chunk: Uint8Array): void {
    this.#window.append(chunk, 0);
  }

  /** Throws `DecodeError` when the next frame is too large. */
  next(): F | undefined {
    const window = this.#window;
    if (!window.need(PREFIX_BYTES)) return undefined;
    const length = window.bytes.readUInt32BE(window.start);
    if (length > this.#maxFrameBytes) {
      throw new DecodeError(
        'tooLarge',
        `the watch announces a frame of ${length} bytes, larger than ${this.#maxFrameBytes}, at byte ${window.offset}`,
      );
    }
    if (!window.need(PREFIX_BYTES + length)) return undefined;
    const { bytes } = window;
    const start = window.start + PREFIX_BYTES;
    window.consumeTo(start + length);
    return this.#reader.read(bytes, start, start + length);
  }

  end(): void {
    const { start, end, offset } = this.#window;
    if (start === end) return;
    throw new DecodeError('truncated', `the watch broke off in the middle of the frame at byte ${offset}`);
  }
}

export type ObjectEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

const TYPES = (['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'] as const).map((type) => ({
  type,
  bytes: Buffer.concat([Buffer.from([FIRST, type.length]), Buffer.from(type)]),
}));
const NAME_START = 2;
/** By their first letters, which no two of them share. */
const TYPE_BY_LETTER = Array.from({ length: 256 }, (_, letter) =>
  TYPES.find(({ bytes }) => bytes[NAME_START] === letter),
);

/** What Go writes behind the object: that its encoding and its content type are "". */
const TAIL = Buffer.from([0x1a, 0x00, 0x22, 0x00]);

/**
 * Finds the object in a frame whose head is written as API servers write it, in which nothing but lengths differs from one
 * frame to the next. Whatever differs makes `match` return false, for `readEvent` and `readEnvelope` to judge.
 */
export class FrameHead {
  type: ObjectEventType | 'BOOKMARK' = 'ADDED';
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
    const named = TYPE_BY_LETTER[bytes[start + NAME_START] as number];
    if (named === undefined || !isAt(bytes, start, named.bytes)) return false;
    let at = start + named.bytes.length;
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

/** What reads the frames of one resource. */
export interface FrameReading {
  /** What the objects of the watch must be. */
  readonly type: EnvelopeType;
  readonly head: FrameHead;
  readonly reader: WireReader;
  /** Decodes such objects. */
  readonly decoder: ObjectDecoder;
  readonly statusDecoder: ObjectDecoder;
}

/** From the bytes of one frame of a watch to the frame. */
export class FrameReader<T extends KubernetesObject> {
  readonly #reading: FrameReading;
  readonly #keeper: ProtobufKeeper<T>;

  constructor(reading: FrameReading, keeper: ProtobufKeeper<T>) {
    this.#reading = reading;
    this.#keeper = keeper;
  }

  /** Damage is told by the frame, as the next one begins where this one ends. */
  read(bytes: Buffer, start: number, end: number): CachedFrame<T> {
    try {
      return this.#read(bytes, start, end);
    } catch (cause) {
      if (!(cause instanceof DecodeError)) throw cause;
      const problem = new DecodeError('malformed', `a frame of ${end - start} bytes cannot be used: ${cause.message}`, {
        cause,
      });
      return { type: 'BROKEN', broken: { problem } };
    }
  }

  #read(bytes: Buffer, start: number, end: number): CachedFrame<T> {
    const { head, reader, statusDecoder } = this.#reading;
    if (head.match(bytes, start, end)) {
      const { type, objectStart, objectEnd } = head;
      return type === 'BOOKMARK'
        ? this.#bookmark(bytes, objectStart, objectEnd)
        : this.#objectFrame(type, bytes, objectStart, objectEnd);
    }
    const { type, objectStart, objectEnd } = readEvent(reader, bytes, start, end);
    const envelope = readEnvelope(reader, bytes, objectStart, objectEnd);
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        this.#refuseOtherType(envelope);
        return this.#objectFrame(type, bytes, envelope.start, envelope.end);
      case 'BOOKMARK':
        return this.#bookmark(bytes, envelope.start, envelope.end);
      case 'ERROR':
        if (envelope.kind !== 'Status') return { type, status: UNEXPLAINED };
        return { type, status: statusDecoder.decode(bytes, envelope.start, envelope.end) as Status };
      default:
        throw new DecodeError('malformed', `it has the unknown type ${JSON.stringify(type.slice(0, 40))}`);
    }
  }

  #refuseOtherType(envelope: Envelope): void {
    const { type: expected } = this.#reading;
    if (isOfType(envelope, expected)) return;
    throw new DecodeError(
      'unsupported',
      `expected ${aKind(expected.kind)} of ${expected.apiVersion} and got ${aKind(envelope.kind)} of ${envelope.apiVersion}`,
    );
  }

  #objectFrame(type: ObjectEventType, bytes: Buffer, start: number, end: number): CachedFrame<T> {
    const keeper = this.#keeper;
    const taken = keeper.take(bytes, start, end, WHERE[type]);
    if ('problem' in taken) return { type: 'BROKEN', broken: taken };
    if (type === 'DELETED') keeper.detach?.(taken);
    return { type, object: taken };
  }

  /** A bookmark without a version says nothing, and loses nothing: its resourceVersion is "". */
  #bookmark(bytes: Buffer, start: number, end: number): CachedFrame<T> {
    const metadata = this.#reading.decoder.decodeField(bytes, start, end, 'metadata');
    const { resourceVersion = '', annotations } = (metadata ?? {}) as ObjectMeta;
    return {
      type: 'BOOKMARK',
      resourceVersion,
      initialEventsEnd: annotations?.[INITIAL_EVENTS_END] === 'true',
    };
  }
}

const WHERE: Readonly<Record<ObjectEventType, Where>> = {
  ADDED: () => 'the object of a frame of type ADDED',
  MODIFIED: () => 'the object of a frame of type MODIFIED',
  DELETED: () => 'the object of a frame of type DELETED',
};

/** An envelope that says nothing is believed to hold what was asked for. */
function isOfType(envelope: EnvelopeType, { kind, apiVersion }: EnvelopeType): boolean {
  if (envelope.kind === '' && envelope.apiVersion === '') return true;
  return envelope.kind === kind && envelope.apiVersion === apiVersion;
}

const UNEXPLAINED: Status = {
  kind: 'Status',
  status: 'Failure',
  message: 'the watch sent an ERROR event without a Status in it',
};

/** `WatchEvent { 1: type, 2: RawExtension { 1: bytes } }`: its type, and where those bytes lie. */
function readEvent(reader: WireReader, bytes: Buffer, start: number, end: number) {
  reader.open(bytes, start, end);
  let type = '';
  let objectStart = end;
  let objectEnd = end;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIRST) type = reader.string(reader.lengthDelimited(end));
    else if (tag === SECOND) {
      const extensionEnd = reader.lengthDelimited(end);
      while (reader.position < extensionEnd) {
        const inner = reader.tag();
        if (inner === FIRST) {
          objectEnd = reader.lengthDelimited(extensionEnd);
          objectStart = reader.position;
          reader.position = objectEnd;
        } else reader.skip(inner, extensionEnd);
      }
      reader.finish(extensionEnd);
    } else reader.skip(tag, end);
  }
  reader.finish(end);
  return { type, objectStart, objectEnd };
}
