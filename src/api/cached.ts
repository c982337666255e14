import type { Labels } from './label-selector.ts';
import type { KubernetesObject, ListMeta, Stored } from './metadata.ts';
import type { Status } from './status.ts';
import { TidewatchError } from './tidewatch-error.ts';

/**
 * One version of one object, as the stages of the pipeline carry it: what they need to know is read at once, the rest
 * only when somebody looks. A `Cached` never changes; another version of the object is another `Cached`. Stages never
 * look inside `view()`; the codec decides what it costs and whether two calls return the same object.
 */
export interface Cached<T extends KubernetesObject = KubernetesObject> {
  /** `namespace/name`, or `name` for cluster-scoped objects; see `metaNamespaceKey`. */
  readonly key: string;
  /** "" for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  /** "" when the server sent none. */
  readonly uid: string;
  /** "" when the server sent none. */
  readonly resourceVersion: string;
  /** Look up with `Object.hasOwn`: `constructor` is a legal label key. */
  readonly labels: Labels;
  /** The object as plain data. */
  view(): Stored<T>;
  /**
   * The table calls these when it has stored the object, in the place of `previous` if there was one under its key, and when it has
   * dropped it; the compact cache keeps its bytes in order by that.
   */
  stored?(previous?: Cached<T>): void;
  dropped?(): void;
  /** The bytes that it is kept in, where it is kept as bytes. They must not be changed, and may move: whoever keeps them copies them. */
  encoded?(): EncodedObject;
}

/** An object as an item of a LIST holds it. */
export interface EncodedObject {
  readonly mediaType: typeof JSON_MEDIA_TYPE | typeof PROTOBUF_MEDIA_TYPE;
  readonly bytes: Uint8Array;
  /** What objects have in common whose views look the same before anybody reads them; unset when that is not known. */
  readonly look?: object | undefined;
}

/** Objects that lie in one piece of memory, one after the other, and what is known of each without a look at its bytes. */
export interface SavedObjects extends Pick<Cached, 'key' | 'namespace' | 'uid' | 'resourceVersion'> {
  /** Comes to the next one; false when there is none. */
  next(): boolean;
  readonly start: number;
  readonly end: number;
  /** The same number for those that look the same, also in other pieces with the same `byLook`; 0 when that is not known. */
  readonly look: number;
  /** Whatever their reader has found out of each look. */
  readonly byLook: unknown[];
}

export const JSON_MEDIA_TYPE = 'application/json';
export const PROTOBUF_MEDIA_TYPE = 'application/vnd.kubernetes.protobuf';

/** An item or a frame that cannot be used: it is reported and never silently skipped. */
export interface BrokenObject {
  /** Says what is wrong, and with which object as far as that is known. */
  readonly problem: Error;
  /** When the damage left the key readable. */
  readonly key?: string;
}

/** One page of a LIST, or a whole one. */
export interface CachedList<T extends KubernetesObject = KubernetesObject> {
  readonly items: readonly Cached<T>[];
  readonly broken: readonly BrokenObject[];
  readonly metadata: ListMeta;
}

/** An object came, changed or went. */
export interface CachedEvent<T extends KubernetesObject = KubernetesObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Cached<T>;
}

/** One frame of a watch. */
export type CachedFrame<T extends KubernetesObject = KubernetesObject> =
  | CachedEvent<T>
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status }
  /** Malformed, of an unknown type, of another kind, or without usable metadata. */
  | { readonly type: 'BROKEN'; readonly broken: BrokenObject };

/**
 * The frames of one watch, in order, in batches as they arrive (one batch for what one chunk of bytes held). A clean
 * end of the response ends it; a broken connection or half a frame at the end makes it throw. Leaving it closes the
 * connection.
 */
export type CachedFrames<T extends KubernetesObject = KubernetesObject> = AsyncIterable<readonly CachedFrame<T>[]>;

/** What moves from a reflector on: the frames of its watches, before them a whole list, and another one after each gap. */
export type CachedChange<T extends KubernetesObject = KubernetesObject> =
  | CachedFrame<T>
  /** Everything that exists at `resourceVersion`: what is known and not in it is gone. */
  | { readonly type: 'LIST'; readonly items: readonly Cached<T>[]; readonly resourceVersion: string }
  /** A stored object that turned out to be damaged, fetched again. Says nothing if another version of it is known by now. */
  | { readonly type: 'REPAIRED'; readonly object: Cached<T> };

/** How many objects that cannot be used are described one by one. */
export const MAX_DESCRIBED = 100;

/** What is said of each further one: an error for each would take a hundred times the memory of what it is about. */
export const ONE_OF_MANY: BrokenObject = Object.freeze({
  problem: new TidewatchError(
    'unusable',
    `one of more than ${MAX_DESCRIBED} objects that cannot be used; the first of them are described`,
  ),
});

/** Adds to those of one list; beyond the first hundred with the key alone. */
export function addBroken(all: BrokenObject[], object: BrokenObject): void {
  all.push(all.length < MAX_DESCRIBED ? object : withoutProblem(object));
}

export function withoutProblem({ key }: BrokenObject): BrokenObject {
  return key === undefined ? ONE_OF_MANY : { problem: ONE_OF_MANY.problem, key };
}
