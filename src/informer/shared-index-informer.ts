import { setMaxListeners } from 'node:events';
import type { Cached } from '../api/cached.ts';
import { metaNamespaceKey } from '../api/key.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { CodecMemory } from '../codec/codec.ts';
import { type Clock, systemClock, type Timer } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { safeMetrics } from '../observe/metrics.ts';
import { systemRandom } from '../observe/random.ts';
import { EventStream } from '../processor/event-stream.ts';
import type { Deliver, Listener } from '../processor/listener.ts';
import type {
  HandlerOptions,
  HandlerRegistration,
  ResourceEvent,
  ResourceEventHandler,
} from '../processor/processor.ts';
import { SharedProcessor, type SubscribeOptions } from '../processor/shared-processor.ts';
import type { ReflectorSetup, WatchErrorHandler } from '../reflector/reflector-options.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import { RequestPacer } from '../reflector/request-pacer.ts';
import type { Indexers } from '../store/index-definition.ts';
import { Indexer } from '../store/indexer.ts';
import { MutationDetector } from '../store/mutation-detector.ts';
import { ObjectTable } from '../store/object-table.ts';
import type { EventsOptions, Informer, WaitOptions } from './informer.ts';
import type { Controller } from './informer-controller.ts';
import { type InformerMemory, MemoryGauges } from './informer-memory.ts';
import { type InformerOrigin, originName, originObservers, originParts, whyNotHeld } from './informer-origin.ts';
import { InformerPart } from './informer-part.ts';
import { combinedState } from './informer-state.ts';
import { checkPaths } from './known-paths.ts';
import { Lister } from './lister.ts';
import { OldestVersion } from './oldest-version.ts';
import type { Transform } from './transform.ts';
import { waitFirst } from './wait.ts';

/** What does not depend on where the objects come from. */
export interface InformerSettings<T extends KubernetesObject>
  extends Omit<ReflectorSetup, 'name' | 'resyncMs' | 'shouldResync' | 'confirmGone' | 'onState'> {
  /** Used in messages. Default: the name of the resource. */
  name?: string;
  /** `delta`: what is queued is merged by object. `inOrder`: every change on its own, in the order of the server. Default `delta`. */
  queue?: 'delta' | 'inOrder';
  /** For handlers that do not ask for a period of their own. 0 or unset: no resync. client-go: defaultEventHandlerResyncPeriod. */
  resyncMs?: number;
  /** Indexes by name: paths or functions. Default: none; a factory adds one by namespace. */
  indexers?: Indexers<T>;
  /** Changes each object before it is stored. Default: none. */
  transform?: Transform<T>;
  /**
   * Report, as an error in the log, when a reader changes an object that others read too. In a plain store that is every
   * object; in a packed one, whose readers have objects of their own, the objects of an event, which its handlers share. For
   * tests and debugging: it decodes every object, and keeps a copy. Default false. client-go: KUBE_CACHE_MUTATION_DETECTOR.
   */
  detectMutations?: boolean;
}

/** Options of `SharedIndexInformer`: where the objects come from, and how they are kept. */
export type SharedIndexInformerOptions<T extends KubernetesObject> = InformerOrigin<T> & InformerSettings<T>;

/**
 * One cache of one type of object, kept up to date by one watch (one for each namespace, when several are given), and
 * shared by all who want to hear of it. See `Informer` for what it promises. Runs once: after `stop`, or when the signal
 * of `run` aborts, it is over for good and nothing is called any more. client-go's `SharedIndexInformer`.
 */
export class SharedIndexInformer<T extends KubernetesObject> implements Informer<T>, AsyncDisposable {
  readonly name: string;
  readonly indexer: Indexer<T>;
  /** @internal What its objects are, when that is known. */
  readonly resource: Resource<T> | undefined;
  /** @internal Why its cache has nothing at a path; undefined when it has what the server has. */
  readonly whyNotHeld: (path: string) => string | undefined;
  readonly #table: ObjectTable<T>;
  readonly #processor: SharedProcessor<T>;
  readonly #parts: readonly InformerPart<T>[];
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #mutationDetector: MutationDetector | undefined;
  readonly #packed: CodecMemory | undefined;
  /** Of the cluster. */
  readonly #closed: AbortSignal | undefined;
  #transform: Transform<T> | undefined;
  readonly #checkIndexers: (indexers: Indexers<T>) => void;
  readonly #stopping = new AbortController();
  readonly #stopped: Promise<void>;
  #running: Promise<void> | undefined;
  #resyncTimer: Timer | undefined;
  /** Settles once, when the first list of every part is in the store. */
  readonly #synced: Promise<void>;
  #announceSynced: (() => void) | undefined;

