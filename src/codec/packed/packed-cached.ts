import type { BrokenObject, Cached, EncodedObject, SavedObjects } from '../../api/cached.ts';
import type { Labels } from '../../api/label-selector.ts';
import type { KubernetesObject, Stored } from '../../api/metadata.ts';
import type { ObjectPath, PathReadable } from '../../api/object-path.ts';
import { markOrigin, type Origin, type Reduction } from '../../api/origin.ts';
import { DecodeError } from '../decode-error.ts';
import type { ProtobufFilter } from '../filter/protobuf-filter.ts';
import type { Where } from '../keeping.ts';
import {
  IdentifyingKeeper,
  type IdentityScanner,
  type KeptVersion,
  keptVersion,
} from '../protobuf/identity-scanner.ts';
import { type DirectoryWriter, directorySize } from './directory.ts';
import type { FieldKey, Fields, PartReader, ViewSource } from './lazy-view.ts';
import { KnownLooks, type Outline } from './outline.ts';
import { Place, type Room, type Slabs } from './slabs.ts';

/**
 * How the bytes of one object are read that lie from `start` to `end` in `bytes`. What has been taken in is known to have
 * whole top-level fields and metadata; the methods throw `DecodeError` when something below is damaged.
 */
export interface PackedFormat {
  labels(bytes: Buffer, start: number, end: number): Labels;
  /** Plain data to its reader. No two views share anything that their readers could change. */
  view(bytes: Buffer, start: number, end: number, source: ViewSource): object;
  /** As the path would be followed in the view, without one. */
  read(bytes: Buffer, start: number, end: number, path: ObjectPath): unknown;
  /** The error with the place in the object, for one that has just been thrown. */
  locate?(error: DecodeError, bytes: Buffer, start: number, end: number): DecodeError;
  /** The path of the part that begins at `partStart`: `spec.containers[0]`; "" for the object. */
  pathOf?(bytes: Buffer, start: number, end: number, partStart: number): string;
  /** The object as it came, without what the format has added to it. */
  encoded(bytes: Buffer, start: number, end: number): EncodedObject;
}

/** One that can tell from the bytes alone how a view looks before anybody reads it; undefined when that takes its bytes each time. */
export interface OutliningFormat {
  outline(bytes: Buffer, start: number, end: number): Outline | undefined;
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
  /** Tells what is left out of all of them; unset when nothing is. */
  readonly origin: Origin | undefined;
  /** That of the views of all of them; unset when it takes their bytes to tell. */
  readonly outline: Outline | undefined;
  readonly #onDamage: DamageListener<T> | undefined;
  readonly #options: PackedFamilyOptions<T>;
  /** Unset until there is one. */
  #byOutline: Map<Outline, this> | undefined;

  constructor(options: PackedFamilyOptions<T>, outline?: Outline) {
    const { format, slabs, reduction, onDamage } = options;
    this.#options = options;
    this.outline = outline;
    this.format = format;
    this.slabs = slabs;
    this.origin = reduction && (() => reduction);
    this.#onDamage = onDamage;
  }

  /** Those among them whose views have this outline. */
  like(outline: Outline | undefined): this {
    if (outline === undefined) return this;
    this.#byOutline ??= new Map();
    let family = this.#byOutline.get(outline);
    if (family === undefined) {
      family = this.withOutline(this.#options, outline) as this;
      this.#byOutline.set(outline, family);
    }
    return family;
  }

  protected withOutline(options: PackedFamilyOptions<T>, outline: Outline): PackedFamily<T> {
    return new PackedFamily(options, outline);
  }

  /** The error for the reader of a damaged object, after it has been reported. */
  damaged(cached: Cached<T>, cause: DecodeError, field: string): DecodeError {
    const which = field === '' ? cached.key : `${field} of ${cached.key}`;
    const error = new DecodeError(cause.kind, `${which} cannot be decoded: ${cause.message}`, { cause });
    this.#onDamage?.(cached, error);
    return error;
  }
}

/** Who an object is. */
export interface KeptIdentity extends Pick<Cached, 'key' | 'namespace' | 'uid'> {
  readonly version: KeptVersion;
}

/**
 * A `Cached` that keeps the bytes, in slabs. Small on the heap: what can be told from the key or read from the bytes in no
 * time has no field, and nothing is #private, because V8 gives each object of a class with private methods a field for that.
 */
export class PackedCached<T extends KubernetesObject> extends Place implements Cached<T>, PathReadable, ViewSource {
  /** The texts of `key` and `uid` are those of the version that was stored before, if there was one: they outlive all versions. */
  key: string;
  readonly namespace: string;
  uid: string;
  private readonly version: KeptVersion;
  protected readonly family: PackedFamily<T>;

