import type { CachedFrame } from '../../api/cached.ts';
import type { KubernetesObject, ObjectMeta } from '../../api/metadata.ts';
import type { Status } from '../../api/status.ts';
import { INITIAL_EVENTS_END } from '../../api/watch-event.ts';
import { DecodeError } from '../decode-error.ts';
import type { ProtobufKeeper, Where } from '../keeping.ts';
import { type Envelope, type EnvelopeType, FIRST, readEnvelope, SECOND } from './envelope.ts';
import { FrameHead, type ObjectEventType } from './frame-head.ts';
import type { ObjectDecoder } from './object-decoder.ts';
import type { WireReader } from './wire-reader.ts';

export interface FrameReaderOptions<T extends KubernetesObject> {
  /** What the objects of the watch must be. */
  type: EnvelopeType;
  keeper: ProtobufKeeper<T>;
  /** Decodes such objects. */
  decoder: ObjectDecoder;
  statusDecoder: ObjectDecoder;
  reader: WireReader;
}

/** From the bytes of one frame of a watch to the frame. */
export class FrameReader<T extends KubernetesObject> {
  readonly #options: FrameReaderOptions<T>;
  readonly #head: FrameHead;

  constructor(options: FrameReaderOptions<T>) {
    this.#options = options;
    this.#head = new FrameHead(options.type);
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
    const head = this.#head;
    if (head.match(bytes, start, end)) return this.#objectFrame(head.type, bytes, head.objectStart, head.objectEnd);
    const { reader, statusDecoder, decoder } = this.#options;
    const { type, objectStart, objectEnd } = readEvent(reader, bytes, start, end);
    const envelope = readEnvelope(reader, bytes, objectStart, objectEnd);
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        this.#refuseOtherType(envelope);
        return this.#objectFrame(type, bytes, envelope.start, envelope.end);
      case 'BOOKMARK':
        return bookmark(decoder.decodeField(bytes, envelope.start, envelope.end, 'metadata'));
      case 'ERROR':
        if (envelope.kind !== 'Status') return { type, status: UNEXPLAINED };
        return { type, status: statusDecoder.decode(bytes, envelope.start, envelope.end) as Status };
      default:
        throw new DecodeError('malformed', `it has the unknown type ${JSON.stringify(type.slice(0, 40))}`);
    }
  }

  #refuseOtherType(envelope: Envelope): void {
    const { type: expected } = this.#options;
    if (isOfType(envelope, expected)) return;
    throw new DecodeError(
      'unsupported',
      `expected a ${expected.kind} of ${expected.apiVersion} and got a ${envelope.kind} of ${envelope.apiVersion}`,
    );
  }

  #objectFrame(type: ObjectEventType, bytes: Buffer, start: number, end: number): CachedFrame<T> {
    const { keeper } = this.#options;
    const taken = keeper.take(bytes, start, end, WHERE[type]);
    if ('problem' in taken) return { type: 'BROKEN', broken: taken };
    if (type === 'DELETED') keeper.detach?.(taken);
    return { type, object: taken };
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

/** A bookmark without a version says nothing, and loses nothing: its resourceVersion is "". */
function bookmark<T extends KubernetesObject>(metadata: unknown): CachedFrame<T> {
  const { resourceVersion = '', annotations } = (metadata ?? {}) as ObjectMeta;
  return {
    type: 'BOOKMARK',
    resourceVersion,
    initialEventsEnd: annotations?.[INITIAL_EVENTS_END] === 'true',
  };
}
