import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import type { Clock } from '../observe/clock.ts';
import { messageOf } from '../observe/guarded.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { TimeSlice } from '../observe/scheduler.ts';
import type { Recorder } from './controller.ts';
import { ControllerCaches } from './controller-caches.ts';
import { type ControllerDefinition, cachedResources } from './controller-definition.ts';
import { ControllerLoop } from './controller-loop.ts';
import { EventIntake, LOW_PRIORITY } from './event-intake.ts';
import { type Gate, openTerm, type Term } from './gate.ts';
import type { Check } from './health-server.ts';
import { KeySource } from './key-source.ts';
import type { ControllerStatus } from './manager-status.ts';
import { OwnWrites } from './own-writes.ts';
import { RunContext, type RunEnvironment } from './run-context.ts';
import { waitForSync } from './sync-wait.ts';

type StoppableRecorder = Recorder & { stop(): Promise<void> };

export interface RunningControllerOptions {
  definition: ControllerDefinition;
  cluster: Cluster;
  informerOf: (resource: Resource) => SharedIndexInformer<KubernetesObject>;
  /** For the events of runs under a term, which ends before the recorder. */
  newRecorder: (term: Term) => StoppableRecorder;
  gate: Gate;
  slice: TimeSlice;
  clock: Clock;
  logger: Logger;
  metrics: Metrics;
  /** It cannot go on. */
  onFailed: (error: unknown) => void;
  /** An informer has stopped before the controller. */
  onInformerStopped: (name: string) => void;
}

/** A controller at work: its events, its queue, its runs. */
export class RunningController {
  readonly loop: ControllerLoop;
  readonly #options: RunningControllerOptions;
  readonly #caches: ControllerCaches;
  readonly #ownWrites: OwnWrites;
  readonly #intake: EventIntake;
  readonly #sources: readonly KeySource[];
  readonly #recorders = new Map<Term, StoppableRecorder>();
  /** Terms whose events have been written, or refused. */
  readonly #silenced = new WeakSet<Term>();
  readonly #environment: RunEnvironment;
  readonly #stopping = new AbortController();
  #hasStarted = false;
  #onStarted: () => void = () => {};
  /** @internal Resolves when runs may begin. */
  readonly started: Promise<void>;

