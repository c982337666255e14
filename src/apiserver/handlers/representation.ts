import type { Status } from '../../api/status.ts';
import { INITIAL_EVENTS_END } from '../../api/watch-event.ts';
import type { Accepted } from '../request/negotiation.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { JsonObject } from '../values/json.ts';
import { jsonText } from '../values/json-text.ts';
import { type DocumentType, documentType, PROTOBUF, protobufEvent, schemaNamed } from '../wire/protobuf-document.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';

/** How the events of a watch look to a client: with whole objects, or their metadata alone, or as rows of a table. */
export interface Representation {
  readonly contentType: string;
  /** Whether all watches with this representation are sent the same bytes, so that one of them makes the frame for all. */
  readonly isShared: boolean;
  event(type: EventType, stored: StoredObject): Uint8Array;
  bookmark(revision: number, initialEventsEnd: boolean): Uint8Array;
  error(status: Status): Uint8Array;
}

const whole = new WeakMap<ServedResource, Map<string, Representation>>();
const partial = new Map<string, Representation>();

/** The objects as they are, in the version of the resource. */
export function wholeObjects(resource: ServedResource, { format }: Accepted): Representation {
  let ofResource = whole.get(resource);
  if (!ofResource) {
    ofResource = new Map();
    whole.set(resource, ofResource);
  }
  return madeOnce(ofResource, format, () => {
    const type = { kind: resource.kind, apiVersion: resource.apiVersion };
    const bookmark = (metadata: JsonObject) => ({ ...type, metadata, ...resource.init.emptyObject });
    if (format !== 'protobuf') return inJson(true, (stored) => resource.encode(stored), bookmark);
    const schema = schemaNamed(resource.init.schema);
    return inProtobuf({ ...type, schema }, (stored) => resource.decodeStored(stored), bookmark);
  });
}

export function metadataOnly({ format, metaVersion: apiVersion }: Accepted): Representation {
  return madeOnce(partial, `${format} ${apiVersion}`, () => {
    const kind = 'PartialObjectMetadata';
    const bookmark = (metadata: JsonObject) => ({ kind, apiVersion, metadata });
    if (format !== 'protobuf') return inJson(true, (stored) => partialObject(stored, apiVersion), bookmark);
    return inProtobuf(documentType({ kind, apiVersion }), (stored) => ({ metadata: stored.metadata() }), bookmark);
  });
}

/** Watches share frames by the representation that they have in common. */
function madeOnce(made: Map<string, Representation>, key: string, make: () => Representation): Representation {
  const representation = made.get(key) ?? make();
  made.set(key, representation);
  return representation;
}

export function inJson(
  isShared: boolean,
  object: (stored: StoredObject) => Uint8Array,
  bookmark: (metadata: JsonObject) => JsonObject,
): Representation {
  return {
    contentType: 'application/json',
    isShared,
    event: (type, stored) => jsonEvent(type, object(stored)),
    bookmark: (revision, initialEventsEnd) =>
      jsonEvent('BOOKMARK', Buffer.from(jsonText(bookmark(bookmarkMetadata(revision, initialEventsEnd))))),
    error: (status) => jsonEvent('ERROR', Buffer.from(JSON.stringify(status))),
  };
}

function inProtobuf(
  documents: DocumentType,
  object: (stored: StoredObject) => JsonObject,
  bookmark: (metadata: JsonObject) => JsonObject,
): Representation {
  return {
    contentType: `${PROTOBUF};stream=watch`,
    isShared: true,
    event: (type, stored) => protobufEvent(type, documents, object(stored)),
    bookmark: (revision, initialEventsEnd) =>
      protobufEvent('BOOKMARK', documents, bookmark(bookmarkMetadata(revision, initialEventsEnd))),
    error: (status) => {
      const object = status as unknown as JsonObject;
      return protobufEvent('ERROR', documentType(object), object);
    },
  };
}

export function partialObject(stored: StoredObject, apiVersion: string): Uint8Array {
  const head = Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(apiVersion)},"metadata":`);
  return Buffer.concat([head, stored.metadataBytes(), CLOSE]);
}

const CLOSE = Buffer.from('}');
const CLOSE_EVENT = Buffer.from('}\n');

function jsonEvent(type: string, object: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), object, CLOSE_EVENT]);
}

function bookmarkMetadata(revision: number, initialEventsEnd: boolean): JsonObject {
  const annotations = initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {};
  return { resourceVersion: String(revision), ...annotations };
}
