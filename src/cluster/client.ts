import { listQuery } from '../api/list-options.ts';
import type { Answered, KubernetesList, KubernetesObject, Stored, TypeMeta } from '../api/metadata.ts';
import { checkedOptions } from '../api/option-check.ts';
import { reductionOf } from '../api/origin.ts';
import type { AppliedObject, JsonPatchOperation, MergePatch, StrategicMergePatch } from '../api/patch.ts';
import {
  aKind,
  apiVersionOf,
  checkName,
  checkNamespace,
  type Resource,
  resourceName,
  resourcePath,
} from '../api/resource.ts';
import type { Status } from '../api/status.ts';
import type { TransportRequest } from '../api/transport.ts';
import { TransportError } from '../api/transport-error.ts';
import type { WatchEvent } from '../api/watch-event.ts';
import { messageOf } from '../observe/guarded.ts';
import { InterruptibleStream } from '../observe/interruptible-stream.ts';
import type { ApiRequests } from './api-requests.ts';
import {
  type ApplyOptions,
  type CallOptions,
  CLIENT_CHECKS,
  type CreateOptions,
  type DeleteCollectionOptions,
  type DeleteOptions,
  type GetOptions,
  type ListCallOptions,
  type PatchOptions,
  type PatchType,
  type StatusOptions,
  type WaitUntilOptions,
  type WriteOptions,
} from './client-options.ts';
import { checkFieldManager } from './field-manager.ts';
import { jsonLines } from './json-lines.ts';
import { listAll, listPages } from './list-pages.ts';
import { objectMeeting } from './object-wait.ts';
import { statusPatch } from './status-patch.ts';

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** What a `Client` is made of; `cluster.client(resource)` fills it in. */
export interface ClientOptions<T extends KubernetesObject> {
  /** Whose objects these are. */
  resource: Resource<T>;
  /** How it asks the server. */
  requests: ApiRequests;
  /** Where all calls go that do not say otherwise. Unset: see `Client`. */
  namespace: string | undefined;
  /** The cluster's own. */
  defaultNamespace: string;
  /** For writes that do not name their own. */
  fieldManager: string | undefined;
}

/** What `cluster.client(tokenReviews)` gives, and for all else that a server answers and stores nowhere. */
export interface AnsweredClient<T extends KubernetesObject = KubernetesObject> {
  readonly resource: Resource<T>;
  create(object: T, options?: CreateOptions): Promise<Answered<T>>;
}

/**
 * The objects of one resource on the server. Waits and repeats when the server asks for it (`Retry-After`), throws an
 * `ApiError` for its no and a `TransportError` when there was no answer.
 *
 * For a namespaced resource the namespace is the call's, else the object's own, else the client's; after that,
 * `list`, `listPages`, `listAll` and `watch` mean all namespaces, as they do with `''`, and everything else the cluster's
 * default one. A namespace that cannot be one, and a name that would change the path, are a `TypeError`, before any request.
 */
export class Client<T extends KubernetesObject = KubernetesObject> {
  readonly resource: Resource<T>;
  readonly #options: ClientOptions<T>;

  constructor(options: ClientOptions<T>) {
    this.resource = options.resource;
    if (options.namespace) checkNamespace(options.namespace);
    checkFieldManager(options.fieldManager);
    this.#options = options;
  }

