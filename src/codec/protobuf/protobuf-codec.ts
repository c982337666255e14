import { ApiError } from '../../api/api-error.ts';
import {
  addBroken,
  type BrokenObject,
  type Cached,
  type CachedFrames,
  type CachedList,
  PROTOBUF_MEDIA_TYPE,
  type SavedObjects,
} from '../../api/cached.ts';
import type { KubernetesObject, ListMeta } from '../../api/metadata.ts';
import { aKind, resourceName } from '../../api/resource.ts';
import type { Status } from '../../api/status.ts';
import { Pulled } from '../../observe/pulled.ts';
import { TimeSlice } from '../../observe/scheduler.ts';
import type { Codec, CodecMemory, OnBytes } from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import { FrameBatches } from '../frame-batches.ts';
import { acceptJson, JsonCodec, type JsonCodecOptions } from '../json/json-codec.ts';
import type { ProtobufKeeper } from '../keeping.ts';
import { type EnvelopeType, readEnvelope } from './envelope.ts';
import { FrameCutter, FrameReader } from './frame-reader.ts';
import { ListCutter } from './list-cutter.ts';
import type { ObjectDecoder } from './object-decoder.ts';
import { type ProtobufReading, statusDecoder } from './protobuf-reading.ts';
import { WireReader } from './wire-reader.ts';

export interface ProtobufCodecOptions<T extends KubernetesObject> extends JsonCodecOptions<T> {
  /** Whether servers are asked for protobuf first, and not only for JSON. */
  isPreferred: boolean;
  /** Undefined when no schema is known, so that there is nothing but JSON. */
  reading: ProtobufReading | undefined;
}

/** Protobuf where the server has it, else JSON: the content type of each response decides. */
export class ProtobufCodec<T extends KubernetesObject> implements Codec<T> {
  readonly accept: string;
  readonly acceptWatch: string;
  readonly memory?: CodecMemory;
  readonly #options: JsonCodecOptions<T>;
  /** Reads the answers of servers that have only JSON, and all answers when the resource is not built in. Made when it is needed. */
  #madeJson: JsonCodec<T> | undefined;
  /** Undefined when no schema is known, so that there is nothing but JSON. */
  readonly #protobuf: Protobuf<T> | undefined;

  constructor(options: ProtobufCodecOptions<T>) {
    const { isPreferred, metadataOnly, keeping, reading } = options;
    this.#options = options;
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

  get #json(): JsonCodec<T> {
    this.#madeJson ??= new JsonCodec(this.#options);
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
    const { maxObjectBytes, clock } = this.#options;
    const decoder = new FrameCutter(maxObjectBytes, this.#protobuf.frameReader);
    return new FrameBatches({ body, decoder, clock, onBytes });
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
    const { resource, maxObjectBytes, clock } = this.#options;
    const { type, reader, listMetaDecoder } = protobuf.reading;
    const isList = ({ kind, apiVersion }: EnvelopeType) => {
      if (kind === `${type.kind}List` && apiVersion === type.apiVersion) return true;
      if (kind === 'Status') return false;
      const wanted = `a list of ${resourceName(resource)}`;
      throw new DecodeError('unsupported', `expected ${wanted} and got ${aKind(kind)} of ${apiVersion}`);
    };
    const cutter = new ListCutter({ isList, reader, maxItemBytes: maxObjectBytes });
    const slice = new TimeSlice(clock);
    const items: Cached<T>[] = [];
    const broken: BrokenObject[] = [];
    const where = () => `item ${cutter.itemCount} of the list of ${resourceName(resource)}`;
    let unlooked = 0;
    const takeItems = (): void | Promise<void> => {
      while (cutter.nextItem()) {
        const item = keeper.take(cutter.bytes, cutter.itemStart, cutter.itemEnd, where);
        if ('problem' in item) addBroken(broken, item);
        else items.push(item);
        unlooked += cutter.itemEnd - cutter.itemStart;
        if (unlooked < BYTES_AT_ONCE) continue;
        unlooked = 0;
        if (slice.isDue()) return slice.pause().then(takeItems);
      }
    };
    const chunks = Pulled.from(body);
    try {
      await chunks.each((chunk) => {
        onBytes?.(chunk.length);
        cutter.append(chunk);
        return takeItems();
      });
    } catch (error) {
      await chunks.return().catch(() => {});
      throw error;
    }
    cutter.finish();
    if (cutter.other) throw new ApiError(protobuf.reading.statusDecoder.decode(cutter.other) as Status);
    return { items, broken, metadata: listMeta(listMetaDecoder, cutter.metadata) };
  }
}

/** So much of a list is taken before a look at the clock. */
const BYTES_AT_ONCE = 16 * 1024;

/** From the protobuf of a server to objects in the memory of this codec. */
interface Protobuf<T extends KubernetesObject> {
  readonly reading: ProtobufReading;
  readonly keeper: ProtobufKeeper<T>;
  readonly frameReader: FrameReader<T>;
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