  constructor(options: RunningControllerOptions) {
    this.#options = options;
    this.started = new Promise((resolve) => {
      this.#onStarted = resolve;
    });
    const { definition, cluster, clock, logger, slice } = options;
    const { name, resource } = definition;
    this.#caches = new ControllerCaches(name, cachedResources(definition), options.informerOf);
    this.#ownWrites = new OwnWrites({ name, caches: this.#caches, clock, logger });
    this.#environment = {
      definition,
      cluster,
      caches: this.#caches,
      ownWrites: this.#ownWrites,
      logger,
      recorderOf: (term) => this.#recorderOf(term),
    };
    this.loop = new ControllerLoop({
      environment: this.#environment,
      gate: options.gate,
      clock,
      metrics: options.metrics,
      slice,
    });
    this.#intake = new EventIntake({
      definition,
      caches: this.#caches,
      enqueue: (key, priority, cause) => this.loop.enqueue(key, priority, cause),
      onStopped: options.onInformerStopped,
      slice,
      logger,
    });
    this.#sources = definition.sources.map(
      (keys) =>
        new KeySource({
          controller: name,
          resource,
          keys,
          enqueue: (key) => this.loop.enqueue(key, 0, { type: 'source' }),
          slice,
          logger,
        }),
    );
  }

  get name(): string {
    return this.#options.definition.name;
  }

  get resource(): Resource {
    return this.#options.definition.resource;
  }

  /** Whether its caches have synced and its runs may begin. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  get status(): ControllerStatus {
    const { name, resource, options } = this.#options.definition;
    const isWaiting = this.#hasStarted ? false : !this.#stopping.signal.aborted;
    const phase = this.#stopping.signal.aborted
      ? 'stopped'
      : isWaiting
        ? 'waiting'
        : this.loop.isHeld
          ? 'held'
          : 'running';
    return { name, resource, phase, concurrency: options.concurrency, ...this.loop.status };
  }

  get healthz(): Check {
    const stuck = this.loop.stuckKeys;
    const name = `controller-${this.name}`;
    return stuck.length === 0 ? { name, ok: true } : { name, ok: false, message: `stuck: ${stuck.join(', ')}` };
  }

  get readyz(): Check {
    const name = `caches-of-${this.name}`;
    if (this.#hasStarted) return { name, ok: true };
    const late = [...this.#caches.informers].filter((informer) => !informer.hasSynced());
    const message = late.map((informer) => `${informer.name} is ${informer.state.phase}`).join(', ') || 'handlers sync';
    return { name, ok: false, message };
  }

  /** Subscribes; to be called before the informers start. */
  prepare(): void {
    this.#intake.start();
    for (const source of this.#sources) source.start();
  }

  /** Begins to run keys when everything has synced. */
  start(): void {
    void this.#start().catch((error: unknown) => this.#options.onFailed(error));
  }

  /** One run outside of the loop, for tests. Rejects with what it throws. */
  async reconcileOnce(key: string): Promise<unknown> {
    const { definition } = this.#options;
    const run = { key, signal: this.#stopping.signal, term: openTerm };
    return definition.reconcile(new RunContext({ run, causes: [], id: undefined }, this.#environment));
  }

  /** Runs every key for which this process has gained the right: those in the cache, and those that came while it had not. */
  async gained(terms: ReadonlySet<Term>): Promise<void> {
    const { definition, gate, slice } = this.#options;
    const isGained = (key: string) => {
      const term = gate.termOf(key);
      return term !== undefined && terms.has(term);
    };
    const keys = [...this.#caches.informer(definition.resource).table.keys(), ...this.loop.takeParked(isGained)];
    for (const key of keys) {
      if (isGained(key)) this.loop.enqueue(key, LOW_PRIORITY, { type: 'gained' });
      if (slice.isDue()) await slice.pause();
    }
  }

  /** Resolves when nothing runs under the term, and its events are written. */
  async idle(term: Term): Promise<void> {
    await this.loop.idle(term);
    const recorder = this.#recorders.get(term);
    this.#silenced.add(term);
    this.#recorders.delete(term);
    if (recorder) await this.#stopRecorder(recorder);
  }

  /** Whether it waits for a kind that the server does not know yet. */
  get waitsForKind(): boolean {
    return [...this.#caches.informers].some(({ state }) => state.phase === 'gone');
  }

  /** No run begins after this; resolves when the running ones have ended, or after `graceMs`, which is reported. */
  async stop(graceMs: number): Promise<void> {
    const { clock, logger } = this.#options;
    this.#stopping.abort();
    for (const source of this.#sources) source.stop();
    const stopped = this.loop.stop();
    const patience = new AbortController();
    const late = clock.sleep(graceMs, patience.signal).then(
      () => this.loop.runningKeys(),
      () => [],
    );
    const left = await Promise.race([stopped.then(() => []), late]);
    patience.abort();
    if (left.length > 0) {
      logger.error(
        `controller ${this.name}: the runs of ${left.join(', ')} have not ended ${graceMs} ms after they were aborted. The manager stops without them.`,
      );
    }
    this.#ownWrites.stop();
    await this.#intake.stop();
    this.loop.end();
    await Promise.all([...this.#recorders.values()].map((recorder) => this.#stopRecorder(recorder)));
  }

  #recorderOf(term: Term): Recorder {
    const known = this.#recorders.get(term);
    if (known) return known;
    if (this.#silenced.has(term)) return { record: () => {} };
    const recorder = this.#options.newRecorder(term);
    this.#recorders.set(term, recorder);
    return recorder;
  }

  async #stopRecorder(recorder: StoppableRecorder): Promise<void> {
    await recorder.stop().catch((error: unknown) => {
      const { logger } = this.#options;
      logger.warn(`controller ${this.name}: its events could not be written: ${messageOf(error)}`, error);
    });
  }

  async #start(): Promise<void> {
    const { definition, clock } = this.#options;
    const informers = [...this.#caches.informers];
    const { signal } = this.#stopping;
    const caches = Promise.all(informers.map((informer) => informer.waitForSync({ signal })));
    const synced = caches.then(async (all) => {
      if (all.every(Boolean)) await this.#intake.synced;
    });
    // An informer that stops, or a handler that is removed, is told by `onInformerStopped`.
    synced.catch(() => {});
    const timeoutMs = definition.options.syncTimeoutMs;
    const { name: controller } = definition;
    if (!(await waitForSync({ controller, informers, synced: neverFailing(synced), timeoutMs, clock, signal }))) return;
    if (!informers.every((informer) => informer.hasSynced())) return;
    this.#hasStarted = true;
    this.#onStarted();
    this.loop.start();
  }
}

/** Does not settle where the promise rejects. */
function neverFailing(promise: Promise<void>): Promise<void> {
  return promise.catch(() => new Promise<void>(() => {}));
}