  /** The bytes lie in the room; the family is that of objects that look like them. */
  constructor(
    family: PackedFamily<T>,
    { key, namespace, uid, version }: KeptIdentity,
    { slab, offset }: Room,
    length: number,
  ) {
    super(slab, offset, length);
    this.key = key;
    this.namespace = namespace;
    this.uid = uid;
    this.version = version;
    this.family = family;
  }

  /** Where the object lies at present: from `start` to `end` in `bytes`, which are asked for first. */
  protected get bytes(): Buffer {
    return this.home.bytes;
  }

  protected get start(): number {
    return this.offset;
  }

  protected get end(): number {
    return this.offset + this.length;
  }

  get name(): string {
    return this.namespace === '' ? this.key : this.key.slice(this.namespace.length + 1);
  }

  get resourceVersion(): string {
    const { version } = this;
    return typeof version === 'number' ? String(version) : version;
  }

  /** Read from the bytes each time. */
  get labels(): Labels {
    return this.family.format.labels(this.bytes, this.start, this.end);
  }

  /** Starts from the bytes each time. Throws `DecodeError`, as do the fields of the view when they are first read. */
  view(): Stored<T> {
    const { outline, origin, slabs } = this.family;
    slabs.views++;
    const view = (outline === undefined ? this.viewOfBytes() : outline.view(this, this.end - this.start)) as Stored<T>;
    return origin === undefined ? view : markOrigin(view, origin);
  }

  private viewOfBytes(): object {
    try {
      return this.family.format.view(this.bytes, this.start, this.end, this);
    } catch (error) {
      throw this.explained(error);
    }
  }

  /** All that a view has not decoded when it was made comes through here. */
  readField(part: PartReader, start: number, end: number, key: FieldKey, fields: Fields): unknown {
    if (typeof key !== 'string') return this.readField(key.part, start, end, key.name, fields);
    const outlined = part.outlined?.(key, this, fields);
    if (outlined !== undefined) return outlined;
    try {
      const { bytes } = this;
      const from = this.start;
      return part.readField(bytes, from + start, from + end, key, from, this, fields);
    } catch (error) {
      throw this.explained(error, part.path === undefined ? key : `${part.path}.${key}`, start);
    }
  }

  valueAt(path: ObjectPath): unknown {
    try {
      return this.family.format.read(this.bytes, this.start, this.end, path);
    } catch (error) {
      throw this.explained(error, path.segments.join('.'));
    }
  }

  touch(): number {
    return this.home.bytes[this.offset] as number;
  }

  encoded(): EncodedObject {
    const { format, outline } = this.family;
    return { ...format.encoded(this.bytes, this.start, this.end), look: outline };
  }

  stored(previous?: Cached<T>): void {
    if (previous !== undefined) this.shareTexts(previous);
    this.keepStored();
  }

  protected keepStored(): void {
    this.family.slabs.store(this);
  }

  private shareTexts({ key, uid }: Cached<T>): void {
    this.key = key;
    if (this.uid === uid) this.uid = uid;
  }

  dropped(): void {
    this.family.slabs.drop(this);
  }

  /** For an object that will not be stored: it does not keep alive what lies beside its bytes. */
  detach(): void {
    this.family.slabs.detach(this);
  }

  /** `field` is that of the part of the object that begins at `partStart`. */
  private explained(error: unknown, field = '', partStart = 0): unknown {
    if (!(error instanceof DecodeError)) return error;
    const { format } = this.family;
    const { bytes, start, end } = this;
    const located = format.locate?.(error, bytes, start, end) ?? error;
    const part = partStart === 0 ? undefined : format.pathOf?.(bytes, start, end, start + partStart);
    return this.family.damaged(this, located, part ? `${part}.${field}` : field);
  }
}

export interface PackedProtobufKeeperOptions<T extends KubernetesObject> {
  family: PackedFamily<T>;
  format: OutliningFormat;
  scanner: IdentityScanner;
  dropManagedFields: boolean;
  /** Takes care of managed fields too. */
  filter: ProtobufFilter | undefined;
  /** Unset: objects are kept without a directory. */
  directory?: DirectoryWriter | undefined;
}

/** From the message of an object to what is to be kept of it; where that goes is left open. */
export abstract class ReducingKeeper<T extends KubernetesObject> extends IdentifyingKeeper<T> {
  protected readonly format: OutliningFormat;
  readonly #looks = new KnownLooks();
  readonly #filter: ProtobufFilter | undefined;
  readonly #dropManagedFields: boolean;
  readonly #directory: DirectoryWriter | undefined;
  /** How many bytes the directory takes of the object at hand. */
  #directoryBytes = 0;
  /** What `write` writes, when it is not what the scanner has. */
  #kept: Buffer | undefined;

