import type { Cached } from '../../api/cached.ts';
import type { Labels } from '../../api/label-selector.ts';
import type { KubernetesObject, Stored } from '../../api/metadata.ts';
import { type Reduction, withOrigin } from '../../api/origin.ts';
import { DecodeError } from '../decode-error.ts';
import type { ProtobufFilter } from '../filter/protobuf-filter.ts';
import { IdentifyingKeeper } from '../protobuf/identity-scanner.ts';
import type { WireReader } from '../protobuf/wire-reader.ts';
import type { CommonMetadata, Identity } from './common-metadata.ts';
import type { ViewShape, ViewSource } from './lazy-view.ts';
import { Place, type Slab, type Slabs } from './slabs.ts';

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

/** Hears of every object whose bytes turn out to be damaged when somebody reads them. */
export type DamageListener<T extends KubernetesObject> = (cached: Cached<T>, error: DecodeError) => void;

export interface PackedFamilyOptions<T extends KubernetesObject> {
  format: PackedFormat;
  slabs: Slabs;
  reduction: Reduction | undefined;
  onDamage: DamageListener<T> | undefined;
}

/** What all objects of one format have in common, so that each needs but one reference for it. */
export class PackedFamily<T extends KubernetesObject> {
  readonly format: PackedFormat;
  readonly slabs: Slabs;
  /** What is left out of all of them. */
  readonly reduction: Reduction | undefined;
  readonly #onDamage: DamageListener<T> | undefined;

  constructor({ format, slabs, reduction, onDamage }: PackedFamilyOptions<T>) {
    this.format = format;
    this.slabs = slabs;
    this.reduction = reduction;
    this.#onDamage = onDamage;
  }

  /** The error for the reader of a damaged object, after it has been reported. */
  damaged(cached: Cached<T>, cause: DecodeError, field?: string): DecodeError {
    const which = field === undefined ? cached.key : `${field} of ${cached.key}`;
    const error = new DecodeError(cause.kind, `${which} cannot be decoded: ${cause.message}`, { cause });
    this.#onDamage?.(cached, error);
    return error;
  }
}

/**
 * A `Cached` that keeps the bytes, in slabs. Small on the heap: what can be told from the key or read from the bytes in no
 * time has no field.
 */
export class PackedCached<T extends KubernetesObject> extends Place implements Cached<T>, PackedObject, ViewSource {
  readonly key: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly #family: PackedFamily<T>;
  /** Known from the first view on. */
  #shape: ViewShape | undefined;
  /** Belongs to the metadata that the shape has in common with others, and means nothing without them. */
  #createdSeconds = 0;

  /** The bytes are the last that were written to the slab. */
  constructor(
    family: PackedFamily<T>,
    { key, namespace, uid, resourceVersion }: Pick<Cached, 'key' | 'namespace' | 'uid' | 'resourceVersion'>,
    slab: Slab,
    length: number,
  ) {
    super(slab, slab.used - length, length);
    this.key = key;
    this.namespace = namespace;
    this.uid = uid;
    this.resourceVersion = resourceVersion;
    this.#family = family;
    this.#shape = undefined;
  }

  get name(): string {
    return this.namespace === '' ? this.key : this.key.slice(this.namespace.length + 1);
  }

  get reduction(): Reduction | undefined {
    return this.#family.reduction;
  }

  remember(common: CommonMetadata, createdSeconds: number): void {
    this.#shape = this.#shape?.withCommon(common);
    this.#createdSeconds = createdSeconds;
  }

  /** Read from the bytes each time. */
  get labels(): Labels {
    return this.#family.format.labels(this.home.bytes, this.offset, this.offset + this.length);
  }

