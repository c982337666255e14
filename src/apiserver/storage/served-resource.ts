import type { SubresourceDescription } from '../../api/type-schema.ts';
import type { MergeSchema } from '../apply/merge-schema.ts';
import type { TablePrinter } from '../table/table-printer.ts';
import type { JsonObject, JsonValue } from '../values/json.ts';
import { jsonText } from '../values/json-text.ts';
import { type OutsideConversion, ShownObjects } from './outside-conversion.ts';
import { resultOf, type Steps } from './steps.ts';
import type { Table } from './storage.ts';
import { type StoredObject, typePrefix } from './stored-object.ts';
import type { Strategy } from './strategy.ts';

/** How an object shows itself as an `autoscaling/v1` Scale, and takes one. */
export interface ScaleAccess {
  /** Where the replicas are in the object. */
  readonly replicasPath: readonly string[];
  read(object: JsonObject): JsonObject;
  /** What a patch of the scale starts from. */
  readForUpdate(object: JsonObject): JsonObject;
  /** Sets the replicas of the object, in place. Throws for a Scale that the object cannot have. */
  write(object: JsonObject, scale: JsonObject): void;
}

/** What decoding a body found beside the object. */
export interface Decoded {
  readonly object: JsonObject;
  /** Paths of fields that the kind does not have: `spec.foo`. */
  readonly unknownFields: readonly string[];
}

/** Turns the JSON of a client into an object of the kind; throws a 400 `StatusError` for values of the wrong type. */
export type ObjectDecoder = (object: JsonObject) => Decoded;

export interface ServedResourceInit {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceDescription[];
  readonly table: Table;
  readonly strategy: Strategy;
  /** From a CustomResourceDefinition: list items then carry their own kind and apiVersion. */
  readonly custom: boolean;
  /** The name of the `TypeSchema`; empty for custom resources. */
  readonly schema: string;
  readonly decode: ObjectDecoder;
  /** Set when the version differs in shape from the one that is stored. */
  readonly conversion?: Conversion;
  /** Set when somebody outside converts; `conversion` is unset then, and writers work in the version that is served. */
  readonly outside?: OutsideConversion;
  /** How the scale subresource reads and writes; unset: by `spec.replicas` and its relatives. */
  readonly scale?: ScaleAccess;
  /** Sent with every answer: the version is deprecated. */
  readonly warning?: string;
  /** `openAPIV3Schema` of the definition of a custom resource. */
  readonly customSchema?: JsonObject;
  /** How its objects look in tables. */
  readonly printer: TablePrinter;
  /** How server-side apply merges its objects. Asked for once, when it is needed. */
  readonly mergeSchema: () => MergeSchema;
  /** An object of the kind with nothing in it, for bookmarks: what Go encodes for the zero value. */
  readonly emptyObject: JsonObject;
  /** The status of a new object, in the storage version; unset for kinds without one. */
  readonly emptyStatus: JsonValue | undefined;
}

export interface Conversion {
  toStorage(object: JsonObject): JsonObject;
  fromStorage(object: JsonObject): JsonObject;
}

/** One resource in one version, as clients see it. */
export class ServedResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly init: ServedResourceInit;
  /** `v1`, `apps/v1` */
  readonly apiVersion: string;
  readonly #prefix: Buffer;
  /** Set when what is stored has to be converted by somebody outside before it is shown. */
  readonly shown: ShownObjects | undefined;
  #mergeSchema: MergeSchema | undefined;

  constructor(init: ServedResourceInit) {
    this.group = init.group;
    this.version = init.version;
    this.plural = init.plural;
    this.kind = init.kind;
    this.init = init;
    this.apiVersion = init.group === '' ? init.version : `${init.group}/${init.version}`;
    this.shown = init.outside && new ShownObjects(this, init.outside);
    this.#prefix = typePrefix(init.kind, this.apiVersion, init.custom);
  }

  get table(): Table {
    return this.init.table;
  }

  get strategy(): Strategy {
    return this.init.strategy;
  }

  get mergeSchema(): MergeSchema {
    this.#mergeSchema ??= this.init.mergeSchema();
    return this.#mergeSchema;
  }

  get namespaced(): boolean {
    return this.init.namespaced;
  }

  subresource(name: string): SubresourceDescription | undefined {
    return this.init.subresources.find((subresource) => subresource.name === name);
  }

  get hasStatus(): boolean {
    return this.subresource('status') !== undefined;
  }

  /** A state that is stored, as clients of this version see it. */
  *show(stored: StoredObject): Steps<StoredObject> {
    return this.shown ? yield* resultOf(this.shown.one(stored)) : stored;
  }

  /** The object in this version, a fresh copy, with kind and apiVersion. What is stored must have been shown before. */
  decodeStored(stored: StoredObject): JsonObject {
    const object = stored.decode();
    const shaped = this.init.conversion ? this.init.conversion.fromStorage(object) : object;
    return { kind: this.kind, apiVersion: this.apiVersion, ...shaped };
  }

  /** The whole object as JSON, with kind and apiVersion. */
  encode(stored: StoredObject): Buffer {
    return Buffer.concat([this.#prefix, this.#body(stored).subarray(1)]);
  }

  /** As it stands in a list: built-in kinds leave out kind and apiVersion there. */
  encodeItem(stored: StoredObject): Buffer {
    return this.init.custom ? this.encode(stored) : this.#body(stored);
  }

  #body(stored: StoredObject): Buffer {
    if (!this.init.conversion) return stored.body;
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = this.init.conversion.fromStorage(stored.decode());
    return Buffer.from(jsonText(rest));
  }
}