  /** One object. Rejects with an `ApiError` of kind `not-found` when there is none of that name. */
  async get<S extends KubernetesObject = T>(name: string, options: GetOptions = {}): Promise<Stored<NoInfer<S>>> {
    this.#check('get', options);
    const { resourceVersion, subresource } = options;
    const query = queryOf({ resourceVersion });
    return this.#json<Stored<S>>(
      { method: 'GET', path: this.path(options, checkName(name), subresource), query },
      options,
    );
  }

  /** One request, one page when `limit` is set. Items carry `kind` and `apiVersion`, which the wire leaves out. */
  async list(options: ListCallOptions = {}): Promise<KubernetesList<Stored<T>>> {
    this.#check('list', options);
    const { namespace, signal: _, ...listOptions } = options;
    const path = this.#collection(namespace);
    return this.#filled(await this.#json({ method: 'GET', path, query: listQuery(listOptions) }, options));
  }

  /**
   * Page by page, 500 objects at a time unless `limit` says otherwise; each object once. When the server has forgotten
   * the snapshot in the middle (410), what is left comes from a newer one, in one last page.
   */
  listPages(options: ListCallOptions = {}): AsyncGenerator<KubernetesList<Stored<T>>, void, undefined> {
    this.#check('listPages', options);
    return listPages((page) => this.list(page), options);
  }

  /** Everything in one list, read in pages; after a 410 in the middle, once more in one piece. client-go's `ListPager.List`. */
  async listAll(options: ListCallOptions = {}): Promise<KubernetesList<Stored<T>>> {
    this.#check('listAll', options);
    return listAll((page) => this.list(page), options);
  }

  /** Of a subresource (`eviction`, `token`), what the server answers; it stores nothing of it. */
  async create<S extends KubernetesObject = T>(
    object: NoInfer<S>,
    options?: CreateOptions & { subresource?: undefined },
  ): Promise<Stored<NoInfer<S>>>;
  async create<S extends KubernetesObject = T>(
    object: NoInfer<S>,
    options: CreateOptions,
  ): Promise<Answered<NoInfer<S>>>;
  async create<S extends KubernetesObject = T>(
    object: NoInfer<S>,
    options: CreateOptions = {},
  ): Promise<Answered<NoInfer<S>>> {
    this.#check('create', options);
    const name = options.subresource === undefined ? undefined : (options.name ?? nameOf(object));
    const path = this.path(withNamespace(object, options), name, options.subresource);
    return this.#write('POST', path, this.#typed(object, options), options);
  }

  /**
   * Replaces the object; with its `resourceVersion` set, only if it is still that version (else a 409). Throws `TypeError` for
   * an object of a cache that leaves out a part of it (`drop`, `keep`, a transform), which the server would delete; a copy
   * by spread or `structuredClone` cannot be told from a whole object.
   */
  async update<S extends KubernetesObject = T>(
    object: NoInfer<S>,
    options: WriteOptions = {},
  ): Promise<Stored<NoInfer<S>>> {
    this.#check('update', options);
    mustBeWhole(object, options.subresource, 'update');
    const path = this.path(withNamespace(object, options), nameOf(object), options.subresource);
    return this.#write('PUT', path, this.#typed(object, options), options);
  }

  /**
   * Changes fields of the object, whatever else it holds. By `type`: a merge patch, a strategic merge patch, or the steps of a
   * JSON patch.
   */
  patch<S extends KubernetesObject = T>(
    name: string,
    patch: readonly JsonPatchOperation[],
    options: PatchOptions & { type: 'json' },
  ): Promise<Stored<NoInfer<S>>>;
  patch<S extends KubernetesObject = T>(
    name: string,
    patch: StrategicMergePatch<NoInfer<S>>,
    options: PatchOptions & { type: 'strategic' },
  ): Promise<Stored<NoInfer<S>>>;
  patch<S extends KubernetesObject = T>(
    name: string,
    patch: MergePatch<NoInfer<S>>,
    options?: PatchOptions & { type?: 'merge' | undefined },
  ): Promise<Stored<NoInfer<S>>>;
  async patch<S extends KubernetesObject = T>(
    name: string,
    patch: object,
    options: PatchOptions = {},
  ): Promise<Stored<NoInfer<S>>> {
    this.#check('patch', options);
    const path = this.path(options, checkName(name), options.subresource);
    return this.#write('PATCH', path, patch, options, PATCH_TYPES[options.type ?? 'merge']);
  }

  /**
   * Merges these fields into the status of the object, by its status subresource. A field that is null is removed, one that is undefined or not
   * mentioned stays as it is, and a list replaces the list. Sends nothing when the object has all of it already, and returns that object; so
   * it may be called at the end of every run. When there is a list in it, the object must still be of the version that was given: else a 409.
   */
  async patchStatus<S extends KubernetesObject = T>(
    object: S,
    status: object,
    options: StatusOptions = {},
  ): Promise<S> {
    this.#check('patchStatus', options);
    const name = nameOf(object);
    const patch = statusPatch(object, status);
    if (patch === undefined) return object;
    return this.patch<S>(name, patch as MergePatch<S>, {
      ...options,
      ...withNamespace(object, options),
      subresource: 'status',
    });
  }

  /**
   * Server-side apply: the object holds the fields that this manager wants to own, and is made if it is missing. Fields that
   * the manager has applied before and leaves out now are removed; so two programs must not share a manager. Without one, of
   * the call, the client or the cluster, it throws a `TypeError`; so it does for an object of a cache that leaves out a part of it,
   * as `update` does.
   */
  async apply<S extends KubernetesObject = T>(
    applied: AppliedObject<NoInfer<S>>,
    options: ApplyOptions = {},
  ): Promise<Stored<NoInfer<S>>> {
    this.#check('apply', options);
    const object = applied as KubernetesObject;
    if ((options.fieldManager ?? this.#options.fieldManager) === undefined) {
      throw new TypeError(
        'apply needs a fieldManager, the name of the program that owns the fields: give it to this call, to cluster.client(resource, { fieldManager }), or to Cluster.connect({ fieldManager })',
      );
    }
    mustBeWhole(object, options.subresource, 'apply');
    const path = this.path(withNamespace(object, options), nameOf(object), options.subresource);
    return this.#write('PATCH', path, this.#typed(object, {}), options, 'application/apply-patch+yaml');
  }

  /** The object as it is on its way out (finalizers, grace period), or a Status when it is gone at once. */
  async delete(name: string, options: DeleteOptions = {}): Promise<Stored<T> | Status> {
    this.#check('delete', options);
    return this.#json(
      { method: 'DELETE', path: this.path(options, checkName(name)), ...this.#deleteBody(options) },
      options,
    );
  }

  /** Deletes all objects that the selectors match; all of the namespace, or of the cluster, without one. Gives what the server says: those objects, or a Status. */
  async deleteCollection(options: DeleteCollectionOptions = {}): Promise<KubernetesList<Stored<T>> | Status> {
    this.#check('deleteCollection', options);
    const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = options;
    const query = queryOf({ labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch });
    const body = this.#deleteBody(options);
    return this.#json({ method: 'DELETE', path: this.path(options), query, ...body }, options);
  }

  /**
   * One watch, as it comes over the wire: an expired `resourceVersion` is an ERROR event (or an `ApiError` before the
   * first). Ends when the server ends it, when the signal aborts, and as soon as it is left: by `break`, by `return`, or at the end of
   * the scope of an `await using`, also while it waits for an event. Throws a `TransportError` when the connection breaks.
   * An informer is what follows a resource for longer.
   */
  watch(options: ListCallOptions = {}): AsyncGenerator<WatchEvent<Stored<T>>, void, undefined> {
    this.#check('watch', options);
    return new InterruptibleStream((ended) => this.#events(options, ended), options.signal);
  }

  /**
   * Resolves, with the object, as soon as `predicate` is true of the object of this name, on one watch of that name: for programs without an
   * informer. The predicate is asked at once and for each change, with undefined when there is no such object; it must answer at once, and
   * what it throws, this rejects with. Broken connections and an expired history are retried; a no of the server that no retry can change
   * (403, a type that is not served) rejects. Rejects with the signal's reason when `signal` aborts, and after `timeoutMs`.
   *
   * ```ts
   * await cluster.client(deployments).waitUntil('web', deploymentAvailable, { timeoutMs: 60_000 });
   * ```
   */
  waitUntil<R extends Stored<T> | undefined>(
    name: string,
    predicate: (object: Stored<T> | undefined) => object is R,
    options?: WaitUntilOptions,
  ): Promise<R>;
  waitUntil(
    name: string,
    predicate: (object: Stored<T> | undefined) => boolean,
    options?: WaitUntilOptions,
  ): Promise<Stored<T> | undefined>;
  async waitUntil(
    name: string,
    predicate: (object: Stored<T> | undefined) => boolean,
    options: WaitUntilOptions = {},
  ): Promise<Stored<T> | undefined> {
    this.#check('waitUntil', options);
    if (typeof predicate !== 'function') throw new TypeError('waitUntil needs a predicate: (object) => true or false');
    const namespace = options.namespace ?? this.#options.namespace ?? this.#options.defaultNamespace;
    const path = this.path({ namespace }, checkName(name));
    return objectMeeting<T>({
      what: path,
      name,
      predicate,
      signal: options.signal,
      timeoutMs: options.timeoutMs,
      requests: this.#options.requests,
      list: (listOptions) => this.list({ ...listOptions, namespace }),
      watch: (listOptions) => this.watch({ ...listOptions, namespace }),
    });
  }

  async *#events(
    options: ListCallOptions,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent<Stored<T>>, void, undefined> {
    const { namespace, signal: _, ...listOptions } = options;
    const path = this.#collection(namespace);
    const query = listQuery({ ...listOptions, watch: true });
    try {
      // A quiet watch may answer with its first event only, when a proxy holds the head back.
      const request = { method: 'GET', path, query, headersTimeoutMs: 0, signal } as const;
      const response = await this.#options.requests.open({ ...request, headers: { accept: 'application/json' } });
      for await (const line of jsonLines(response.body)) yield parseEvent<Stored<T>>(line, path);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #check(call: keyof typeof CLIENT_CHECKS, options: object): void {
    checkedOptions(`${call} of ${resourceName(this.resource)}`, options, CLIENT_CHECKS[call]);
  }

  /** @internal */
  protected path(options: CallOptions, name?: string, subresource?: string): string {
    const namespace = options.namespace ?? this.#options.namespace ?? this.#options.defaultNamespace;
    return resourcePath(this.resource, { namespace, name, subresource });
  }

  #collection(namespace: string | undefined): string {
    return resourcePath(this.resource, { namespace: namespace ?? this.#options.namespace });
  }

  #write<R>(
    method: 'POST' | 'PUT' | 'PATCH',
    path: string,
    body: unknown,
    options: ApplyOptions,
    type = 'application/json',
  ): Promise<R> {
    const { dryRun, fieldValidation, force } = options;
    const fieldManager = checkFieldManager(options.fieldManager) ?? this.#options.fieldManager;
    const query = queryOf({ dryRun: dryRun ? 'All' : undefined, fieldManager, fieldValidation, force });
    const headers = { 'content-type': type };
    return this.#json({ method, path, query, body: jsonOf(body, `${method} ${path}`), headers }, options);
  }

  #deleteBody(options: DeleteOptions): Pick<TransportRequest, 'body' | 'headers'> {
    const { dryRun, gracePeriodSeconds, propagationPolicy, preconditions } = options;
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      gracePeriodSeconds,
      propagationPolicy,
      preconditions,
      dryRun: dryRun ? ['All'] : undefined,
    };
    return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  }

  async #json<R>(request: TransportRequest, { signal }: CallOptions): Promise<R> {
    const headers = { accept: 'application/json', ...request.headers };
    // What the server sends is of the type that the resource token promises; nothing checks it at run time.
    return (await this.#options.requests.json({ ...request, headers, ...(signal && { signal }) })) as R;
  }

  /** A body without kind and apiVersion gets the resource's; that of a subresource may be of another kind. */
  #typed(object: KubernetesObject, options: Pick<WriteOptions, 'subresource'>): KubernetesObject {
    if (options.subresource !== undefined && options.subresource !== 'status') return object;
    const { kind, apiVersion, ...rest } = object;
    return { kind: kind ?? this.resource.kind, apiVersion: apiVersion ?? apiVersionOf(this.resource), ...rest };
  }

  #filled(list: KubernetesList<Stored<T>>): KubernetesList<Stored<T>> {
    const typed: TypeMeta = { kind: this.resource.kind, apiVersion: list.apiVersion ?? apiVersionOf(this.resource) };
    // An empty Go slice may arrive as null.
    list.items = (list.items ?? []).map((item) => (item.kind === undefined ? { ...typed, ...item } : item));
    return list;
  }
}

