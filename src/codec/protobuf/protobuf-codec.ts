import { ApiError } from '../../api/api-error.ts';
import {
  addBroken,
  type BrokenObject,
  type Cached,
  type CachedFrame,
  type CachedFrames,
  type CachedList,
  PROTOBUF_MEDIA_TYPE,
  type SavedObjects,
} from '../../api/cached.ts';
import type { KubernetesObject, ListMeta } from '../../api/metadata.ts';
import { type Resource, resourceName } from '../../api/resource.ts';
import type { Status } from '../../api/status.ts';
import type { Clock } from '../../observe/clock.ts';
import { TimeSlice } from '../../observe/scheduler.ts';
import type { Codec, CodecMemory, OnBytes } from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import { FrameBatches, type FrameDecoder } from '../frame-batches.ts';
import { acceptJson } from '../json/json-codec.ts';
import type { Keeping, ProtobufKeeper } from '../keeping.ts';
import { type EnvelopeType, readEnvelope } from './envelope.ts';
import { FrameCutter, FrameReader } from './frame-reader.ts';
import { ListCutter } from './list-cutter.ts';
import type { ObjectDecoder } from './object-decoder.ts';
import { type ProtobufReading, statusDecoder } from './protobuf-reading.ts';
import { WireReader } from './wire-reader.ts';

export interface ProtobufCodecOptions<T extends KubernetesObject> {
  resource: Resource<T>;
  /** Makes what reads the answers of servers that have only JSON, and all answers when the resource is not built in; asked once at most. */
  json: () => Codec<T>;
  /** Whether servers are asked for protobuf first, and not only for JSON. */
  isPreferred: boolean;
  /** Ask for `PartialObjectMetadata` instead of whole objects, of custom resources too; `json` must do the same. */
  metadataOnly: boolean;
  /** An object or a frame larger than this fails the whole list or watch. */
  maxObjectBytes: number;
  keeping: Keeping<T>;
  /** Whose turns long answers are read in. Default: the machine's. */
  clock?: Clock | undefined;
  /** Undefined when no schema is known, so that there is nothing but JSON. */
  reading: ProtobufReading | undefined;
}

/** Protobuf where the server has it, else JSON: the content type of each response decides. */
export class ProtobufCodec<T extends KubernetesObject> implements Codec<T> {
  readonly accept: string;
  readonly acceptWatch: string;
  readonly memory?: CodecMemory;
  readonly #resource: Resource<T>;
  readonly #makeJson: () => Codec<T>;
  /** Where servers speak protobuf, it is never made. */
  #madeJson: Codec<T> | undefined;
  readonly #maxObjectBytes: number;
  readonly #clock: Clock | undefined;
  /** Undefined when no schema is known, so that there is nothing but JSON. */
  readonly #protobuf: Protobuf<T> | undefined;

  constructor(options: ProtobufCodecOptions<T>) {
    const { resource, json, isPreferred, metadataOnly, keeping, reading } = options;
    this.#resource = resource;
    this.#makeJson = json;
    this.#maxObjectBytes = options.maxObjectBytes;
    this.#clock = options.clock;
    this.accept = acceptJson('list', metadataOnly);
    this.acceptWatch = acceptJson('watch', metadataOnly);
    if (keeping.memory !== undefined) this.memory = keeping.memory;
    if (reading === undefined) return;
    const keeper = keeping.protobufKeeper(reading);
    this.#protobuf = { reading, keeper, frameReader: new FrameReader(reading, keeper) };
    if (!isPreferred) return;
    const { type } = reading;
    const as = (kind: string) => (metadataOnly ? `;as=${kind};g=meta.k8s.io;v=v1` : '');
    this.accept = `${PROTOBUF_MEDIA_TYPE}${as(`${type.kind}List`)},${this.accept}`;
    this.acceptWatch = `${PROTOBUF_MEDIA_TYPE}${as(type.kind)};stream=watch,${this.acceptWatch}`;
  }

