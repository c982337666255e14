import type { Cached } from '../../api/cached.ts';
import { DecodeError } from '../decode-error.ts';
import type { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { timeText } from '../protobuf/time-text.ts';

/** What is known of an object without looking at its bytes. */
export type Identity = Pick<Cached, 'name' | 'namespace' | 'uid' | 'resourceVersion'>;

/** What a message of metadata ends with: maps and lists, which cost most to decode. */
export interface TailFields {
  labels?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  ownerReferences?: Record<string, unknown>[];
  finalizers?: string[];
}

/** Metadata as JSON has them, in the order in which Go writes them. */
export interface MetadataFields extends TailFields {
  name: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string | null;
  deletionGracePeriodSeconds?: number;
}

/** What was decoded once, for many objects. */
export interface CopiedTail {
  /** Gives a reader its own copy. */
  copyTo(fields: TailFields): void;
}

/** Makes plain objects, like a literal, but with room for what will be added. */
function PlainMetadata(this: MetadataFields, name: string): void {
  this.name = name;
}
PlainMetadata.prototype = Object.prototype;
export const Metadata = PlainMetadata as unknown as new (name: string) => MetadataFields;

/**
 * All that many objects have in common in their metadata: everything but who they are and the second they were created in.
 * The metadata of such an object need not be looked for in its bytes.
 */
export class CommonMetadata {
  readonly generateName: string | undefined;
  readonly generation: number | undefined;
  readonly #tail: CopiedTail;

  constructor(generateName: string | undefined, generation: number | undefined, tail: CopiedTail) {
    this.generateName = generateName;
    this.generation = generation;
    this.#tail = tail;
  }

  /** For one reader alone. */
  view({ name, namespace, uid, resourceVersion }: Identity, createdSeconds: number): MetadataFields {
    const view = new Metadata(name);
    if (this.generateName !== undefined) view.generateName = this.generateName;
    if (namespace !== '') view.namespace = namespace;
    if (uid !== '') view.uid = uid;
    if (resourceVersion !== '') view.resourceVersion = resourceVersion;
    if (this.generation !== undefined) view.generation = this.generation;
    view.creationTimestamp = timeText(createdSeconds);
    this.#tail.copyTo(view);
    return view;
  }
}

type Data = Record<string, unknown>;

const SLOT_BITS = 11;
const SLOTS = 1 << SLOT_BITS;
/** Longer ones are seldom the same in two objects. */
const MAX_BYTES = 2048;
const MIN_BYTES = 8;
const COMMON_HITS = 16;
/** The pods of a ReplicaSet have one `generateName`, and few generations. */
const MAX_COMMONS = 8;

/**
 * Remembers how metadata end that many objects share: the pods of a ReplicaSet have the same labels, annotations and owners.
 * To copy what was decoded costs a tenth of decoding it. A fixed number is remembered, each from the second time on that it
 * is looked for and not found; a newer one takes the place of an older one.
 */
export class MetadataTails {
  /** Of metadata without maps and lists. */
  readonly none: MetadataTail;
  readonly #known: (MetadataTail | undefined)[] = new Array(SLOTS).fill(undefined);
  /** By slot: the hash of what was last looked for and not found. */
  readonly #missed = new Int32Array(SLOTS);
  readonly #decoder: ObjectDecoder;
  #hash = 0;

  /** The decoder is that of metadata. */
  constructor(decoder: ObjectDecoder) {
    this.#decoder = decoder;
    this.none = new MetadataTail(0, Buffer.alloc(0), 0, 0, decoder);
  }

  /** The fields from `start` to `end`; undefined when they are not known. */
  find(view: DataView, start: number, end: number): MetadataTail | undefined {
    const length = end - start;
    if (length < MIN_BYTES || length > MAX_BYTES) return undefined;
    this.#hash = hashOf(view, start, end);
    const known = this.#known[this.#hash >>> (32 - SLOT_BITS)];
    if (known === undefined || known.hash !== this.#hash || !known.isEqual(view, start, end)) return undefined;
    known.hits++;
    return known;
  }

  /** Tells of fields that `find` has just not known. They come in the order of JSON and are none but those of `TailFields`. */
  missed(bytes: Buffer, start: number, end: number): void {
    if (end - start < MIN_BYTES || end - start > MAX_BYTES) return;
    const hash = this.#hash;
    const slot = hash >>> (32 - SLOT_BITS);
    if (this.#missed[slot] === hash) {
      this.#missed[slot] = 0;
      this.#known[slot] = this.#decoded(hash, bytes, start, end);
    } else this.#missed[slot] = hash;
  }

  /** Undefined when it is damaged: that concerns those who read the damaged field. */
  #decoded(hash: number, bytes: Buffer, start: number, end: number): MetadataTail | undefined {
    try {
      return new MetadataTail(hash, bytes, start, end, this.#decoder);
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  }
}

/** What a message of metadata ends with, decoded. */
export class MetadataTail {
  /** How often it was found. */
  hits = 0;
  readonly hash: number;
  readonly #commons: CommonMetadata[] = [];
  readonly #view: DataView;
  readonly #labels: Data | undefined;
  readonly #annotations: Data | undefined;
  readonly #ownerReferences: readonly Data[] | undefined;
  readonly #finalizers: readonly string[] | undefined;

  constructor(hash: number, bytes: Buffer, start: number, end: number, decoder: ObjectDecoder) {
    const read = (name: string) => decoder.decodeField(bytes, start, end, name);
    this.hash = hash;
    this.#view = new DataView(new Uint8Array(bytes.subarray(start, end)).buffer);
    this.#labels = read('labels') as Data | undefined;
    this.#annotations = read('annotations') as Data | undefined;
    this.#ownerReferences = read('ownerReferences') as Data[] | undefined;
    this.#finalizers = read('finalizers') as string[] | undefined;
  }

  /** Whether it was found so often that objects may refer to it for as long as they live. */
  get isCommon(): boolean {
    return this.hits >= COMMON_HITS;
  }

  /** What objects have in common that have this tail and begin like that; undefined when there are too many such beginnings. */
  commonWith({
    generateName,
    generation,
  }: Pick<MetadataFields, 'generateName' | 'generation'>): CommonMetadata | undefined {
    for (const each of this.#commons) {
      if (each.generateName === generateName && each.generation === generation) return each;
    }
    if (this.#commons.length >= MAX_COMMONS) return undefined;
    const common = new CommonMetadata(generateName, generation, this);
    this.#commons.push(common);
    return common;
  }

  /** The last word overlaps the one before it when the length is not a multiple of four. */
  isEqual(view: DataView, start: number, end: number): boolean {
    const own = this.#view;
    const lastWord = end - start - 4;
    if (own.byteLength !== lastWord + 4) return false;
    for (let i = 0; i < lastWord; i += 4) {
      if (own.getInt32(i, true) !== view.getInt32(start + i, true)) return false;
    }
    return own.getInt32(lastWord, true) === view.getInt32(start + lastWord, true);
  }

  /** Puts copies of the fields into `metadata`. */
  copyTo(metadata: TailFields): void {
    if (this.#labels !== undefined) metadata.labels = { ...this.#labels };
    if (this.#annotations !== undefined) metadata.annotations = { ...this.#annotations };
    if (this.#ownerReferences !== undefined) metadata.ownerReferences = this.#ownerReferences.map(copyOf);
    if (this.#finalizers !== undefined) metadata.finalizers = [...this.#finalizers];
  }
}

/** An owner reference has no objects in it. */
function copyOf(reference: Data): Data {
  return { ...reference };
}

/** In two lanes, which the processor works on at the same time. */
function hashOf(view: DataView, start: number, end: number): number {
  let even = end - start;
  let odd = 0;
  let i = start;
  for (; i <= end - 8; i += 8) {
    even = Math.imul(even ^ view.getInt32(i, true), 0x9e37_79b1);
    odd = Math.imul(odd ^ view.getInt32(i + 4, true), 0x85eb_ca6b);
    even ^= even >>> 15;
    odd ^= odd >>> 13;
  }
  even = Math.imul(even ^ view.getInt32(end - 8, true), 0x9e37_79b1);
  odd = Math.imul(odd ^ view.getInt32(end - 4, true), 0x85eb_ca6b);
  return Math.imul(even ^ (odd >>> 16) ^ (odd << 5), 0x9e37_79b1);
}
