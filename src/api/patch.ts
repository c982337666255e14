import type { KubernetesObject } from './metadata.ts';

/** @inner A type of which nothing but the metadata is known: its other fields may be anything. */
export type IsUntyped<T> = [keyof T] extends [keyof KubernetesObject] ? true : false;

/**
 * A JSON merge patch (RFC 7386) of an object: the fields to change, `null` for those to remove. A list replaces the one that is
 * there, so its elements are whole.
 */
export type MergePatch<T> = IsUntyped<T> extends true ? object : MergePatchOf<T>;

/** @inner */
type MergePatchOf<T> = unknown extends T
  ? T
  : T extends readonly unknown[]
    ? T
    : T extends object
      ? { [K in keyof T]?: MergePatchOf<T[K]> | null | undefined }
      : T;

/**
 * A strategic merge patch of an object: as a merge patch, but lists with a merge key are merged by it, so their elements may be
 * partial. Only built-in kinds have it.
 */
export type StrategicMergePatch<T> = IsUntyped<T> extends true ? object : StrategicPatchOf<T>;

/** @inner */
type StrategicPatchOf<T> = unknown extends T
  ? T
  : T extends readonly (infer E)[]
    ? readonly StrategicPatchOf<E>[]
    : T extends object
      ? { [K in keyof T]?: StrategicPatchOf<T[K]> | null | undefined } & StrategicDirectives
      : T;

/** @inner */
interface StrategicDirectives {
  $patch?: 'delete' | 'merge' | 'replace';
  $retainKeys?: readonly string[];
  [list: `$setElementOrder/${string}` | `$deleteFromPrimitiveList/${string}`]: readonly unknown[];
}

/** What a manager applies of an object: the fields that it wants to own, and no others. */
export type AppliedObject<T> = IsUntyped<T> extends true ? T : AppliedPart<T>;

/** @inner */
type AppliedPart<T> = unknown extends T
  ? T
  : T extends readonly (infer E)[]
    ? readonly AppliedPart<E>[]
    : T extends object
      ? { [K in keyof T]?: AppliedPart<T[K]> | undefined }
      : T;

/** One step of a JSON patch (RFC 6902); `path` is a JSON pointer: `/metadata/labels/app`. */
export type JsonPatchOperation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: unknown }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; path: string; from: string };
