import { ApiError } from '../../api/api-error.ts';
import { addBroken, type BrokenObject, type Cached, type CachedFrames, type CachedList } from '../../api/cached.ts';
import type { KubernetesObject, ListMeta } from '../../api/metadata.ts';
import { aKind, apiVersionOf, type Resource, resourceName } from '../../api/resource.ts';
import { isStatus } from '../../api/status.ts';
import type { Clock } from '../../observe/clock.ts';
import { TimeSlice } from '../../observe/scheduler.ts';
import type { Codec, OnBytes } from '../codec.ts';
import { DecodeError } from '../decode-error.ts';
import { FrameBatches } from '../frame-batches.ts';
import { ItemTypes } from '../item-types.ts';
import type { JsonKeeper, Keeping } from '../keeping.ts';
import { JsonFrameReader } from './json-frame-reader.ts';
import { JsonListCutter } from './json-list-cutter.ts';

export interface JsonCodecOptions<T extends KubernetesObject> {
  resource: Resource<T>;
  /** Ask for `PartialObjectMetadata` instead of whole objects. */
  metadataOnly: boolean;
  /** An object or a frame larger than this fails the whole list or watch. */
  maxObjectBytes: number;
  keeping: Keeping<T>;
  /** Whose turns long answers are read in. Default: the machine's. */
  clock?: Clock | undefined;
}

const METADATA_KIND = 'PartialObjectMetadata';
const METADATA_API_VERSION = 'meta.k8s.io/v1';

/** Everything in JSON, which every server has for every resource. */
export class JsonCodec<T extends KubernetesObject> implements Codec<T> {
  readonly accept: string;
  readonly acceptWatch: string;
  readonly #resource: Resource<T>;
  readonly #maxObjectBytes: number;
  readonly #keeping: Keeping<T>;
  readonly #clock: Clock | undefined;
  readonly #keeper: JsonKeeper<T>;
  /** Whether the objects are of a kind that only the server knows. */
  readonly #isAnyKind: boolean;
  /** What a list may call itself; undefined when it may have any name. */
  readonly #listKinds: ReadonlySet<unknown> | undefined;

