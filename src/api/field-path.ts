import type { KubernetesObject } from './metadata.ts';
import type { IsUntyped } from './patch.ts';

/**
 * Where in an object of type `T` a field is: `'spec.nodeName'`, `'spec.containers.*.image'`. Known to the compiler to depth four;
 * deeper ones, what is inside maps, and the paths of a type without fields of its own are any text.
 */
export type FieldPath<T extends KubernetesObject> = string & (IsUntyped<T> extends true ? string : PathsIn<T, 4>);

/** @inner */
type Less = [0, 0, 1, 2, 3];

/** @inner */
type PathsIn<T, Depth extends number> = unknown extends T
  ? string
  : T extends object
    ? Depth extends 0
      ? string
      : T extends readonly (infer E)[]
        ? '*' | `*.${PathsIn<E, Less[Depth] & number>}`
        : string extends keyof T
          ? string
          : { [K in keyof T & string]-?: K | `${K}.${PathsIn<T[K], Less[Depth] & number>}` }[keyof T & string]
    : never;
