import type { FieldPath } from '../api/field-path.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/** How the objects of an informer come, and what is kept of them. */
export interface KeepOptions<T extends KubernetesObject = KubernetesObject> {
  /**
   * `packed`: objects stay the bytes they came in, outside the heap of V8; each read gives an object of its own, whose
   * fields are decoded when they are first looked at. `plain`: objects are decoded when they arrive, and every reader gets
   * that one: several times the memory, for loops that read small caches again and again. `shared`: as `packed`, and what
   * objects have in common that came in protobuf, as the pods of one workload do, is kept once: a fraction of the memory, and a
   * few µs for each read. Default `packed`.
   */
  store?: 'packed' | 'shared' | 'plain' | undefined;
  /**
   * What servers are asked for. `protobuf`: built-in kinds in protobuf, and JSON where there is none, as for custom
   * resources. `json`: nothing else, for a look at the wire. Default `protobuf`.
   */
  encoding?: 'protobuf' | 'json' | undefined;
  /** Whether objects keep `metadata.managedFields`, which are about half of their size. Default `drop`. */
  managedFields?: 'keep' | 'drop' | undefined;
  /**
   * Paths of what is left out of every object, before it is decoded or stored: `'metadata.annotations'`,
   * `'spec.containers.*.env'`. Segments are separated by dots, `*` is every element of a list or entry of a map, `\.` a dot
   * within a segment; what follows `metadata.labels.` or `metadata.annotations.` is one segment as it stands. Name, namespace,
   * uid and resourceVersion always stay. A path that leads nowhere in a built-in kind is a `TypeError`.
   */
  drop?: readonly FieldPath<T>[] | undefined;
  /** Paths of all that is kept; `drop` takes away from that. Default: everything. */
  keep?: readonly FieldPath<T>[] | undefined;
  /** An object larger than this fails its list or watch, with an error that says so. Default 32 MiB. */
  maxObjectBytes?: number | undefined;
}