  /** Starts from the bytes each time. Throws `DecodeError`, as do the fields of the view when they are first read. */
  view(): Stored<T> {
    const { format } = this.#family;
    const { bytes } = this.home;
    const end = this.offset + this.length;
    try {
      this.#shape ??= format.shape(bytes, this.offset, end);
      const shape = this.#shape;
      if (shape === undefined) return this.#decoded();
      const metadata = shape.common?.view(this, this.#createdSeconds);
      return shape.view(this, metadata ?? (shape.takesMetadata ? this.#metadata() : undefined)) as Stored<T>;
    } catch (error) {
      throw this.#explained(error);
    }
  }

  readField(name: string): unknown {
    try {
      return this.#family.format.decodeField(this.home.bytes, this.offset, this.offset + this.length, name, this);
    } catch (error) {
      throw this.#explained(error, name);
    }
  }

  readPart(reader: PartReader, start: number, end: number, name: string): unknown {
    try {
      return reader.readField(this.home.bytes, this.offset + start, this.offset + end, name);
    } catch (error) {
      throw this.#explained(error, `${reader.path}.${name}`);
    }
  }

  /** For indexes and field selectors: as the path would be followed in the view, without one. */
  readPath({ segments }: { readonly segments: readonly string[] }): readonly string[] {
    try {
      return this.#family.format.readPath(this.home.bytes, this.offset, this.offset + this.length, segments);
    } catch (error) {
      throw this.#explained(error, segments[0]);
    }
  }

  stored(): void {
    this.#family.slabs.store(this);
  }

  dropped(): void {
    this.#family.slabs.drop(this);
  }

  /** For an object that will not be stored: it does not keep alive what lies beside its bytes. */
  detach(): void {
    this.#family.slabs.detach(this);
  }

  /** Undefined when they are damaged too: whoever reads them will be told, and nobody else. */
  #metadata(): object | undefined {
    try {
      return this.#family.format.metadata?.(this.home.bytes, this.offset, this.offset + this.length, this);
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  }

  #decoded(): Stored<T> {
    const { format, reduction } = this.#family;
    const object = format.decodeAll(this.home.bytes, this.offset, this.offset + this.length) as Stored<T>;
    return reduction === undefined ? object : withOrigin(object, () => reduction);
  }

  #explained(error: unknown, field?: string): unknown {
    return error instanceof DecodeError ? this.#family.damaged(this, error, field) : error;
  }
}

export interface PackedProtobufKeeperOptions<T extends KubernetesObject> {
  family: PackedFamily<T>;
  reader: WireReader;
  dropManagedFields: boolean;
  /** Takes care of managed fields too. */
  filter: ProtobufFilter | undefined;
}

/** From the message of an object to a `Cached` that keeps it in the slabs. */
export class PackedProtobufKeeper<T extends KubernetesObject> extends IdentifyingKeeper<T> {
  readonly #options: PackedProtobufKeeperOptions<T>;
  /** How many bytes `#copy` wrote last. */
  #length = 0;

  constructor(options: PackedProtobufKeeperOptions<T>) {
    super(options.reader);
    this.#options = options;
  }

  detach(object: Cached<T>): void {
    if (object instanceof PackedCached) object.detach();
  }

  protected override keep(bytes: Buffer, start: number, end: number): Cached<T> {
    const slab = this.#copy(bytes, start, end);
    return new PackedCached(this.#options.family, this.scanner, slab, this.#length);
  }

  #copy(bytes: Buffer, start: number, end: number): Slab {
    const { family, filter, dropManagedFields } = this.#options;
    if (filter === undefined && dropManagedFields) {
      this.#length = this.scanner.sizeWithoutManagedFields;
      const slab = family.slabs.reserve(this.#length);
      this.scanner.copyWithoutManagedFields(slab.bytes, slab.used - this.#length);
      return slab;
    }
    const kept = filter === undefined ? bytes.subarray(start, end) : filter.filter(bytes, start, end);
    this.#length = kept.length;
    const slab = family.slabs.reserve(this.#length);
    kept.copy(slab.bytes, slab.used - this.#length);
    return slab;
  }
}