  constructor({ scanner, format, filter, dropManagedFields, directory }: PackedProtobufKeeperOptions<T>) {
    super(scanner);
    this.format = format;
    this.#filter = filter;
    this.#dropManagedFields = dropManagedFields;
    this.#directory = directory;
  }

  /** A directory that is there already is left out: it may be that of another place, or nobody's. */
  override take(bytes: Buffer, start: number, end: number, where: Where): Cached<T> | BrokenObject {
    let from = start;
    for (let size = directorySize(bytes, from, end); size > 0; size = directorySize(bytes, from, end)) from += size;
    return super.take(bytes, from, end, where);
  }

  detach(object: Cached<T>): void {
    if (object instanceof PackedCached) object.detach();
  }

  protected override keep(bytes: Buffer, start: number, end: number): Cached<T> {
    const filter = this.#filter;
    if (filter === undefined && this.#dropManagedFields) {
      this.#kept = undefined;
      return this.#keepListed(bytes, start, end, this.scanner.sizeWithoutManagedFields);
    }
    const kept = filter === undefined ? bytes.subarray(start, end) : filter.filter(bytes, start, end);
    this.#kept = kept;
    return this.#keepListed(kept, 0, kept.length, kept.length);
  }

  #keepListed(bytes: Buffer, start: number, end: number, length: number): Cached<T> {
    this.#directoryBytes = this.#directory?.read(bytes, start, end, length) ?? 0;
    return this.keepReduced(this.#directoryBytes + length);
  }

  /** What is to be kept has this many bytes. */
  protected abstract keepReduced(length: number): Cached<T>;

  /** That of what was written from `start` to `end`. */
  protected outlineOf(bytes: Buffer, start: number, end: number): Outline | undefined {
    const looks = this.#looks;
    // What a filter has left may look otherwise.
    if (!this.scanner.isUsual || this.#filter !== undefined) return this.format.outline(bytes, start, end);
    if (!looks.find(this.scanner)) looks.add(this.scanner, this.format.outline(bytes, start, end));
    return looks.outline;
  }

  /** Writes it. */
  protected write(out: Buffer, at: number): void {
    this.#directory?.write(out, at);
    const from = at + this.#directoryBytes;
    if (this.#kept === undefined) this.scanner.copyWithoutManagedFields(out, from);
    else this.#kept.copy(out, from);
  }
}

/** From the message of an object to a `Cached` that keeps it in the slabs. */
export class PackedProtobufKeeper<T extends KubernetesObject> extends ReducingKeeper<T> {
  readonly #family: PackedFamily<T>;

  constructor(options: PackedProtobufKeeperOptions<T>) {
    super(options);
    this.#family = options.family;
  }

  protected override keepReduced(length: number): Cached<T> {
    const room = this.#family.slabs.reserve(length);
    const { slab, offset } = room;
    this.write(slab.bytes, offset);
    const family = this.#family.like(this.outlineOf(slab.bytes, offset, offset + length));
    return new PackedCached(family, this.scanner, room, length);
  }

  restore(bytes: Buffer, objects: SavedObjects): Cached<T>[] {
    const slab = this.#family.slabs.adopt(bytes);
    const families = objects.byLook as PackedFamily<T>[];
    const restored: Cached<T>[] = [];
    while (objects.next()) {
      const { start, end, look } = objects;
      const family = families[look] ?? this.#family.like(this.format.outline(bytes, start, end));
      if (look > 0) families[look] = family;
      const { key, namespace, uid, resourceVersion } = objects;
      const identity = { key, namespace, uid, version: keptVersion(resourceVersion) };
      restored.push(new PackedCached(family, identity, { slab, offset: start }, end - start));
    }
    return restored;
  }
}
