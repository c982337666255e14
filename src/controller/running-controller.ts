import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { TimeSlice } from '../observe/time-slice.ts';
import { failureText } from '../processor/failure-text.ts';
import type { Recorder } from './controller.ts';
import { ControllerCaches } from './controller-caches.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import { ControllerLoop } from './controller-loop.ts';
import { EventIntake } from './event-intake.ts';
import type { Gate } from './gate.ts';
import type { Check } from './health-server.ts';
import { KeySource } from './key-source.ts';
import { OwnWrites } from './own-writes.ts';
import { RunContext } from './run-context.ts';
import { waitForSync } from './sync-wait.ts';

export interface RunningControllerOptions {
  definition: ControllerDefinition;
  cluster: Cluster;
  informerOf: (resource: Resource) => SharedIndexInformer<KubernetesObject>;
  recorder: Recorder & { stop(): Promise<void> };
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
    const { definition, clock, logger, slice } = options;
    const { name, resource } = definition;
    const cached = definition.declarations.flatMap(({ use, resource: one }) => (typeof use === 'object' ? [] : [one]));
    this.#caches = new ControllerCaches(name, cached, options.informerOf);
    this.#ownWrites = new OwnWrites({ name, caches: this.#caches, clock, logger });
    this.loop = new ControllerLoop({
      environment: { ...options, caches: this.#caches, ownWrites: this.#ownWrites },
      clock,
      metrics: options.metrics,
      slice,
    });
    this.#intake = new EventIntake({
      definition,
      caches: this.#caches,
      enqueue: (key, priority, cause) => this.loop.enqueue(key, priority, cause),
      onStopped: options.onInformerStopped,
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
    const environment = { ...this.#options, caches: this.#caches, ownWrites: this.#ownWrites };
    const { definition } = this.#options;
    return definition.reconcile(new RunContext(key, this.#stopping.signal, [], environment));
  }

  /** No run begins after this; resolves when the running ones have ended, or after `graceMs`, which is reported. */
  async stop(graceMs: number): Promise<void> {
    const { clock, logger } = this.#options;
    this.#stopping.abort();
    for (const source of this.#sources) source.stop();
    const stopped = this.loop.stop();
    const patience = new AbortController();
    const late = clock.sleep(graceMs, patience.signal).then(
      () => this.loop.runningKeys,
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
    await this.#options.recorder.stop().catch((error: unknown) => {
      logger.warn(`controller ${this.name}: its events could not be written: ${failureText(error)}`, error);
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
