import type { KubernetesObject } from '../api/metadata.ts';

/**
 * What a `Reflector` writes to: a `DeltaFIFO`, a `Store`, an `Indexer`, or one's own. Calls come one by one: the next is made when
 * the promise of the one before, if there is one, has settled. A call that throws or rejects has failed: the reflector reports the
 * object, and lists again. client-go's `cache.ReflectorStore`.
 */
export interface ReflectorTarget<T extends KubernetesObject> {
  add(object: T): unknown;
  update(object: T): unknown;
  delete(object: T): unknown;
  /** The whole state at `resourceVersion`: what is known and not in it is gone. */
  replace(objects: readonly T[], resourceVersion: string): unknown;
  /** As `replace`, in slices that leave the event loop free. Used in its place where it is there. */
  replaceGradually?(objects: readonly T[], resourceVersion: string): Promise<void>;
  /** Called at each resync period. Not called without one. */
  resync(): unknown;
  /** Everything up to this version has been seen: called after each event and bookmark. client-go's `ResourceVersionUpdater`. */
  updateResourceVersion?(resourceVersion: string): unknown;
}
