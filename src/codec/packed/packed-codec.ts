import type { Cached, CachedFrames, CachedList } from '../../api/cached.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import type { Resource } from '../../api/resource.ts';
import type { Status } from '../../api/status.ts';
import { typeSchema } from '../../generated/type-schemas.ts';
import type { Codec } from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import { JsonCodec, type JsonCodecParts } from '../json-codec.ts';
import type { JsonObjectReaderOptions } from '../json-object-reader.ts';
import type { ObjectIntakeOptions } from '../object-intake.ts';
import { readEnvelope } from '../protobuf/envelope.ts';
import { messagePlan } from '../protobuf/message-plan.ts';
import { ObjectDecoder } from '../protobuf/object-decoder.ts';
import { type KeeperParts, ProtobufCodec } from '../protobuf/protobuf-codec.ts';
import type { StringTable } from '../protobuf/string-table.ts';
import { WireReader } from '../protobuf/wire-reader.ts';
import { type FieldRules, fieldRules } from './field-filter.ts';
import { JsonFilter } from './json-filter.ts';
import { JsonFormat } from './json-format.ts';
import { JsonKeeper, PackedObjectIntake, PackedObjectReader } from './json-keeper.ts';
import { JsonObjectScanner } from './json-object-scanner.ts';
import { type DamageListener, PackedCached, PackedFamily } from './packed-cached.ts';
import { filteredPlan, ProtobufFilter } from './protobuf-filter.ts';
import { ProtobufFormat } from './protobuf-format.ts';
import { ProtobufKeeper } from './protobuf-keeper.ts';
import { Slabs } from './slabs.ts';

export interface PackedCodecOptions<T extends KubernetesObject> {
  resource: Resource<T>;
  /**
   * What servers are asked for. `auto`: protobuf, and JSON where there is none; `json`: nothing else. Whatever is asked for,
   * the content type of each answer decides how it is read. Default 'auto'.
   */
  encoding?: 'protobuf' | 'json' | 'auto';
  /** Whether objects keep `metadata.managedFields`, which are about half of their size. Default 'drop'. */
  managedFields?: 'keep' | 'drop';
  /**
   * Paths of what is left out of every object before it is stored: `'metadata.annotations'`, `'spec.containers.*.env'`.
   * Segments are separated by dots, `*` is every element of a list or entry of a map, `\.` a dot within a segment; what
   * follows `metadata.labels.` or `metadata.annotations.` is one segment as it stands. Name, namespace, uid and
   * resourceVersion always stay.
   */
  drop?: readonly string[];
  /** Paths of all that is kept; `drop` takes away from that. Default: everything. */
  keep?: readonly string[];
  /** Ask for `PartialObjectMetadata` instead of whole objects. Default false. */
  metadataOnly?: boolean;
  /** An object or a frame larger than this fails the whole list or watch. Default 32 MiB. */
  maxObjectBytes?: number;
  /** Where strings that repeat are remembered; codecs may share one. Default: one of its own. */
  strings?: StringTable;
  /**
   * Hears of each object whose bytes turn out to be damaged when somebody reads them, before that reader gets the error.
   * Called in the middle of a read: must not throw.
   */
  onDamage?: DamageListener<T>;
}

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const STATUS = typeSchema('io.k8s.apimachinery.pkg.apis.meta.v1.Status');

/** Keeps objects as the bytes they came in, outside the heap; a view decodes its fields when they are first read. */
export class PackedCodec<T extends KubernetesObject> implements Codec<T> {
  readonly accept: string;
  readonly acceptWatch: string;
  readonly #slabs = new Slabs();
  readonly #rules: FieldRules | undefined;
  readonly #options: PackedCodecOptions<T>;
  readonly #codec: ProtobufCodec<T>;

  /** Throws `TypeError` when a path cannot be followed. */
  constructor(options: PackedCodecOptions<T>) {
    this.#options = options;
    this.#rules = fieldRules(options);
    const shared = {
      resource: options.resource,
      metadataOnly: options.metadataOnly ?? false,
      managedFields: options.managedFields ?? ('drop' as const),
      ...(options.maxObjectBytes !== undefined && { maxObjectBytes: options.maxObjectBytes }),
    };
    const json = new JsonCodec<T>({ ...shared, partsFor: (reader, intake) => this.#jsonParts(reader, intake) });
    this.#codec = new ProtobufCodec<T>({
      ...shared,
      json,
      ...(options.strings !== undefined && { strings: options.strings }),
      keeperFor: (parts) => this.#protobufKeeper(parts),
    });
    const preferred = options.encoding === 'json' ? json : this.#codec;
    this.accept = preferred.accept;
    this.acceptWatch = preferred.acceptWatch;
  }

  /** The memory that stored objects take outside the heap. */
  get heldBytes(): number {
    return this.#slabs.heldBytes;
  }

  /** How much of it is used by what is stored at present. */
  get liveBytes(): number {
    return this.#slabs.liveBytes;
  }

  readList(body: AsyncIterable<Uint8Array>, contentType: string): Promise<CachedList<T>> {
    return this.#codec.readList(body, contentType);
  }

  async *readWatch(body: AsyncIterable<Uint8Array>, contentType: string): CachedFrames<T> {
    for await (const batch of this.#codec.readWatch(body, contentType)) {
      for (const frame of batch) {
        // It is shown to handlers and not stored: somebody may keep it for long.
        if (frame.type === 'DELETED' && frame.object instanceof PackedCached) frame.object.detach();
      }
      yield batch;
    }
  }

  /** Writes the object as JSON and keeps that. Throws `KeyError`, or `DecodeError` for what JSON cannot hold. */
  fromObject(object: T): Cached<T> {
    return this.#codec.fromObject(object);
  }

  /** Undefined when the body is no Status in protobuf. */
  readStatus(body: Uint8Array, contentType: string): Status | undefined {
    if (STATUS === undefined || contentType.split(';', 1)[0]?.trim().toLowerCase() !== PROTOBUF) return undefined;
    const reader = new WireReader();
    try {
      const { kind, apiVersion, start, end } = readEnvelope(reader, body, 0, body.length);
      if (kind !== 'Status') return undefined;
      return new ObjectDecoder(STATUS, { type: { kind, apiVersion }, reader }).decode(body, start, end) as Status;
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  }

  #jsonParts(reader: JsonObjectReaderOptions, intake: ObjectIntakeOptions): JsonCodecParts<T> {
    const { kind, apiVersion, dropManagedFields } = reader;
    const format = new JsonFormat(kind === '' ? undefined : { kind, apiVersion });
    const onlyMetadata = intake.metadataOf !== undefined;
    const keeper = new JsonKeeper<T>({
      family: new PackedFamily<T>(format, this.#slabs, this.#options.onDamage),
      format,
      scanner: new JsonObjectScanner({ kind, apiVersion, format, dropManagedFields, onlyMetadata }),
      filter: this.#rules && new JsonFilter(this.#rules),
    });
    return { reader: new PackedObjectReader(reader, keeper), intake: new PackedObjectIntake(intake, keeper) };
  }

  #protobufKeeper({ type, schema, reader }: KeeperParts): ProtobufKeeper<T> {
    const whole = messagePlan(schema);
    const plan = this.#rules === undefined ? whole : filteredPlan(whole, this.#rules);
    const format = new ProtobufFormat({ type, plan, reader });
    return new ProtobufKeeper<T>({
      family: new PackedFamily<T>(format, this.#slabs, this.#options.onDamage),
      reader,
      keepManagedFields: this.#options.managedFields === 'keep',
      filter: this.#rules && new ProtobufFilter(whole, this.#rules, reader),
    });
  }
}
