import { INITIAL_EVENTS_END } from '../../api/watch-event.ts';
import type { Accepted } from '../request/negotiation.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** How an object looks to a client: whole, or its metadata alone, or as rows of a table. */
export interface Representation {
  /** Two representations with the same key write the same bytes; undefined when nobody else writes them. */
  readonly key: string | undefined;
  /** The JSON of one object, alone or in a watch event. */
  object(stored: StoredObject): Uint8Array;
  /** The JSON of a bookmark's object. */
  bookmark(revision: number, initialEventsEnd: boolean): Uint8Array;
}

/** The objects as they are, in the version of the resource. */
export function wholeObjects(resource: ServedResource): Representation {
  return {
    key: resource.apiVersion,
    object: (stored) => resource.encode(stored),
    bookmark(revision, initialEventsEnd) {
      const metadata = bookmarkMetadata(revision, initialEventsEnd);
      const type = { kind: resource.kind, apiVersion: resource.apiVersion };
      return Buffer.from(JSON.stringify({ ...type, metadata, ...resource.init.emptyObject }));
    },
  };
}

export function metadataOnly(accepted: Accepted): Representation {
  const apiVersion = accepted.metaVersion;
  return {
    key: `metadata:${apiVersion}`,
    object: (stored) => partialObject(stored, apiVersion),
    bookmark(revision, initialEventsEnd) {
      const metadata = bookmarkMetadata(revision, initialEventsEnd);
      return Buffer.from(JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion, metadata }));
    },
  };
}

export function partialObject(stored: StoredObject, apiVersion: string): Uint8Array {
  const head = Buffer.from(`{"kind":"PartialObjectMetadata","apiVersion":${JSON.stringify(apiVersion)},"metadata":`);
  return Buffer.concat([head, stored.metadataBytes(), CLOSE]);
}

const CLOSE = Buffer.from('}');

export function bookmarkMetadata(revision: number, initialEventsEnd: boolean) {
  const annotations = initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {};
  return { resourceVersion: String(revision), ...annotations };
}
