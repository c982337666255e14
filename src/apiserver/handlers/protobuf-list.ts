import type { Clock } from '../../observe/clock.ts';
import { TimeSlice } from '../../observe/scheduler.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { JsonObject } from '../values/json.ts';
import { documentType, PROTOBUF, protobufEnvelope, protobufField, schemaNamed } from '../wire/protobuf-document.ts';
import { type ListResult, listMetadata } from './list.ts';

const CHUNK_BYTES = 64 * 1024;
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';

/**
 * A list in protobuf, of whole objects or, with the version of `meta.k8s.io`, of their metadata. How long it is stands before
 * its items: they are all written, in slices, before the first byte is sent.
 */
export async function protobufList(
  { clock }: { readonly clock: Clock },
  resource: ServedResource,
  result: ListResult,
  metaVersion: string,
): Promise<ServerResponse> {
  const kind = metaVersion === '' ? resource.init.listKind : 'PartialObjectMetadataList';
  const apiVersion = metaVersion || resource.apiVersion;
  // Old numbers: the items of that version come before its metadata.
  const [metadataField, itemsField] = metaVersion === 'meta.k8s.io/v1beta1' ? [2, 1] : [1, 2];
  const encode = itemEncoder(resource, metaVersion);
  const slice = new TimeSlice(clock);
  const parts = [protobufField(metadataField, schemaNamed(LIST_META), listMetadata(result) as JsonObject)];
  for (const item of result.items) {
    if (slice.isDue()) await slice.pause();
    parts.push(encode(itemsField, item));
  }
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  const [head, tail] = protobufEnvelope(kind, apiVersion, size);
  return { status: 200, headers: [['content-type', PROTOBUF]], body: inChunks([head, ...parts, tail]) };
}

function itemEncoder(resource: ServedResource, metaVersion: string): (field: number, item: StoredObject) => Uint8Array {
  if (metaVersion !== '') {
    const { schema } = documentType({ kind: 'PartialObjectMetadata', apiVersion: metaVersion });
    return (field, item) => protobufField(field, schema, { metadata: item.metadata() });
  }
  const schema = schemaNamed(resource.init.schema);
  return (field, item) => protobufField(field, schema, resource.decodeStored(item));
}

async function* inChunks(parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for (const part of parts) {
    waiting.push(part);
    bytes += part.length;
    if (bytes < CHUNK_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
