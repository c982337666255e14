import { ApiError } from '../api/api-error.ts';
import type { BrokenObject, Cached, CachedFrame, CachedFrames, CachedList } from '../api/cached.ts';
import type { KubernetesObject, ListMeta } from '../api/metadata.ts';
import { apiVersionOf, type Resource, resourceName } from '../api/resource.ts';
import { isStatus } from '../api/status.ts';
import { TimeSlice } from '../observe/time-slice.ts';
import type { Codec } from './codec.ts';
import { DecodeError } from './decode-error.ts';
import { JsonFrameCutter } from './json-frame-cutter.ts';
import { JsonFrameReader } from './json-frame-reader.ts';
import { JsonListCutter } from './json-list-cutter.ts';
import { JsonObjectReader, type JsonObjectReaderOptions } from './json-object-reader.ts';
import { ObjectIntake, type ObjectIntakeOptions } from './object-intake.ts';

export interface JsonCodecOptions<T extends KubernetesObject> {
  resource: Resource<T>;
  /** Whether objects keep `metadata.managedFields`, which are about half of their size. Default 'drop'. */
  managedFields?: 'keep' | 'drop';
  /** Ask for `PartialObjectMetadata` instead of whole objects. Default false. */
  metadataOnly?: boolean;
  /** An object or a frame larger than this fails the whole list or watch. Default 32 MiB. */
  maxObjectBytes?: number;
  /** Makes what reads objects, for a codec that keeps them in another way. Default: decoded objects. */
  partsFor?: (reader: JsonObjectReaderOptions, intake: ObjectIntakeOptions) => JsonCodecParts<T>;
}

export interface JsonCodecParts<T extends KubernetesObject> {
  readonly reader: JsonObjectReader;
  /** Takes whatever the reader returns. */
  readonly intake: ObjectIntake<T>;
}

const DEFAULT_MAX_OBJECT_BYTES = 32 * 1024 * 1024;
/** A transport in process may hand over a whole body as one chunk; it is taken in pieces, and not copied as a whole. */
const PIECE_BYTES = 256 * 1024;

const METADATA_KIND = 'PartialObjectMetadata';
const METADATA_API_VERSION = 'meta.k8s.io/v1';

/** Plain JSON, decoded at once. */
export class JsonCodec<T extends KubernetesObject> implements Codec<T> {
  readonly accept: string;
  readonly acceptWatch: string;
  readonly #resource: Resource<T>;
  readonly #maxObjectBytes: number;
  readonly #reader: JsonObjectReader;
  readonly #intake: ObjectIntake<T>;
  readonly #frameReader: JsonFrameReader<T>;

  constructor(options: JsonCodecOptions<T>) {
    const { resource, managedFields = 'drop', metadataOnly = false } = options;
    this.#resource = resource;
    this.#maxObjectBytes = options.maxObjectBytes ?? DEFAULT_MAX_OBJECT_BYTES;
    // A server that cannot reduce objects answers the second form, and they are reduced here.
    this.accept = metadataOnly ? `${asMetadata(`${METADATA_KIND}List`)},application/json` : 'application/json';
    this.acceptWatch = metadataOnly ? `${asMetadata(METADATA_KIND)},application/json` : 'application/json';
    const kind = metadataOnly ? METADATA_KIND : resource.kind;
    const apiVersion = metadataOnly ? METADATA_API_VERSION : apiVersionOf(resource);
    const readerOptions = { kind, apiVersion, dropManagedFields: managedFields === 'drop' };
    const intakeOptions = { kind, apiVersion, metadataOf: metadataOnly ? resource : undefined };
    const parts = options.partsFor?.(readerOptions, intakeOptions);
    this.#reader = parts?.reader ?? new JsonObjectReader(readerOptions);
    this.#intake = parts?.intake ?? new ObjectIntake(intakeOptions);
    this.#frameReader = new JsonFrameReader(this.#reader, this.#intake);
  }