function parseEvent<T extends KubernetesObject>(line: string, path: string): WatchEvent<T> {
  try {
    const event: unknown = JSON.parse(line);
    if (typeof event === 'object' && event !== null && 'type' in event && 'object' in event) {
      return event as WatchEvent<T>;
    }
  } catch {
    // Reported below, without the text, which may hold a Secret's data.
  }
  throw new TransportError('protocol', `the watch of ${path} sent a line that is not an event`);
}

function nameOf(object: KubernetesObject): string {
  mustBeObject(object);
  const name = object.metadata?.name;
  if (name) return name;
  throw new TypeError(`${aKind(object.kind ?? 'KubernetesObject')} needs metadata.name for this request`);
}

/** What a lister gives for an object that is not there is easily handed on. */
function mustBeObject(object: unknown): void {
  if (typeof object === 'object' && object !== null) return;
  throw new TypeError(`expected an object to send and got ${object === null ? 'null' : typeof object}`);
}

function jsonOf(body: unknown, request: string): string {
  mustBeObject(body);
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new TypeError(`${request}: what is to be sent does not fit into JSON: ${messageOf(cause)}`, { cause });
  }
}

const WHEN_REDUCED = {
  update:
    'An update would delete the missing fields on the server: use patch or apply, or get the whole object from the server and update that',
  apply:
    'An apply would remove the missing fields that this manager owns: apply an object with just the fields that this program decides on',
};

/** What a cache left out of an object would be lost by a write; one of the status concerns nothing but status and metadata. */
function mustBeWhole(object: KubernetesObject, subresource: string | undefined, verb: keyof typeof WHEN_REDUCED): void {
  mustBeObject(object);
  const reduction = reductionOf(object);
  if (reduction === undefined || (subresource === 'status' && !reduction.concernsStatus)) return;
  const { name, namespace } = object.metadata ?? {};
  const key = namespace ? `${namespace}/${name}` : name;
  throw new TypeError(
    `the ${object.kind ?? 'object'} ${key} comes from a cache that ${reduction.what}. ${WHEN_REDUCED[verb]}`,
  );
}

/** The call's options, with the object's own namespace where the call names none. */
function withNamespace(object: KubernetesObject, options: CallOptions): CallOptions {
  mustBeObject(object);
  const namespace = options.namespace ?? object.metadata?.namespace;
  return namespace === undefined ? {} : { namespace };
}

/** Without what is unset, empty or false. */
export function queryOf(parameters: Record<string, string | number | boolean | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '' && value !== false) query.set(name, String(value));
  }
  return query.toString();
}
