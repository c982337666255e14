import type { Cached } from '../../api/cached.ts';
import type { Labels } from '../../api/label-selector.ts';
import type { ViewShape, ViewSource } from './lazy-view.ts';

/** What is known of an object without looking at its bytes. */
export type Identity = Pick<Cached, 'name' | 'namespace' | 'uid' | 'resourceVersion'>;

/**
 * How the bytes of one object are read that lie from `start` to `end` in `bytes`. What has been taken in is known to have
 * whole top-level fields and metadata; the methods throw `DecodeError` when something below is damaged.
 */
export interface PackedFormat {
  labels(bytes: Buffer, start: number, end: number): Labels;
  /** The top-level fields; undefined when a view has to be decoded at once. */
  shape(bytes: Buffer, start: number, end: number): ViewShape | undefined;
  /** The metadata with what costs most to decode left for later; `source` gives that. Undefined where this is no faster. */
  metadataView?(bytes: Buffer, start: number, end: number, identity: Identity, source: ViewSource): object | undefined;
  /** A field of the metadata. */
  decodeMetadataField?(bytes: Buffer, start: number, end: number, name: string): unknown;
  decodeField(bytes: Buffer, start: number, end: number, name: string): unknown;
  decodeAll(bytes: Buffer, start: number, end: number): unknown;
  /** What the path leads to in the view: strings as they are, numbers and booleans as JSON writes them; nothing else. */
  readPath(bytes: Buffer, start: number, end: number, segments: readonly string[]): readonly string[];
}
