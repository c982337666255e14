import type { Labels } from '../../api/label-selector.ts';
import type { ViewShape } from './lazy-view.ts';

/**
 * How the bytes of one object are read that lie from `start` to `end` in `bytes`. What has been taken in is known to have
 * whole top-level fields and metadata; the methods throw `DecodeError` when something below is damaged.
 */
export interface PackedFormat {
  labels(bytes: Buffer, start: number, end: number): Labels;
  /** The top-level fields; undefined when a view has to be decoded at once. */
  shape(bytes: Buffer, start: number, end: number): ViewShape | undefined;
  decodeField(bytes: Buffer, start: number, end: number, name: string): unknown;
  decodeAll(bytes: Buffer, start: number, end: number): unknown;
  /** What the path leads to in the view: strings as they are, numbers and booleans as JSON writes them; nothing else. */
  readPath(bytes: Buffer, start: number, end: number, segments: readonly string[]): readonly string[];
}
