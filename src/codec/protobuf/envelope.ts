import { LENGTH_DELIMITED, type WireReader } from './wire-reader.ts';

/** What every protobuf body of the API server begins with: `k8s` and a zero. */
export const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

export const FIRST = (1 << 3) | LENGTH_DELIMITED;
export const SECOND = (2 << 3) | LENGTH_DELIMITED;

export interface EnvelopeType {
  readonly kind: string;
  readonly apiVersion: string;
}

/** `runtime.Unknown`: the type of an object, and where in the same bytes its message lies. */
export interface Envelope extends EnvelopeType {
  readonly start: number;
  readonly end: number;
}

/** Reads what lies from `start` to `end`, with the magic in front. Throws `WireError`. */
export function readEnvelope(reader: WireReader, bytes: Uint8Array, start: number, end: number): Envelope {
  reader.open(bytes, start, end);
  if (!hasMagic(bytes, start, end)) throw reader.malformed('the object does not begin as Kubernetes protobuf does');
  reader.position = start + MAGIC.length;
  let type: EnvelopeType = { kind: '', apiVersion: '' };
  let contentStart = -1;
  let contentEnd = -1;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIRST) type = readType(reader, reader.lengthDelimited(end));
    else if (tag === SECOND) {
      contentEnd = reader.lengthDelimited(end);
      contentStart = reader.position;
      reader.position = contentEnd;
    } else reader.skip(tag, end);
  }
  reader.finish(end);
  if (contentStart < 0) throw reader.malformed('the envelope is empty', start);
  return { kind: type.kind, apiVersion: type.apiVersion, start: contentStart, end: contentEnd };
}

/** `runtime.TypeMeta`, from the reader's position to `end`. */
export function readType(reader: WireReader, end: number): EnvelopeType {
  let kind = '';
  let apiVersion = '';
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIRST) apiVersion = reader.string(reader.lengthDelimited(end));
    else if (tag === SECOND) kind = reader.string(reader.lengthDelimited(end));
    else reader.skip(tag, end);
  }
  reader.finish(end);
  return { kind, apiVersion };
}

export function hasMagic(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < MAGIC.length) return false;
  for (let i = 0; i < MAGIC.length; i++) if (bytes[start + i] !== MAGIC[i]) return false;
  return true;
}
