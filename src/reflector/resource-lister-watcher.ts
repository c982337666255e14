import type { Cached, CachedFrames, CachedList } from '../api/cached.ts';
import { type ListOptions, listQuery } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { isPromise } from '../api/promise-like.ts';
import { type Resource, resourcePath } from '../api/resource.ts';
import { refusalOf } from '../api/response-body.ts';
import type { Status } from '../api/status.ts';
import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';
import type { Clock } from '../observe/clock.ts';
import type { CachedListerWatcher, CallContext } from './lister-watcher.ts';

/** The part of a codec that is needed here. */
export interface ResourceCodec<T extends KubernetesObject> {
  readonly accept: string;
  readonly acceptWatch: string;
  readList(
    body: AsyncIterable<Uint8Array>,
    contentType: string,
    onBytes?: (count: number) => void,
  ): Promise<CachedList<T>>;
  readWatch(body: AsyncIterable<Uint8Array>, contentType: string, onBytes?: (count: number) => void): CachedFrames<T>;
  /** For a server that says no in the codec's own format. Undefined when the body is not a Status in it. */
  readStatus?(body: Uint8Array, contentType: string): Status | undefined;
}

export interface ResourceListerWatcherOptions<T extends KubernetesObject> {
  transport: Transport;
  codec: ResourceCodec<T>;
  resource: Resource<T>;
  /** Unset or empty: all namespaces. Ignored for cluster-scoped resources. */
  namespace?: string;
  /**
   * Changes the options of every list and watch; if it returns an object, that is used. When it throws, or returns a promise,
   * the list or watch has failed. client-go: TweakListOptionsFunc.
   */
  tweakListOptions?: (options: ListOptions) => void;
  /** Whose time the limits of each request go by. Default: the transport's own. */
  clock?: Clock;
}

/** How much longer than the watch itself its head may take: some proxies hold it back until the first event. */
const WATCH_HEADERS_MARGIN_MS = 30_000;
const DEFAULT_WATCH_SECONDS = 600;

/** Lists and watches one resource of a cluster, each call with one request. */
export class ResourceListerWatcher<T extends KubernetesObject> implements CachedListerWatcher<T> {
  readonly #options: ResourceListerWatcherOptions<T>;
  readonly #path: string;

  constructor(options: ResourceListerWatcherOptions<T>) {
    this.#options = options;
    this.#path = resourcePath(options.resource, { namespace: options.namespace });
  }

  /** What every list and watch asks for beside its version. Undefined when that cannot be told. */
  readonly selection = (): string | undefined => {
    try {
      return listQuery(this.#tweaked({}));
    } catch {
      return undefined;
    }
  };

  list(options: ListOptions, context: CallContext): Promise<CachedList<T>> {
    return this.#list(this.#path, this.#tweaked(options), context);
  }

  listOne({ namespace, name }: Pick<Cached, 'namespace' | 'name'>, context: CallContext): Promise<CachedList<T>> {
    const options = this.#tweaked({});
    const byName = `metadata.name=${name.replace(/[\\,=]/g, '\\$&')}`;
    const fieldSelector = options.fieldSelector ? `${options.fieldSelector},${byName}` : byName;
    const path = resourcePath(this.#options.resource, { namespace });
    return this.#list(path, { ...options, fieldSelector }, context);
  }

  async #list(path: string, options: ListOptions, context: CallContext): Promise<CachedList<T>> {
    const { codec } = this.#options;
    const response = await this.#get(context, { path, query: listQuery(options), headers: { accept: codec.accept } });
    return await codec.readList(response.body, contentType(response), context.onBytes);
  }

  async watch(options: ListOptions, context: CallContext): Promise<CachedFrames<T>> {
    const { codec } = this.#options;
    const tweaked = this.#tweaked(options);
    const response = await this.#get(context, {
      path: this.#path,
      query: listQuery({ ...tweaked, watch: true }),
      headers: { accept: codec.acceptWatch },
      headersTimeoutMs: (tweaked.timeoutSeconds ?? DEFAULT_WATCH_SECONDS) * 1000 + WATCH_HEADERS_MARGIN_MS,
    });
    return codec.readWatch(response.body, contentType(response), context.onBytes);
  }

  /** Throws when the server says no. */
  async #get(
    { signal, cause }: CallContext,
    asked: Pick<TransportRequest, 'path' | 'query' | 'headers' | 'headersTimeoutMs'>,
  ): Promise<TransportResponse> {
    const { transport, codec, clock } = this.#options;
    const context = { signal, ...(clock && { clock }), ...(cause !== undefined && { cause }) };
    const response = await transport.request({ method: 'GET', reuseChunks: true, ...asked, ...context });
    if (response.status >= 200 && response.status < 300) return response;
    const readStatus = (body: Uint8Array) => codec.readStatus?.(body, contentType(response));
    throw await refusalOf(response, `GET ${asked.path}`, signal, readStatus);
  }

  #tweaked(options: ListOptions): ListOptions {
    const copy = { ...options };
    const returned: unknown = this.#options.tweakListOptions?.(copy);
    if (isPromise(returned)) {
      throw new TypeError('tweakListOptions returned a promise: it must change the options that it is given, at once');
    }
    return typeof returned === 'object' && returned !== null ? (returned as ListOptions) : copy;
  }
}

function contentType({ headers }: TransportResponse): string {
  return headers.get('content-type') ?? '';
}
