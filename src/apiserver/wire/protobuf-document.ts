import type { TypeSchema } from '../../api/type-schema.ts';
import { schemaOfKind, typeSchema } from '../../generated/type-schemas.ts';
import { asString, type JsonObject } from '../values/json.ts';
import { messageWriter } from './message-writer.ts';
import { WireWriter } from './wire-writer.ts';

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** What a document in Kubernetes' protobuf says about itself. */
export interface DocumentType {
  readonly kind: string;
  readonly apiVersion: string;
  readonly schema: TypeSchema;
}

const MAGIC = Buffer.from('k8s\0');
/** Content encoding and content type, both empty. */
const ENVELOPE_END = Uint8Array.from([0x1a, 0, 0x22, 0]);
const RAW = 2;

/** The type of an object by its own kind and apiVersion. Throws for kinds that have no schema. */
export function documentType(object: JsonObject): DocumentType {
  const [kind, apiVersion] = [asString(object.kind), asString(object.apiVersion)];
  const slash = apiVersion.indexOf('/');
  const name = schemaOfKind(apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1), kind);
  return { kind, apiVersion, schema: schemaNamed(name ?? `${apiVersion} ${kind}`) };
}

export function schemaNamed(name: string): TypeSchema {
  const schema = typeSchema(name);
  if (!schema) throw new Error(`${name} has no schema to be written in protobuf by`);
  return schema;
}

/** One object in its envelope. */
export function protobufDocument(type: DocumentType, object: JsonObject): Uint8Array {
  const writer = cleared();
  writeDocument(writer, type, object);
  return writer.finish();
}

/** One event of a watch, as it stands in the stream. */
export function protobufEvent(event: string, type: DocumentType, object: JsonObject): Uint8Array {
  const writer = cleared();
  writeDocument(writer, type, object);
  writer.delimit(1, 0);
  writer.delimit(2, 0);
  writer.textField(1, event);
  writer.uint32BE(writer.size);
  return writer.finish();
}

/** One field of a message: an item of a list, or its metadata. */
export function protobufField(field: number, schema: TypeSchema, object: JsonObject): Uint8Array {
  const writer = cleared();
  messageWriter(schema)(writer, object);
  writer.delimit(field, 0);
  return writer.finish();
}

/** What stands before and after a message of `size` bytes that is written elsewhere. */
export function protobufEnvelope(kind: string, apiVersion: string, size: number): [head: Uint8Array, tail: Uint8Array] {
  const writer = cleared();
  writer.varint(size);
  writer.tag(RAW, 2);
  writeType(writer, kind, apiVersion);
  return [writer.finish(), ENVELOPE_END];
}

/** One document is written at a time. */
const scratch = new WireWriter();

/** An object that could not be written to its end leaves nothing behind for the next one. */
function cleared(): WireWriter {
  scratch.clear();
  return scratch;
}

function writeDocument(writer: WireWriter, { kind, apiVersion, schema }: DocumentType, object: JsonObject): void {
  writer.raw(ENVELOPE_END);
  const end = writer.size;
  messageWriter(schema)(writer, object);
  writer.delimit(RAW, end);
  writeType(writer, kind, apiVersion);
}

function writeType(writer: WireWriter, kind: string, apiVersion: string): void {
  const end = writer.size;
  writer.textField(2, kind);
  writer.textField(1, apiVersion);
  writer.delimit(1, end);
  writer.raw(MAGIC);
}
