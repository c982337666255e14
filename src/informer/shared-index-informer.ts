import { setMaxListeners } from 'node:events';
import type { Cached } from '../api/cached.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { checkedOptions } from '../api/option-check.ts';
import { deferred } from '../api/promise-like.ts';
import type { Resource } from '../api/resource.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { nextId } from '../observe/channels.ts';
import { type Clock, systemClock, type Timer } from '../observe/clock.ts';
import { guarded } from '../observe/guarded.ts';
import { aborted, onAbort } from '../observe/interruption.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { noMetrics } from '../observe/metrics.ts';
import { systemRandom } from '../observe/random.ts';
import { EventStream } from '../processor/event-stream.ts';
import type { Deliver, Listener } from '../processor/listener.ts';
import type { Notification } from '../processor/notification.ts';
import type {
  HandlerOptions,
  HandlerRegistration,
  ResourceEvent,
  ResourceEventHandler,
} from '../processor/processor.ts';
import { SharedProcessor, type SubscribeOptions } from '../processor/shared-processor.ts';
import type { WatchErrorHandler } from '../reflector/reflector-options.ts';
import { RequestPacer } from '../reflector/request-pacer.ts';
import type { Indexers } from '../store/index-definition.ts';
import { Indexer } from '../store/indexer.ts';
import { MutationDetector } from '../store/mutation-detector.ts';
import { ObjectTable } from '../store/object-table.ts';
import { viewsOneByOne } from '../store/store.ts';
import { mustBeFunction, type StopArgument, signalOf } from './argument-check.ts';
import { EVENTS_CHECKS, HANDLER_CHECKS, onViews, WAIT_CHECKS } from './call-options.ts';
import { originSelection } from './field-selection.ts';
import { checkHandler } from './handler-check.ts';
import type { EventsOptions, Informer, WaitOptions } from './informer.ts';
import type { Controller } from './informer-controller.ts';
import { InformerMetrics } from './informer-metrics.ts';
import { informerOptions, type SharedIndexInformerOptions } from './informer-options.ts';
import { keyCheck, originName, originObservers, originParts, whyNotHeld } from './informer-origin.ts';
import { InformerParts } from './informer-parts.ts';
import { type InformerState, standing } from './informer-state.ts';
import { type HandlerStatus, handlerStatus, type InformerMemory, type InformerPartStatus } from './informer-status.ts';
import { type CachedCondition, InformerWaits } from './informer-waits.ts';
import { checkPaths } from './known-paths.ts';
import { Lister } from './lister.ts';
import { StateFeed, type StatesOptions } from './state-stream.ts';
import type { Transform } from './transform.ts';

/**
 * One cache of one type of object, kept up to date by one watch (one for each namespace, when several are given), and
 * shared by all who want to hear of it. See `Informer` for what it promises. Runs once: after `stop`, or when the signal
 * of `run` aborts, it is over for good and nothing is called any more. client-go's `SharedIndexInformer`.
 */
export class SharedIndexInformer<T extends KubernetesObject> implements Informer<T>, AsyncDisposable {
  /** Unique in the process; `informer` in the values of the channels. */
  readonly id = nextId();
  readonly name: string;
  readonly indexer: Indexer<T>;
  /** @internal What its objects are, when that is known. */
  readonly resource: Resource<T> | undefined;
  /** @internal Why its cache has nothing at a path; undefined when it has what the server has. */
  readonly whyNotHeld: (path: string) => string | undefined;
  /** @internal Throws a `TypeError` for a key that none of its objects can have. */
  readonly checkKey: (key: string) => void;
  readonly #table: ObjectTable<T>;
  readonly #processor: SharedProcessor<T>;
  readonly #parts: InformerParts<T>;
  readonly #waits: InformerWaits<T>;
  readonly #states: StateFeed;
  readonly #metrics: InformerMetrics | undefined;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #mutationDetector: MutationDetector | undefined;
  readonly #closed: AbortSignal | undefined;
  #transform: Transform<T> | undefined;
  readonly #checkIndexers: (indexers: Indexers<T>) => void;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #isOver = false;
  #resyncTimer: Timer | undefined;
  readonly #synced = deferred();
  readonly #observers = new Set<(notification: Notification<T>) => void>();
  readonly #selects: (object: KubernetesObject) => boolean;

