import { stringify } from 'yaml';
import type { Clock } from '../../observe/clock.ts';
import { TimeSlice } from '../../observe/scheduler.ts';
import { type Accepted, plainFormat } from '../request/negotiation.ts';
import { bytesResponse, type ServerResponse } from '../request/request.ts';
import { statusError } from '../request/status-error.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { JsonObject } from '../values/json.ts';
import { orElse, prettyJson } from '../values/json-text.ts';
import { documentType, PROTOBUF, protobufDocument } from '../wire/protobuf-document.ts';
import { type ListResult, listMetadata } from './list.ts';
import { protobufList } from './protobuf-list.ts';
import { partialObject } from './representation.ts';

const CHUNK_BYTES = 64 * 1024;
const NEWLINE = Buffer.from('\n');
const YAML_STYLE = { lineWidth: 0, sortMapEntries: true, indentSeq: false, version: '1.1' } as const;
const COMMA = Buffer.from(',');

/** How a request wants its answer. */
export interface OutputOptions {
  readonly accepted: Accepted;
  /** Indented, for people. */
  readonly pretty: boolean;
}

/** Whose turns a long answer is written in. */
interface Turns {
  readonly clock: Clock;
}

/** A document in the format that was negotiated. */
export function documentResponse(status: number, json: Uint8Array, output: OutputOptions): ServerResponse {
  const { format } = output.accepted;
  if (format === 'protobuf') {
    const object = JSON.parse(Buffer.from(json).toString()) as JsonObject;
    return bytesResponse(status, protobufDocument(documentType(object), object), PROTOBUF);
  }
  if (format === 'yaml') {
    // JSON is YAML too: what nests too deeply for blocks is written as it is.
    const plain = Buffer.from(json).toString();
    const text = orElse(
      () => stringify(JSON.parse(plain), YAML_STYLE),
      () => `${plain}\n`,
    );
    return bytesResponse(status, Buffer.from(text), 'application/yaml');
  }
  if (output.pretty || output.accepted.pretty) {
    const value = JSON.parse(Buffer.from(json).toString()) as object;
    return bytesResponse(status, Buffer.from(prettyJson(value)));
  }
  return bytesResponse(status, Buffer.concat([json, NEWLINE]));
}

/** What every client gets in a format that it can read, else in JSON: errors and discovery. */
export function plainResponse(status: number, document: object, accept: string | undefined): ServerResponse {
  const accepted = { format: plainFormat(accept), transform: 'none', metaVersion: '', pretty: false } as const;
  return documentResponse(status, Buffer.from(JSON.stringify(document)), { accepted, pretty: false });
}

/** One object, whole or as its metadata. */
export function objectResponse(
  status: number,
  resource: ServedResource,
  stored: StoredObject,
  output: OutputOptions,
): ServerResponse {
  const { transform, metaVersion } = output.accepted;
  if (transform === 'PartialObjectMetadataList') {
    const message = `you requested PartialObjectMetadataList, but the requested object is not a list (*${goType(resource, resource.kind)})`;
    throw statusError(406, 'NotAcceptable', message);
  }
  const json = transform === 'PartialObjectMetadata' ? partialObject(stored, metaVersion) : resource.encode(stored);
  return documentResponse(status, json, output);
}

/** A list, written in slices so that a hundred thousand objects do not hold the event loop. */
export async function listResponse(
  server: Turns,
  resource: ServedResource,
  result: ListResult,
  output: OutputOptions,
): Promise<ServerResponse> {
  const { transform, metaVersion } = output.accepted;
  if (transform === 'PartialObjectMetadata') {
    const message = `you requested PartialObjectMetadata, but the requested object is a list (*${goType(resource, resource.init.listKind)})`;
    throw statusError(406, 'NotAcceptable', message);
  }
  const partial = transform === 'PartialObjectMetadataList';
  if (output.accepted.format === 'protobuf') return protobufList(server, resource, result, partial ? metaVersion : '');
  const encode = partial
    ? (stored: StoredObject) => partialObject(stored, metaVersion)
    : (stored: StoredObject) => resource.encodeItem(stored);
  const [head, tail] = partial
    ? listFrame('PartialObjectMetadataList', metaVersion, listMetadata(result), false)
    : listFrame(
        resource.init.listKind,
        resource.apiVersion,
        listMetadata(result, resource.init.custom),
        resource.init.custom,
      );
  if (partial && result.items.length === 0) {
    // The real server's list of metadata has no items at all then.
    const empty = {
      kind: 'PartialObjectMetadataList',
      apiVersion: metaVersion,
      metadata: listMetadata(result),
      items: null,
    };
    return documentResponse(200, Buffer.from(JSON.stringify(empty)), output);
  }
  return streamResponse(server, 200, { head, items: result.items, encode, tail }, output);
}

/** A long document made of items. */
export interface ItemStream<T> {
  readonly head: string;
  readonly items: readonly T[];
  encode(item: T): Uint8Array;
  readonly tail: string;
}

export async function streamResponse<T>(
  server: Turns,
  status: number,
  { head, items, encode, tail }: ItemStream<T>,
  output: OutputOptions,
): Promise<ServerResponse> {
  const chunks = listChunks(server, { head, items, encode, tail });
  if (output.accepted.format === 'yaml' || output.pretty || output.accepted.pretty) {
    const parts: Uint8Array[] = [];
    for await (const chunk of chunks) parts.push(chunk);
    return documentResponse(status, Buffer.concat(parts), output);
  }
  return { status, headers: [['content-type', 'application/json']], body: chunks };
}

/** `core.Pod`: what the real server calls the type in messages. */
function goType(resource: ServedResource, kind: string): string {
  if (resource.init.custom) return 'unstructured.Unstructured';
  return `${resource.group.split('.')[0] || 'core'}.${kind}`;
}

function listFrame(kind: string, apiVersion: string, metadata: object, custom: boolean): [string, string] {
  const meta = JSON.stringify(metadata);
  const [k, v] = [JSON.stringify(kind), JSON.stringify(apiVersion)];
  return custom
    ? [`{"apiVersion":${v},"items":[`, `],"kind":${k},"metadata":${meta}}\n`]
    : [`{"kind":${k},"apiVersion":${v},"metadata":${meta},"items":[`, ']}\n'];
}

/** Head, items with commas between, tail; cut into chunks, and into slices of work. */
async function* listChunks<T>(
  { clock }: Turns,
  { head, items, encode, tail }: ItemStream<T>,
): AsyncGenerator<Uint8Array> {
  const slice = new TimeSlice(clock);
  let parts: Uint8Array[] = [Buffer.from(head)];
  let bytes = head.length;
  let first = true;
  for (const item of items) {
    if (first) first = false;
    else parts.push(COMMA);
    const encoded = encode(item);
    parts.push(encoded);
    bytes += encoded.length + 1;
    if (bytes >= CHUNK_BYTES) {
      yield Buffer.concat(parts);
      parts = [];
      bytes = 0;
    }
    if (slice.isDue()) await slice.pause();
  }
  parts.push(Buffer.from(tail));
  yield Buffer.concat(parts);
}
