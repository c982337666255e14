import type { User } from '../request/access.ts';
import type { DeleteOptions } from '../request/delete-options.ts';
import type { FieldError } from '../request/field-error.ts';
import type { JsonObject } from '../values/json.ts';
import type { NameRule } from '../values/name-rules.ts';
import type { SelectableField } from './storage.ts';

/** What a strategy may look at while it prepares or judges a write. */
export interface WriteContext {
  readonly nowMs: number;
  readonly namespace: string;
  /** Unset for writes to the object itself. */
  readonly subresource?: string;
  /** Whether nothing will be written: a strategy must not reserve anything then. */
  readonly dryRun: boolean;
  /** Who writes; unset for the server itself. */
  readonly user?: User;
  /** A number in [0, 1). */
  random(): number;
  /** Sent as a `Warning` header. */
  warn(message: string): void;
}

/**
 * How one kind differs from a plain object with `spec` and `status`. Everything is optional; objects are passed in the
 * storage version and may be changed in place by the methods that prepare, never by those that validate. Calls follow
 * the order of the real server: defaults, prepare, validate.
 */
export interface Strategy {
  /** Default: a DNS-1123 subdomain. */
  readonly nameRule?: NameRule;
  /** Whether `metadata.generation` counts changes of the desired state. Default false. */
  readonly generation?: boolean;
  /** A PUT to a name that does not exist creates it. Default false. */
  readonly createOnUpdate?: boolean;
  /** A PUT without resourceVersion overwrites whatever is there. Default true. */
  readonly unconditionalUpdate?: boolean;
  /** What a deletion without propagationPolicy means. Default `background`; `unsupported` never sets gc finalizers. */
  readonly garbageCollection?: 'background' | 'orphan' | 'unsupported';
  /** A successful DELETE answers with the object instead of a Status. Default false. */
  readonly returnDeletedObject?: boolean;
  /** The real server reads the kind from etcd, not from its cache: reads do not wait, watches get no bookmarks. Default false. */
  readonly uncached?: boolean;
  /** Beside metadata.name and metadata.namespace. */
  readonly selectableFields?: readonly SelectableField[];
  /** A new object may bring its status. Default false. */
  readonly statusOnCreate?: boolean;
  /** The group that refusals name when it is not that of the resource. */
  readonly errorGroup?: string;

  /** Fills what the client left out; runs on every write, before the rest. */
  defaults?(object: JsonObject): void;
  /** What plugins that are always on fill into a new object, before webhooks and policies see it. */
  admit?(object: JsonObject): void;
  prepareForCreate?(object: JsonObject, context: WriteContext): void;
  /** For writes to the object itself and to subresources other than status. */
  prepareForUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): void;
  prepareForStatusUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): void;
  /** On every write. */
  validate?(object: JsonObject, context: WriteContext): FieldError[];
  /** On creation, after `validate`. */
  validateCreate?(object: JsonObject, context: WriteContext): FieldError[];
  validateUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): FieldError[];
  validateStatusUpdate?(object: JsonObject, old: JsonObject, context: WriteContext): FieldError[];
  /** Fills in what follows from the rest of a new object, after it was judged. */
  canonicalize?(object: JsonObject): void;
  /** What the client should know of an object that is accepted; `old` is unset for a new one. */
  warnings?(object: JsonObject, old: JsonObject | undefined): string[];
  /** Refuses or allows a deletion; throws `StatusError` to refuse. */
  checkDelete?(object: JsonObject): void;
  /** What the client of a deletion should know. */
  warnOnDelete?(options: DeleteOptions): string | undefined;
  /** What the first deletion writes instead of deleting; the kind is then removed in its own way. Namespaces do this. */
  beginDelete?(object: JsonObject, options: DeleteOptions, context: WriteContext): JsonObject | undefined;
  /** A deletion is answered with the object as long as this holds. */
  holdsDelete?(object: JsonObject): boolean;
  /** The seconds that a deletion waits, or undefined when the kind is not deleted gracefully. */
  gracePeriod?(object: JsonObject, requestedSeconds: number | undefined): number | undefined;
  /** Whether an update that emptied the finalizers of a deleted object may remove it. Default: yes. */
  mayDeleteDuringUpdate?(object: JsonObject): boolean;
  /** After every attempt to write: whether the object that was prepared is stored. A dry run stores nothing. */
  afterAttempt?(object: JsonObject, isStored: boolean): void;
  afterDelete?(object: JsonObject, context: WriteContext): void;
  /** After the whole server went back in time: for an object that is gone, or for one that is back. */
  afterRestore?(gone: JsonObject | undefined, back: JsonObject | undefined): void;
}
