import type { BrokenObject, Cached, SavedObjects } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { TypeSchema } from '../api/type-schema.ts';
import type { CodecMemory } from './codec.ts';
import type { WireReader } from './protobuf/wire-reader.ts';

/** How objects are kept: all that differs between the codecs of a packed and a plain store. */
export interface Keeping<T extends KubernetesObject> {
  jsonKeeper(expected: ExpectedObjects): JsonKeeper<T>;
  /** To be called with the same parts by all siblings. */
  protobufKeeper(parts: ProtobufKeeperParts): ProtobufKeeper<T>;
  /** One that keeps objects in the same way, in memory of its own. */
  sibling(): Keeping<T>;
  /** Set when objects are kept outside the heap. */
  readonly memory?: CodecMemory;
}

export interface ExpectedObjects {
  /** What objects must be, and become when they do not say it. "" accepts any kind. */
  readonly kind: string;
  readonly apiVersion: string;
  /** Set when objects are to be reduced to their metadata: the resource whose whole objects are accepted too. */
  readonly metadataOf: Resource | undefined;
}

export interface ProtobufKeeperParts {
  readonly type: { readonly kind: string; readonly apiVersion: string };
  readonly schema: TypeSchema;
  /** Shared with others that do not read at the same time. */
  readonly reader: WireReader;
}

/** The beginning of the sentence that says what is wrong: "item 3 of the list of pods.v1". */
export type Where = () => string;

/**
 * Makes a `Cached` of the bytes of one object, without anything that is not to stay. The bytes belong to the caller, who
 * uses them again: what is kept of them is copied. What cannot be used becomes a `BrokenObject`.
 */
export interface ProtobufKeeper<T extends KubernetesObject> {
  take(bytes: Buffer, start: number, end: number, where: Where): Cached<T> | BrokenObject;
  /** Objects that a keeper like this one has kept before, left where they lie. Unset: they have to be taken. */
  restore?(bytes: Buffer, objects: SavedObjects): Cached<T>[];
  /** To be told of an object that will be shown and not stored. */
  detach?(object: Cached<T>): void;
}

/** The same for the text of an object. */
export interface JsonKeeper<T extends KubernetesObject> {
  /**
   * For bytes that are only guessed to be one object: undefined when they are not, and also when that takes longer to find
   * out than it is worth.
   */
  takeWhole(bytes: Buffer, start: number, end: number): Cached<T> | undefined;
  /** Undefined when the text turns out not to be JSON. */
  take(bytes: Buffer, start: number, end: number, where: Where): Cached<T> | BrokenObject | undefined;
  /** For an object that has been parsed with what was around it. May change it. */
  takeValue(value: unknown, where: Where): Cached<T> | BrokenObject;
  /** For an object that a transform has made, whose fields are not changed. Throws `KeyError` or `DecodeError`. */
  fromTransform(object: T): Cached<T>;
  detach?(object: Cached<T>): void;
}
