import type { Labels } from '../../api/label-selector.ts';
import type { CommonMetadata, Identity } from './common-metadata.ts';
import type { ViewShape, ViewSource } from './lazy-view.ts';

/** Reads fields of a message that lies within an object. */
export interface PartReader {
  /** Where the message is: `spec`. */
  readonly path: string;
  readField(bytes: Buffer, start: number, end: number, name: string): unknown;
}

/** An object that is being read, to which those refer who read more of it later. */
export interface PackedObject extends Identity {
  /** For the next view: these are its metadata, with who it is and when it was created. */
  remember(common: CommonMetadata, createdSeconds: number): void;
  /** `start` and `end` count from the beginning of the object, wherever it lies by then. */
  readPart(reader: PartReader, start: number, end: number, name: string): unknown;
}

/** A message within an object as the source of what is left to read of it. */
export class PartSource implements ViewSource {
  readonly #object: PackedObject;
  readonly #reader: PartReader;
  readonly #start: number;
  readonly #end: number;

  constructor(object: PackedObject, reader: PartReader, start: number, end: number) {
    this.#object = object;
    this.#reader = reader;
    this.#start = start;
    this.#end = end;
  }

  /** It is the whole object that tells. */
  get reduction(): undefined {
    return undefined;
  }

  readField(name: string): unknown {
    return this.#object.readPart(this.#reader, this.#start, this.#end, name);
  }
}

/**
 * How the bytes of one object are read that lie from `start` to `end` in `bytes`. What has been taken in is known to have
 * whole top-level fields and metadata; the methods throw `DecodeError` when something below is damaged.
 */
export interface PackedFormat {
  labels(bytes: Buffer, start: number, end: number): Labels;
  /** The top-level fields; undefined when a view has to be decoded at once. */
  shape(bytes: Buffer, start: number, end: number): ViewShape | undefined;
  /** The metadata, when they cost so little that a view can be made with them. */
  metadata?(bytes: Buffer, start: number, end: number, object: PackedObject): object | undefined;
  /** What costs much to decode may be left for later, when `object` is asked for it. */
  decodeField(bytes: Buffer, start: number, end: number, name: string, object: PackedObject): unknown;
  decodeAll(bytes: Buffer, start: number, end: number): unknown;
  /** What the path leads to in the view: strings as they are, numbers and booleans as JSON writes them; nothing else. */
  readPath(bytes: Buffer, start: number, end: number, segments: readonly string[]): readonly string[];
}
