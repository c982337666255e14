import type { KubernetesObject } from './metadata.ts';
import type { IsUntyped } from './patch.ts';

/**
 * Where in an object of type `T` a field is: `'spec.nodeName'`, `'spec.containers.*.image'`. Known to the compiler to depth four;
 * deeper ones, what is inside maps, and the paths of a type without fields of its own are any text.
 */
export type FieldPath<T extends KubernetesObject> = string &
  (IsUntyped<T> extends true ? string : PathsIn<T, '', 4> | Deeper);

/**
 * What a path leads to: a value, undefined when there is none; with a `*` in the path, all of them. What the compiler does not know is
 * `unknown`.
 */
export type FieldValue<T, Path extends string> = Path extends `${string}*${string}`
  ? Exclude<Found<T, Path>, undefined>[]
  : Found<T, Path> | undefined;

/** @inner */
type Found<T, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? string extends keyof NonNullable<T>
    ? InMap<NonNullable<T>[keyof NonNullable<T>], Rest>
    : Found<Member<NonNullable<T>, Head>, Rest>
  : Member<NonNullable<T>, Path>;

/** @inner The key of a label or an annotation may have dots in it. */
type InMap<V, Rest extends string> = V extends Scalar ? V : Found<V, Rest>;

/** @inner */
type Member<T, Key extends string> = T extends readonly (infer E)[] ? E : Key extends keyof T ? T[Key] : MapValue<T>;

/** @inner */
type MapValue<T> = string extends keyof T ? T[keyof T] : unknown;

/** @inner One pattern for all of them: the compiler compares each path that it knows with each pattern. */
type Deeper = `${string}.${string}.${string}.${string}.${string}`;

/** @inner */
type Less = [0, 0, 1, 2, 3];

/** @inner */
type Scalar = string | number | boolean | null | undefined;

/** @inner Each path is made once, from its prefix: a type for each of its ends would be four times as many. */
type PathsIn<T, Prefix extends string, Depth extends number> = T extends readonly (infer E)[]
  ? `${Prefix}*` | Inside<E, `${Prefix}*`, Less[Depth] & number>
  : string extends keyof T
    ? `${Prefix}${string}`
    : {
        [K in keyof T & string]-?: `${Prefix}${K}` | Inside<T[K], `${Prefix}${K}`, Less[Depth] & number>;
      }[keyof T & string];

/** @inner */
type Inside<T, Path extends string, Depth extends number> = Depth extends 0
  ? never
  : T extends Scalar
    ? never
    : unknown extends T
      ? `${Path}.${string}`
      : PathsIn<T, `${Path}.`, Depth>;