  constructor(given: SharedIndexInformerOptions<T>) {
    const options = { ...originObservers(given), ...given };
    const { name = originName(options), resyncMs = 0, indexers, transform, ...rest } = options;
    this.name = name;
    this.resource = options.resource;
    this.whyNotHeld = (path) => whyNotHeld(options, path);
    this.#clock = options.clock ?? systemClock;
    this.#logger = safeLogger(options.logger);
    this.#transform = transform;
    const detector = options.detectMutations
      ? new MutationDetector({ clock: this.#clock, logger: this.#logger })
      : undefined;
    this.#mutationDetector = detector;
    this.#checkIndexers = (added) => checkPaths(given, { indexers: added, transform: this.#transform });
    this.#checkIndexers(indexers ?? {});
    this.#table = new ObjectTable<T>(indexers);
    this.indexer = new Indexer<T>({ table: this.#table });
    this.#processor = new SharedProcessor<T>({
      name,
      stored: (key) => this.#table.get(key),
      defaultResyncMs: resyncMs,
      hasSynced: () => this.hasSynced(),
      clock: this.#clock,
      logger: this.#logger,
    });
    const { sources, memory } = originParts(options, {
      clock: this.#clock,
      logger: this.#logger,
      onClosed: () => this.#stopClosed(),
      onDamage: (object, error) => this.#partOf(object)?.damaged(object, error),
    });
    this.#packed = memory;
    this.#closed = 'cluster' in given ? given.cluster.closed : undefined;
    const gauges = options.metrics && new MemoryGauges(safeMetrics(options.metrics), name);
    const stored = new OldestVersion(sources.length);
    const { random = systemRandom } = options;
    const pacer = new RequestPacer({ clock: this.#clock, random, sources: sources.length });
    this.#parts = sources.map(
      (source, part) =>
        new InformerPart<T>(source, {
          ...rest,
          name,
          pacer,
          table: this.#table,
          distribute: (notification, isSync) => {
            if (memory) detector?.watch(notification.object.key, notification.view());
            this.#processor.distribute(notification, isSync);
          },
          ...(detector && !memory && { onStored: (object) => detector.watch(object.key, object.view()) }),
          transform: () => this.#transform,
          onProgress: () => this.#checkSynced(),
          onVersion: (version) => this.#table.bookmark(stored.set(part, version)),
          ...(gauges && { onIdle: () => gauges.show(this.memory) }),
        }),
    );
    this.#synced = new Promise((resolve) => {
      this.#announceSynced = resolve;
    });
    setMaxListeners(0, this.#stopping.signal);
    this.#stopped = new Promise((resolve) => {
      this.#stopping.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  get store(): Indexer<T> {
    return this.indexer;
  }

  get state(): ReflectorState {
    const state = combinedState(this.#busyParts().map((part) => part.state));
    const stopped = this.#stopping.signal.aborted && this.#running === undefined;
    return stopped ? { ...state, phase: 'stopped' } : state;
  }

  /** What the cache holds. Also in `metrics`, as gauges. */
  get memory(): InformerMemory {
    const objects = this.#table.size;
    return this.#packed
      ? { objects, heldBytes: this.#packed.heldBytes, liveBytes: this.#packed.liveBytes }
      : { objects };
  }

  /** Throws when the informer has stopped. */
  addEventHandler(handler: ResourceEventHandler<T>, options: HandlerOptions<T> = {}): HandlerRegistration {
    return this.listen(handler, onViews(options));
  }

  events(options: EventsOptions<T> = {}): AsyncIterableIterator<ResourceEvent<T>> {
    const { signal, ...rest } = options;
    return new EventStream<T>(
      (deliver, onEnd) => this.subscribe(deliver, { ...onViews(rest), onRemove: onEnd }),
      signal,
    );
  }

  /** @internal For informers that are derived from this one. */
  listen(handler: ResourceEventHandler<T>, options: SubscribeOptions<T>): HandlerRegistration {
    return this.#joined((present) => this.#processor.addHandler(handler, options, present));
  }

  /** @internal For streams of events; one that begins after the informer has stopped ends at once. */
  subscribe(deliver: Deliver<T>, options: SubscribeOptions<T>): Listener<T> {
    if (this.isStopped()) return this.#processor.subscribe(deliver, options, []);
    return this.#joined((present) => this.#processor.subscribe(deliver, options, present));
  }

  /** @internal */
  get table(): ObjectTable<T> {
    return this.#table;
  }

  /** Itself, as what runs it. client-go's `GetController`. */
  get controller(): Controller {
    return this;
  }

  lister(): Lister<T> {
    return new Lister<T>({
      getByKey: (key) => this.#table.get(key)?.view(),
      select: (selector, namespace) => this.#table.select(selector, namespace).map((object) => object.view()),
    });
  }

  /** Also after the start; an index that exists, or whose function fails on an object that is there, is an error. */
  addIndexers(indexers: Indexers<T>): void {
    this.#checkIndexers(indexers);
    this.#table.addIndexers(indexers);
  }

  /** Only before the start. */
  setTransform(transform: Transform<T>): void {
    this.#mustNotHaveStarted('setTransform');
    this.#transform = transform;
  }

  /** Only before the start. The handler hears of every failed list and watch; what it does changes nothing. */
  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#mustNotHaveStarted('setWatchErrorHandler');
    for (const part of this.#parts) part.setWatchErrorHandler(handler);
  }

  hasSynced(): boolean {
    return this.#parts.every((part) => part.coverage.isSpare || part.hasSynced());
  }

  async waitForSync(options: WaitOptions = {}): Promise<boolean> {
    if (this.hasSynced()) return true;
    const outcome = await waitFirst(this.#synced, this.#stopped, options, this.#clock);
    if (outcome === 'timeout')
      throw new TidewatchError(
        'timeout',
        `${this.name} did not sync within ${options.timeoutMs} ms: ${this.#standing()}`,
      );
    return outcome === 'done';
  }

  async waitFor(version: string | KubernetesObject, options: WaitOptions = {}): Promise<void> {
    const isObject = typeof version === 'object';
    const wanted = isObject ? version.metadata?.resourceVersion : version;
    if (!wanted) throw new TypeError(`waitFor needs a resourceVersion, or an object that carries one`);
    const key = isObject ? metaNamespaceKey(version) : undefined;
    if (key !== undefined && this.#holds(key, wanted)) return;
    const parts = isObject ? this.#partsOf(version) : this.#busyParts();
    const waits = parts.map((part) => part.waitFor(wanted));
    const reached = Promise.all(waits.map((wait) => wait.reached)).then(() => {});
    const outcome = await waitFirst(reached, this.#stopped, options, this.#clock);
    for (const wait of waits) wait.cancel();
    if (outcome === 'aborted') throw options.signal?.reason;
    if (outcome === 'done') return;
    const what = outcome === 'stopped' ? 'the informer stopped' : `${options.timeoutMs} ms passed`;
    throw new TidewatchError(
      outcome,
      `${this.name} has not reached version ${wanted} when ${what}: ${this.#standing()}`,
    );
  }

  lastSyncResourceVersion(): string {
    const parts = this.#busyParts();
    const oldest = new OldestVersion(parts.length);
    for (const [index, part] of parts.entries()) oldest.set(index, part.lastSyncResourceVersion());
    return oldest.value;
  }

  isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Lists and watches until `signal` aborts or `stop` is called; resolves when all has ended. Never rejects. */
  run({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    if (this.#running !== undefined || this.isStopped()) {
      this.#logger.warn(
        `${this.name}: run was called ${this.isStopped() ? 'after it stopped' : 'twice'}; an informer runs once.`,
      );
      return this.#running ?? Promise.resolve();
    }
    // A signal that many informers share must not count a listener for each.
    const own = signal && AbortSignal.any([signal]);
    const abort = () => this.#stopping.abort();
    const close = () => this.#stopClosed();
    if (own?.aborted) abort();
    if (this.#closed?.aborted) close();
    own?.addEventListener('abort', abort, { once: true });
    this.#closed?.addEventListener('abort', close, { once: true });
    this.#running = this.#runParts().finally(() => {
      own?.removeEventListener('abort', abort);
      this.#closed?.removeEventListener('abort', close);
    });
    this.#armResync();
    return this.#running;
  }

  /** Final and idempotent; resolves when all has ended. Nothing is called afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#running !== undefined) await this.#running;
    else await this.#processor.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #runParts(): Promise<void> {
    const { signal } = this.#stopping;
    const processorStopped = this.#stopped.then(() => {
      this.#resyncTimer?.clear();
      return this.#processor.stop();
    });
    if (signal.aborted) this.#stopping.abort();
    await Promise.all([this.#mutationDetector?.run({ signal }), ...this.#parts.map((part) => part.run(signal))]);
    await processorStopped;
  }

  #partOf({ namespace }: Cached<T>): InformerPart<T> | undefined {
    return this.#parts.find((part) => part.coverage.covers(namespace));
  }

  #busyParts(): readonly InformerPart<T>[] {
    return this.#parts.filter((part) => !part.coverage.isSpare);
  }

  #partsOf({ metadata }: KubernetesObject): readonly InformerPart<T>[] {
    const namespace = metadata?.namespace ?? '';
    const parts = this.#parts.filter((part) => part.coverage.covers(namespace));
    if (parts.length > 0) return parts;
    const own = this.#parts.map((part) => part.coverage.namespace).join(', ');
    const where = namespace ? `is in namespace ${namespace}` : 'has no namespace';
    throw new TypeError(`${this.name} never holds ${metadata?.name}, which ${where}: it watches ${own}`);
  }

  #stopClosed(): void {
    if (this.isStopped()) return;
    this.#logger.warn(`${this.name}: the connection to the cluster was closed, so the informer stops.`);
    this.#stopping.abort();
  }

  #joined(add: (present: readonly Cached<T>[]) => Listener<T>): Listener<T> {
    if (this.isStopped()) {
      throw new TidewatchError('stopped', `${this.name} has stopped: no handler can be added. Make a new informer.`);
    }
    const listener = add(this.#table.values());
    this.#armResync();
    return listener;
  }

  /** One timer, for whichever listener is due first. */
  #armResync(): void {
    this.#resyncTimer?.clear();
    this.#resyncTimer = undefined;
    const dueMs = this.#processor.nextResyncMs;
    if (dueMs === undefined || this.#running === undefined || this.isStopped()) return;
    this.#resyncTimer = this.#clock.setTimeout(() => {
      this.#logger.debug(`${this.name}: resync.`);
      this.#processor.resync(() => this.#resyncable());
      this.#armResync();
    }, dueMs - this.#clock.now());
  }

  /** Nothing before a first list is through. A namespace that cannot be listed does not hold up the others. */
  #resyncable(): readonly Cached<T>[] {
    return this.#parts.some((part) => part.hasSynced()) ? this.#table.values() : [];
  }

  #checkSynced(): void {
    if (!this.#announceSynced || !this.hasSynced()) return;
    this.#announceSynced();
    this.#announceSynced = undefined;
    this.#processor.checkSynced();
  }

  #holds(key: string, version: string): boolean {
    const held = this.#table.get(key);
    return held !== undefined && (compareResourceVersions(held.resourceVersion, version) ?? -1) >= 0;
  }

  #standing(): string {
    const { phase, lastError } = this.state;
    const at = this.lastSyncResourceVersion();
    const error = lastError ? `; last error: ${lastError.message}` : '';
    return `it is ${phase}${at ? ` at version ${at}` : ''}${this.#running === undefined ? ' and was not started' : ''}${error}`;
  }

  #mustNotHaveStarted(method: string): void {
    if (this.#running !== undefined || this.isStopped())
      throw new TidewatchError('misuse', `${this.name}: ${method} must be called before the start`);
  }
}

function onViews<T extends KubernetesObject>({ filter, ...rest }: HandlerOptions<T>): SubscribeOptions<T> {
  return filter ? { ...rest, filter: (_object, view) => filter(view()) } : rest;
}
