import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { Clock } from '../observe/clock.ts';
import type { Codec } from './codec.ts';
import type { KeepOptions } from './keep-options.ts';
import type { Keeping } from './keeping.ts';
import type { DamageListener } from './packed/packed-cached.ts';
import { PackedKeeping } from './packed/packed-keeping.ts';
import { PlainKeeping } from './plain/plain-keeping.ts';
import { ProtobufCodec } from './protobuf/protobuf-codec.ts';
import { ProtobufReading } from './protobuf/protobuf-reading.ts';
import type { StringTable } from './protobuf/wire-reader.ts';

export interface ResourceCodecOptions<T extends KubernetesObject> extends KeepOptions {
  resource: Resource<T>;
  /** Ask for `PartialObjectMetadata` instead of whole objects. Default false. */
  metadataOnly?: boolean;
  /** Where strings that repeat are remembered; codecs may share one. Default: one of its own. */
  strings?: StringTable;
  /**
   * Hears of each object of a packed store whose bytes turn out to be damaged when somebody reads them, before that reader
   * gets the error. Called in the middle of a read: must not throw. In a plain store such an object is broken on arrival.
   */
  onDamage?: DamageListener<T>;
  /** Whose turns long answers are read in. Default: the machine's. */
  clock?: Clock;
}

const DEFAULT_MAX_OBJECT_BYTES = 32 * 1024 * 1024;

/**
 * Makes codecs of one resource, as the options say. Each keeps objects in memory of its own; how to read them they share. Whatever servers
 * are asked for, the content type of each answer decides how it is read. Throws `TypeError` when a path cannot be followed.
 */
export function resourceCodecs<T extends KubernetesObject>(options: ResourceCodecOptions<T>): () => Codec<T> {
  const { resource, metadataOnly = false, maxObjectBytes = DEFAULT_MAX_OBJECT_BYTES, strings, clock } = options;
  const isPreferred = options.encoding !== 'json';
  const like: Keeping<T> = options.store === 'plain' ? new PlainKeeping<T>(options) : PackedKeeping.by<T>(options);
  const reading = ProtobufReading.of(resource, metadataOnly, strings);
  const parts = { resource, metadataOnly, maxObjectBytes, clock, isPreferred, reading };
  return () => new ProtobufCodec<T>({ ...parts, keeping: like.sibling() });
}

/** One of them. */
export function resourceCodec<T extends KubernetesObject>(options: ResourceCodecOptions<T>): Codec<T> {
  return resourceCodecs(options)();
}
