import type { Cached, CachedFrames, CachedList, SavedObjects } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Status } from '../api/status.ts';

/** Called with the size of each chunk. */
export type OnBytes = (count: number) => void;

/**
 * From bytes to `Cached<T>`, for one resource. Items of lists get `kind` and `apiVersion` filled in, so that an object
 * has one shape whether it came from LIST or WATCH. An item or frame that cannot be used becomes a `BrokenObject`; only
 * damage to the envelope (no JSON at all, a list without `items`, a stream that breaks off) throws.
 */
export interface Codec<T extends KubernetesObject> {
  /** The `Accept` header of LIST and GET requests. */
  readonly accept: string;
  /** The `Accept` header of WATCH requests. */
  readonly acceptWatch: string;
  /** Cuts the body into items as the bytes arrive; never holds it whole as one string. `onBytes` hears of each chunk before it is decoded. */
  readList(body: AsyncIterable<Uint8Array>, contentType: string, onBytes?: OnBytes): Promise<CachedList<T>>;
  /** Set when objects of this type that a codec like this one has kept before can stay in the memory in which they lie. */
  restorer?(contentType: string): ((bytes: Buffer, objects: SavedObjects) => Cached<T>[]) | undefined;
  readWatch(body: AsyncIterable<Uint8Array>, contentType: string, onBytes?: OnBytes): CachedFrames<T>;
  /** For objects that a transform has made, which are not changed. Throws `KeyError`, and `DecodeError` for what cannot be kept. */
  fromTransform(object: T): Cached<T>;
  /** For a server that says no in the codec's own format. Undefined when the body is not a Status in that format. */
  readStatus?(body: Uint8Array, contentType: string): Status | undefined;
  /** What objects take outside the heap of V8; unset when all of them are on it. */
  readonly memory?: CodecMemory;
}

/** The memory of a packed store, at present. */
export interface CodecMemory {
  /** All that is set aside for objects. */
  readonly heldBytes: number;
  /** How much of it is used by those that are stored. */
  readonly liveBytes: number;
  /** What those would use if each were kept whole: more, where they share what they have in common. */
  readonly wholeBytes: number;
  /** How many views of them have been made so far. */
  readonly views: number;
}