  async readList(body: AsyncIterable<Uint8Array>, contentType: string): Promise<CachedList<T>> {
    const cutter = new JsonListCutter(this.#maxObjectBytes);
    const slice = new TimeSlice();
    const items: Cached<T>[] = [];
    const broken: BrokenObject[] = [];
    for await (const chunk of body) {
      for (const piece of piecesOf(chunk)) {
        cutter.append(piece);
        while (cutter.nextItem()) {
          const item = this.#readItem(cutter);
          if ('problem' in item) broken.push(item);
          else items.push(item);
          if (slice.isDue()) await slice.pause();
        }
        this.#refuseOtherKinds(cutter, contentType);
      }
    }
    cutter.finish();
    if (!cutter.hasItems) throw this.#notAList(cutter, contentType);
    return { items, broken, metadata: listMetaOf(cutter.fields.get('metadata')) };
  }

  async *readWatch(body: AsyncIterable<Uint8Array>, _contentType: string): CachedFrames<T> {
    const cutter = new JsonFrameCutter(this.#maxObjectBytes);
    const slice = new TimeSlice();
    for await (const chunk of body) {
      for (const piece of piecesOf(chunk)) {
        cutter.append(piece);
        yield* this.#framesIn(cutter, slice);
      }
    }
    cutter.end();
    yield* this.#framesIn(cutter, slice);
  }

  fromObject(object: T): Cached<T> {
    return this.#intake.take(this.#reader.isComplete(object) ? object : this.#reader.complete(copyOf(object)));
  }

  async *#framesIn(cutter: JsonFrameCutter, slice: TimeSlice): CachedFrames<T> {
    let batch: CachedFrame<T>[] = [];
    for (let kind = cutter.nextFrame(); kind !== undefined; kind = cutter.nextFrame()) {
      const frame = this.#frameReader.read(cutter.bytes, cutter.frameStart, cutter.frameEnd, kind);
      if (frame === undefined) {
        cutter.rescan();
        continue;
      }
      batch.push(frame);
      if (slice.isDue()) {
        yield batch;
        batch = [];
        await slice.pause();
      }
    }
    if (batch.length > 0) yield batch;
  }

  #readItem(cutter: JsonListCutter): Cached<T> | BrokenObject {
    const where = `item ${cutter.itemCount} of the list of ${resourceName(this.#resource)}`;
    try {
      return this.#intake.takeOrExplain(this.#reader.read(cutter.bytes, cutter.itemStart, cutter.itemEnd), where);
    } catch {
      return { problem: new DecodeError('malformed', `${where} is not valid JSON`) };
    }
  }

  /** As soon as it is known, lest a Table of any size be read to its end first. */
  #refuseOtherKinds(cutter: JsonListCutter, contentType: string): void {
    if (cutter.fields.get('kind') === 'Table') throw this.#notAList(cutter, contentType);
  }

  #notAList(cutter: JsonListCutter, contentType: string): Error {
    const body: unknown = Object.fromEntries(cutter.fields);
    if (isStatus(body)) return new ApiError(body);
    const kind = cutter.fields.get('kind');
    const what = typeof kind === 'string' ? `a ${kind}` : 'something without a kind';
    return new DecodeError(
      'unsupported',
      `expected a list of ${resourceName(this.#resource)} and got ${what} without "items" (${contentType || 'no content type'})`,
    );
  }
}

function asMetadata(kind: string): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}

function* piecesOf(chunk: Uint8Array): Iterable<Uint8Array> {
  for (let start = 0; start < chunk.length; start += PIECE_BYTES) yield chunk.subarray(start, start + PIECE_BYTES);
}

/** As deep as completion may change it. */
function copyOf<T extends KubernetesObject>(object: T): T {
  const metadata = object?.metadata;
  return typeof metadata === 'object' && metadata !== null ? { ...object, metadata: { ...metadata } } : { ...object };
}

function listMetaOf(metadata: unknown): ListMeta {
  if (typeof metadata !== 'object' || metadata === null) return {};
  const meta: { [Field in keyof ListMeta]?: unknown } = metadata;
  return {
    ...(typeof meta.resourceVersion === 'string' && { resourceVersion: meta.resourceVersion }),
    ...(typeof meta.continue === 'string' && { continue: meta.continue }),
    ...(typeof meta.remainingItemCount === 'number' && { remainingItemCount: meta.remainingItemCount }),
  };
}
