import type { KubernetesObject, ObjectMeta } from './metadata.ts';
import type { Status } from './status.ts';

/** A frame of a watch, as on the wire. */
export type WatchEvent<T extends KubernetesObject = KubernetesObject> =
  | { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }
  | { type: 'BOOKMARK'; object: BookmarkObject }
  | { type: 'ERROR'; object: Status };

/** An object of the watched kind with nothing in it but a resourceVersion (and perhaps annotations). */
export interface BookmarkObject extends KubernetesObject {
  metadata: ObjectMeta & { resourceVersion: string };
}

/** On the bookmark that ends the initial events of a WatchList; its value must be `"true"`. */
export const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