  get #json(): Codec<T> {
    this.#madeJson ??= this.#makeJson();
    return this.#madeJson;
  }

  readList(body: AsyncIterable<Uint8Array>, contentType: string, onBytes?: OnBytes): Promise<CachedList<T>> {
    if (this.#protobuf === undefined || !isProtobuf(contentType))
      return this.#json.readList(body, contentType, onBytes);
    return this.#readList(this.#protobuf, body, onBytes);
  }

  restorer(contentType: string): ((bytes: Buffer, objects: SavedObjects) => Cached<T>[]) | undefined {
    const keeper = this.#protobuf?.keeper;
    return isProtobuf(contentType) ? keeper?.restore?.bind(keeper) : undefined;
  }

  readWatch(body: AsyncIterable<Uint8Array>, contentType: string, onBytes?: OnBytes): CachedFrames<T> {
    if (this.#protobuf === undefined || !isProtobuf(contentType))
      return this.#json.readWatch(body, contentType, onBytes);
    const decoder = new ProtobufFrames(new FrameCutter(this.#maxObjectBytes), this.#protobuf.frameReader);
    return new FrameBatches({ body, decoder, clock: this.#clock, onBytes });
  }

  fromTransform(object: T): Cached<T> {
    return this.#json.fromTransform(object);
  }

  readStatus(body: Uint8Array, contentType: string): Status | undefined {
    if (!isProtobuf(contentType)) return undefined;
    const reader = new WireReader();
    try {
      const { kind, start, end } = readEnvelope(reader, body, 0, body.length);
      if (kind !== 'Status') return undefined;
      return statusDecoder(reader).decode(body, start, end) as Status;
    } catch (error) {
      if (error instanceof DecodeError) return undefined;
      throw error;
    }
  }

  async #readList(
    protobuf: Protobuf<T>,
    body: AsyncIterable<Uint8Array>,
    onBytes: OnBytes | undefined,
  ): Promise<CachedList<T>> {
    const { keeper } = protobuf;
    const { type, reader, listMetaDecoder } = protobuf.reading;
    const isList = ({ kind, apiVersion }: EnvelopeType) => {
      if (kind === `${type.kind}List` && apiVersion === type.apiVersion) return true;
      if (kind === 'Status') return false;
      throw this.#notAList(kind, apiVersion);
    };
    const cutter = new ListCutter({ isList, reader, maxItemBytes: this.#maxObjectBytes });
    const slice = new TimeSlice(this.#clock);
    const items: Cached<T>[] = [];
    const broken: BrokenObject[] = [];
    const where = () => `item ${cutter.itemCount} of the list of ${resourceName(this.#resource)}`;
    for await (const chunk of body) {
      onBytes?.(chunk.length);
      cutter.append(chunk);
      while (cutter.nextItem()) {
        const item = keeper.take(cutter.bytes, cutter.itemStart, cutter.itemEnd, where);
        if ('problem' in item) addBroken(broken, item);
        else items.push(item);
        if (slice.isDue()) await slice.pause();
      }
    }
    cutter.finish();
    if (cutter.other) throw new ApiError(protobuf.reading.statusDecoder.decode(cutter.other) as Status);
    return { items, broken, metadata: listMeta(listMetaDecoder, cutter.metadata) };
  }

  #notAList(kind: string, apiVersion: string): DecodeError {
    const name = resourceName(this.#resource);
    return new DecodeError('unsupported', `expected a list of ${name} and got a ${kind} of ${apiVersion}`);
  }
}

/** From the protobuf of a server to objects in the memory of this codec. */
interface Protobuf<T extends KubernetesObject> {
  readonly reading: ProtobufReading;
  readonly keeper: ProtobufKeeper<T>;
  readonly frameReader: FrameReader<T>;
}

class ProtobufFrames<T extends KubernetesObject> implements FrameDecoder<T> {
  readonly #cutter: FrameCutter;
  readonly #reader: FrameReader<T>;

  constructor(cutter: FrameCutter, reader: FrameReader<T>) {
    this.#cutter = cutter;
    this.#reader = reader;
  }

  append(chunk: Uint8Array): void {
    this.#cutter.append(chunk);
  }

  next(): CachedFrame<T> | undefined {
    const cutter = this.#cutter;
    return cutter.nextFrame() ? this.#reader.read(cutter.bytes, cutter.frameStart, cutter.frameEnd) : undefined;
  }

  end(): void {
    this.#cutter.finish();
  }
}

function isProtobuf(contentType: string): boolean {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() === PROTOBUF_MEDIA_TYPE;
}

/** What a list says about itself, as far as informers use it. */
function listMeta(decoder: ObjectDecoder, message: Buffer | undefined): ListMeta {
  if (message === undefined) return {};
  const { resourceVersion, continue: token, remainingItemCount } = decoder.decode(message) as ListMeta;
  return {
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(token !== undefined && { continue: token }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  };
}