  constructor(given: SharedIndexInformerOptions<T>) {
    const set = informerOptions(given);
    const options = { ...originObservers(set), ...set };
    const { name = originName(options), resyncMs = 0, indexers, transform, onState, ...rest } = options;
    const { clock = systemClock, random = systemRandom, metrics = noMetrics } = options;
    const logger = safeLogger(options.logger);
    this.name = name;
    this.resource = options.resource;
    this.whyNotHeld = (path) => whyNotHeld(options, path);
    this.checkKey = keyCheck(name, options);
    this.#clock = clock;
    this.#logger = logger;
    this.#transform = transform;
    this.#selects = originSelection(options);
    const detector = options.detectMutations ? new MutationDetector({ clock, logger }) : undefined;
    this.#mutationDetector = detector;
    this.#checkIndexers = (added) => checkPaths(options, { indexers: added, transform: this.#transform });
    this.#checkIndexers(indexers ?? {});
    this.#table = new ObjectTable<T>(indexers);
    this.indexer = new Indexer<T>({ table: this.#table });
    const measured = { clock, parts: () => this.#parts, listeners: () => this.#processor.listeners };
    const meter = metrics === noMetrics ? undefined : new InformerMetrics(metrics, this, measured);
    this.#metrics = meter;
    this.#processor = new SharedProcessor<T>({
      name,
      informer: this.id,
      stored: (key) => this.#table.get(key),
      defaultResyncMs: resyncMs,
      hasSynced: () => this.hasSynced(),
      ...(meter && { observer: meter.handlers, onLongSlice: () => meter.longSlice('handlers') }),
      clock,
      logger,
    });
    const origin = originParts(options, {
      clock,
      logger,
      goneCheckMs: options.goneCheckMs,
      onClosed: () => this.#stopClosed(),
      onDamage: (object, error) => this.#parts.of(object.namespace)[0]?.damaged(object, error),
    });
    this.#closed = 'cluster' in options ? options.cluster.closed : undefined;
    const pacer = new RequestPacer({ clock, random, sources: () => this.#parts.size });
    const isPacked = 'cluster' in options && options.store !== 'plain';
    this.#parts = new InformerParts<T>({
      ...origin,
      skipsForbidden: 'onForbidden' in options && options.onForbidden === 'skip',
      onSynced: () => {
        this.#synced.resolve();
        this.#processor.checkSynced();
      },
      onJoined: () => this.#waits.joined(),
      onLeaving: (namespace) => this.#waits.left(namespace),
      onState: () => this.#states.check(),
      part: {
        ...rest,
        name,
        clock,
        logger,
        origin: { informer: this.id },
        pacer,
        table: this.#table,
        audience: {
          distribute: (notification, isSync) => {
            if (isPacked) detector?.watch(notification.object.key, notification.view());
            this.#processor.distribute(notification, isSync);
            for (const observer of this.#observers) this.#observed(observer, notification);
          },
          isHeard: () => detector !== undefined || this.#observers.size > 0 || this.#processor.listeners.length > 0,
          ...(detector && !isPacked && { onStored: (object) => detector.watch(object.key, object.view()) }),
        },
        transform: () => this.#transform,
        ...(meter && { meter, metrics: meter.scope }),
      },
    });
    setMaxListeners(0, this.#stopping.signal);
    this.#waits = new InformerWaits<T>({
      name,
      checkKey: this.checkKey,
      parts: this.#parts,
      table: this.#table,
      stopping: this.#stopping.signal,
      observe: (observer) => this.observe(observer),
      standing: () => standing(this.state, this.lastSyncResourceVersion(), this.hasStarted),
      clock,
    });
    this.#states = new StateFeed({
      name,
      state: () => this.state,
      onNews: (state) => this.#metrics?.stateChanged(state),
      onState: onState && ((state) => onState(state, this as unknown as Informer<KubernetesObject>)),
      logger,
    });
  }

  get store(): Indexer<T> {
    return this.indexer;
  }

  get state(): InformerState {
    const { state } = this.#parts;
    const isStopped = this.#isOver || (this.isStopped() && this.#running === undefined);
    return isStopped ? { ...state, phase: 'stopped' } : state;
  }

  states(options: StatesOptions = {}): AsyncIterableIterator<InformerState> {
    return this.#states.stream(signalOf(`states of ${this.name}`, options));
  }

  /** Its lists and watches at present: one, or one for each namespace. */
  get parts(): readonly InformerPartStatus[] {
    return this.#parts.statuses;
  }

  /** Its handlers and streams at present. */
  get handlers(): readonly HandlerStatus[] {
    return this.#processor.listeners.map(handlerStatus);
  }

  /** What the cache holds. Also in `metrics`, as gauges. */
  get memory(): InformerMemory {
    const { views: _, ...bytes } = this.#parts.memory ?? { views: 0 };
    return { objects: this.#table.size, ...bytes };
  }

  addEventHandler(handler: ResourceEventHandler<T>, options: HandlerOptions<T> = {}): HandlerRegistration {
    return this.listen(handler, onViews(checkedOptions(`a handler of ${this.name}`, options, HANDLER_CHECKS)));
  }

  events(options: EventsOptions<T> = {}): AsyncIterableIterator<ResourceEvent<T>> {
    const { signal, ...rest } = checkedOptions(`events of ${this.name}`, options, EVENTS_CHECKS);
    return new EventStream<T>(
      (deliver, onEnd) => this.subscribe(deliver, { ...onViews(rest), onRemove: onEnd }),
      signal,
    );
  }

  /** @internal For informers that are derived from this one. */
  listen(handler: ResourceEventHandler<T>, options: SubscribeOptions<T>): HandlerRegistration {
    return this.#joined((present) => {
      checkHandler(`a handler of ${this.name}`, handler);
      return this.#processor.addHandler(handler, options, present);
    });
  }

  /** @internal For streams of events; one that begins after the informer has stopped ends at once. */
  subscribe(deliver: Deliver<T>, options: SubscribeOptions<T>): Listener<T> {
    if (this.isStopped()) return this.#processor.subscribe(deliver, options, []);
    return this.#joined((present) => this.#processor.subscribe(deliver, options, present));
  }

  /** @internal Calls back for each change of the cache, in the same turn. Returns its way out. */
  observe(observer: (notification: Notification<T>) => void): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  /** The change is stored, whatever becomes of this: it must not look as if it were not, nor keep the other observers from it. */
  #observed(observer: (notification: Notification<T>) => void, notification: Notification<T>): void {
    const what = () => `${this.name}: ${notification.object.key} is stored, and what observes the cache failed on it.`;
    guarded(observer.bind(undefined, notification), (thrown) => this.#logger.error(what(), thrown));
  }

  /** @internal Whether its namespaces and selectors let the object in. True where that cannot be known. */
  takesIn(object: KubernetesObject): boolean {
    return this.#parts.of(object.metadata?.namespace ?? '').length > 0 && this.#selects(object);
  }

  /** @internal */
  get table(): ObjectTable<T> {
    return this.#table;
  }

  /** Itself. client-go's `GetController`. */
  get controller(): Controller {
    return this;
  }

  /** Reads what it holds. */
  lister(): Lister<T> {
    return new Lister<T>({
      getByKey: (key) => this.#table.get(key)?.view(),
      select: (selector, namespace) => this.#table.select(selector, namespace).map((object) => object.view()),
      values: (selector, namespace) => viewsOneByOne(this.#table.select(selector, namespace)),
      checkKey: this.checkKey,
    });
  }

  addIndexers(indexers: Indexers<T>): void {
    this.#checkIndexers(indexers);
    this.#table.addIndexers(indexers);
  }

  /** Only before the start. */
  setTransform(transform: Transform<T>): void {
    this.#mustNotHaveStarted('setTransform');
    mustBeFunction(`setTransform of ${this.name}`, transform);
    this.#transform = transform;
  }

  /** Only before the start. The handler hears of every failed list and watch; what it does changes nothing. */
  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#mustNotHaveStarted('setWatchErrorHandler');
    mustBeFunction(`setWatchErrorHandler of ${this.name}`, handler);
    this.#parts.setWatchErrorHandler(handler);
  }

  hasSynced(): boolean {
    return this.#parts.hasSynced();
  }

  async waitForSync(options: WaitOptions = {}): Promise<boolean> {
    const checked = checkedOptions(`waitForSync of ${this.name}`, options, WAIT_CHECKS);
    return this.hasSynced() || (await this.#waits.forSync(this.#synced.promise, checked));
  }

  async waitFor(version: string | KubernetesObject, options: WaitOptions = {}): Promise<void> {
    await this.#waits.forVersion(version, options);
  }

  waitUntil<R extends Stored<T> | undefined>(
    key: string,
    predicate: (object: Stored<T> | undefined) => object is R,
    options?: WaitOptions,
  ): Promise<R>;
  waitUntil(
    key: string,
    predicate: (object: Stored<T> | undefined) => boolean,
    options?: WaitOptions,
  ): Promise<Stored<T> | undefined>;
  async waitUntil(
    key: string,
    predicate: (object: Stored<T> | undefined) => boolean,
    options: WaitOptions = {},
  ): Promise<Stored<T> | undefined> {
    return this.waitUntilSelected(key, predicate, () => true, options);
  }

  /** @internal For informers that are derived from this one: what is not selected is absent. */
  async waitUntilSelected(
    key: string,
    predicate: (object: Stored<T> | undefined) => boolean,
    selects: (object: Cached<T>) => boolean,
    options: WaitOptions,
  ): Promise<Stored<T> | undefined> {
    if (typeof predicate !== 'function')
      throw new TypeError(`waitUntil of ${this.name} needs a predicate: (object) => true or false`);
    let seen: Stored<T> | undefined;
    const condition: CachedCondition<T> = (object) => {
      seen = object && selects(object) ? (object.view() as Stored<T>) : undefined;
      return predicate(seen);
    };
    await this.#waits.untilMet(key, condition, predicate.name || 'the condition', options);
    return seen;
  }

  lastSyncResourceVersion(): string {
    return this.#parts.lastSyncResourceVersion();
  }

  isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** @internal Whether `run` has been called. */
  get hasStarted(): boolean {
    return this.#running !== undefined;
  }

  /** @internal For the factory whose namespaces it follows. */
  get namespaces(): Pick<InformerParts<T>, 'add' | 'remove'> {
    return this.#parts;
  }

  /** Lists and watches until `signal` aborts or `stop` is called; resolves when all has ended. Never rejects. */
  run(stop: StopArgument = {}): Promise<void> {
    const signal = signalOf(`run of ${this.name}`, stop);
    if (this.#running !== undefined || this.isStopped()) {
      this.#logger.warn(
        `${this.name}: run was called ${this.isStopped() ? 'after it stopped' : 'twice'}; an informer runs once.`,
      );
      return this.#running ?? Promise.resolve();
    }
    const forgetSignal = onAbort(signal, () => this.#stopping.abort());
    const forgetClosed = onAbort(this.#closed, () => this.#stopClosed());
    this.#running = this.#runParts().finally(() => {
      forgetSignal();
      forgetClosed();
    });
    this.#processor.beginPeriods();
    this.#armResync();
    return this.#running;
  }

  /** Final and idempotent; resolves when all has ended. Nothing is called afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#running !== undefined) await this.#running;
    else {
      await this.#processor.stop();
      this.#end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #runParts(): Promise<void> {
    const { signal } = this.#stopping;
    const processorStopped = aborted(signal).then(() => {
      this.#resyncTimer?.clear();
      this.#metrics?.stop();
      return this.#processor.stop();
    });
    if (signal.aborted) this.#stopping.abort();
    else this.#metrics?.start();
    await Promise.all([this.#mutationDetector?.run({ signal }), this.#parts.run(signal)]);
    await processorStopped;
    this.#end();
  }

  #end(): void {
    this.#isOver = true;
    this.#states.check();
    this.#states.end();
    this.#metrics?.end();
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

  /** One timer, for whichever listener is due first. To be called at the start, and whenever a listener has come. */
  #armResync(): void {
    this.#resyncTimer?.clear();
    const dueMs = this.#running === undefined || this.isStopped() ? undefined : this.#processor.nextResyncMs;
    if (dueMs === undefined) return;
    const resync = () => {
      this.#logger.debug(`${this.name}: resync.`);
      // Nothing before a first list is through. A namespace that cannot be listed does not hold up the others.
      this.#processor.resync(() => (this.#parts.hasOneSynced() ? this.#table.values() : []));
      this.#armResync();
    };
    this.#resyncTimer = this.#clock.setTimeout(resync, dueMs - this.#clock.now());
  }

  #mustNotHaveStarted(method: string): void {
    if (this.#running !== undefined || this.isStopped())
      throw new TidewatchError('misuse', `${this.name}: ${method} must be called before the start`);
  }
}