  constructor({ resource, metadataOnly, maxObjectBytes, keeping, clock }: JsonCodecOptions<T>) {
    this.#resource = resource;
    this.#maxObjectBytes = maxObjectBytes;
    this.accept = acceptJson('list', metadataOnly);
    this.acceptWatch = acceptJson('watch', metadataOnly);
    this.#keeper = keeping.jsonKeeper({
      kind: metadataOnly ? METADATA_KIND : resource.kind,
      apiVersion: metadataOnly ? METADATA_API_VERSION : apiVersionOf(resource),
      metadataOf: metadataOnly ? resource : undefined,
    });
    this.#keeping = keeping;
    this.#clock = clock;
    this.#isAnyKind = resource.kind === '' && !metadataOnly;
    this.#listKinds = listKindsOf(resource, metadataOnly);
  }

  async readList(body: AsyncIterable<Uint8Array>, contentType: string, onBytes?: OnBytes): Promise<CachedList<T>> {
    const cutter = new JsonListCutter(this.#maxObjectBytes);
    const slice = new TimeSlice(this.#clock);
    const types = this.#isAnyKind ? new ItemTypes(this.#keeping, this.#keeper, cutter.fields) : undefined;
    const taken: TakenItems<T> = { items: [], broken: [], keeper: types ?? this.#keeper };
    for await (const chunk of body) {
      onBytes?.(chunk.length);
      cutter.append(chunk);
      while (this.#takeItems(cutter, slice, taken)) await slice.pause();
      this.#refuseOtherKinds(cutter, contentType);
    }
    cutter.end();
    while (this.#takeItems(cutter, slice, taken)) await slice.pause();
    cutter.finish();
    if (!cutter.hasItems) throw this.#notAList(cutter, contentType);
    this.#refuseOtherKinds(cutter, contentType);
    const { items, broken } = taken;
    types?.complete(items);
    return { items, broken, metadata: listMetaOf(cutter.fields.get('metadata')) };
  }

  readWatch(body: AsyncIterable<Uint8Array>, _contentType: string, onBytes?: OnBytes): CachedFrames<T> {
    const decoder = new JsonFrameReader(this.#keeper, this.#maxObjectBytes);
    return new FrameBatches({ body, decoder, clock: this.#clock, onBytes });
  }

  fromTransform(object: T): Cached<T> {
    return this.#keeper.fromTransform(object);
  }

  /** Takes what has arrived; true when it is time for a pause, and there may be more. */
  #takeItems(cutter: JsonListCutter, slice: TimeSlice, { items, broken, keeper }: TakenItems<T>): boolean {
    while (cutter.nextItem()) {
      const item = this.#readItem(cutter, keeper);
      if (item === undefined) cutter.rescan();
      else if ('problem' in item) addBroken(broken, item);
      else items.push(item);
      if (slice.isDue()) return true;
    }
    return false;
  }

  /** Undefined when the item was guessed wrong. */
  #readItem(cutter: JsonListCutter, keeper: ItemKeeper<T>): Cached<T> | BrokenObject | undefined {
    if (cutter.isGuess) return keeper.takeWhole(cutter.bytes, cutter.itemStart, cutter.itemEnd);
    const where = () => `item ${cutter.itemCount} of the list of ${resourceName(this.#resource)}`;
    return (
      keeper.take(cutter.bytes, cutter.itemStart, cutter.itemEnd, where) ?? {
        problem: new DecodeError('malformed', `${where()} is not valid JSON`),
      }
    );
  }

  /** As soon as it is known, so that a Table of any size is not read to its end first. */
  #refuseOtherKinds(cutter: JsonListCutter, contentType: string): void {
    const kind = cutter.fields.get('kind');
    if (kind === 'Table') throw this.#notAList(cutter, contentType);
    if (typeof kind !== 'string' || !kind.endsWith('List') || (this.#listKinds?.has(kind) ?? true)) return;
    throw new DecodeError('unsupported', `expected a list of ${resourceName(this.#resource)} and got ${aKind(kind)}`);
  }

  #notAList(cutter: JsonListCutter, contentType: string): Error {
    const body: unknown = Object.fromEntries(cutter.fields);
    if (isStatus(body)) return new ApiError(body);
    const kind = cutter.fields.get('kind');
    const what = typeof kind === 'string' ? aKind(kind) : 'something without a kind';
    return new DecodeError(
      'unsupported',
      `expected a list of ${resourceName(this.#resource)} and got ${what} without "items" (${contentType || 'no content type'})`,
    );
  }
}

interface TakenItems<T extends KubernetesObject> {
  readonly items: Cached<T>[];
  readonly broken: BrokenObject[];
  readonly keeper: ItemKeeper<T>;
}

type ItemKeeper<T extends KubernetesObject> = Pick<JsonKeeper<T>, 'takeWhole' | 'take'>;

/**
 * Items of lists do not say what they are, so that the list of another resource would be taken for a list of this one. The lists of
 * built-in groups are all named alike; a custom resource, whose group has a dot, may have any name for its list.
 */
function listKindsOf({ kind, group }: Resource, metadataOnly: boolean): ReadonlySet<unknown> | undefined {
  if (kind === '' || group.includes('.')) return undefined;
  return new Set(['List', `${kind}List`, ...(metadataOnly ? [`${METADATA_KIND}List`] : [])]);
}

/** A server that cannot reduce objects answers the second form, and they are reduced here. */
export function acceptJson(verb: 'list' | 'watch', metadataOnly: boolean): string {
  if (!metadataOnly) return 'application/json';
  return `${asMetadata(verb === 'list' ? `${METADATA_KIND}List` : METADATA_KIND)},application/json`;
}

function asMetadata(kind: string): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
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
