import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { checkFieldManager } from '../cluster/field-manager.ts';
import { ResourceMap } from '../informer/resource-map.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import type { Clock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { type Metrics, safeMetrics } from '../observe/metrics.ts';
import { TimeSlice } from '../observe/time-slice.ts';
import { type Controller, ControllerBuilder } from './controller-builder.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import { EventRecorder } from './event-recorder.ts';
import { type Gate, openGate } from './gate.ts';
import { type Check, HealthServer } from './health-server.ts';
import type { CacheOptions, ManagerOptions } from './manager-options.ts';
import { type PolicyRule, rbacRules } from './rbac.ts';
import { RunningController } from './running-controller.ts';

const GRACEFUL_STOP_MS = 30_000;

/**
 * Runs controllers on one set of caches. Say what each is for with `controller(name)`, then `run`. controller-runtime's `manager.Manager`.
 */
export class Manager {
  readonly #cluster: Cluster;
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: Metrics;
  readonly #gate: Gate;
  readonly #factory: SharedInformerFactory;
  readonly #caches: ResourceMap<CacheOptions>;
  readonly #slice: TimeSlice;
  readonly #builders = new Map<string, ControllerBuilder>();
  readonly #definitions = new Map<string, ControllerDefinition>();
  readonly #paused = new Set<string>();
  readonly #running = new Map<string, RunningController>();
  #phase: 'new' | 'running' | 'stopped' = 'new';
  #fail: (error: unknown) => void = () => {};

  constructor(cluster: Cluster, options: ManagerOptions = {}) {
    const { namespace, resyncMs, random } = options;
    this.#cluster = cluster;
    this.#options = options;
    this.#clock = options.clock ?? cluster.clock;
    this.#logger = safeLogger(options.logger ?? cluster.logger);
    this.#metrics = safeMetrics(options.metrics ?? cluster.metrics);
    this.#gate = options.gate ?? openGate;
    this.#slice = new TimeSlice(this.#clock);
    this.#caches = new ResourceMap(options.resources);
    this.#factory =
      options.factory ??
      new SharedInformerFactory(cluster, {
        clock: this.#clock,
        logger: this.#logger,
        metrics: this.#metrics,
        ...(random && { random }),
        ...(namespace !== undefined && { namespace }),
        ...(resyncMs !== undefined && { resyncMs }),
      });
  }

  /** A new controller. Its name is that of its metrics and the owner of the fields that it writes: one name, one controller. */
  controller(name: string): ControllerBuilder {
    if (typeof name !== 'string' || name === '') throw new TypeError('a controller needs a name.');
    checkFieldManager(name);
    if (this.#builders.has(name)) {
      throw new TidewatchError(
        'misuse',
        `there is a controller ${name} already. Give this one another name: metrics and field managers are told apart by it.`,
      );
    }
    const builder = new ControllerBuilder(name, (definition) => this.#complete(definition));
    this.#builders.set(name, builder);
    return builder;
  }

  /**
   * Runs until the signal aborts, then stops in order: no new run, running ones aborted and awaited (`gracefulStopMs`), then the caches.
   * Rejects when a controller is not complete, when its caches do not sync in time, and when the cluster is closed; all has stopped
   * then, too. A manager runs once.
   */
  async run({ signal }: { signal?: AbortSignal } = {}): Promise<void> {
    this.#mustBeReady();
    this.#phase = 'running';
    let onAbort = () => {};
    const ended = new Promise<void>((resolve, reject) => {
      this.#fail = reject;
      onAbort = resolve;
    });
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    // Nobody may be waiting yet when it fails.
    ended.catch(() => {});
    const health = this.#newHealthServer();
    const leave = [
      () => signal?.removeEventListener('abort', onAbort),
      this.#gate.onChange(() => this.#gateMoved()),
      this.#whenClosed(),
    ];
    try {
      await health?.start();
      for (const definition of this.#definitions.values()) this.#prepare(definition);
      this.#factory.start();
      for (const controller of this.#running.values()) controller.start();
      await ended;
    } finally {
      this.#phase = 'stopped';
      for (const way of leave) way();
      const graceMs = this.#options.gracefulStopMs ?? GRACEFUL_STOP_MS;
      await Promise.all([...this.#running.values()].map((controller) => controller.stop(graceMs)));
      if (!this.#options.factory) await this.#factory.shutdown();
      await health?.stop();
    }
  }

  /** What `/healthz` answers: whether a run is stuck. */
  healthz(): readonly Check[] {
    return [{ name: 'ping', ok: true }, ...[...this.#running.values()].map((controller) => controller.healthz)];
  }

  /** What `/readyz` answers: whether the caches of each controller have synced. */
  readyz(): readonly Check[] {
    return [...this.#definitions.keys()].map(
      (name) => this.#running.get(name)?.readyz ?? { name: `caches-of-${name}`, ok: false, message: 'not started' },
    );
  }

  /** The rules of the ClusterRole or Role that the controllers need, by what they declare. */
  rbac(): PolicyRule[] {
    const declarations = [...this.#definitions.values()].flatMap((definition) => definition.declarations);
    return rbacRules(declarations, { events: true });
  }

  /** @internal */
  get declaredResources(): readonly Resource[] {
    return [...this.#definitions.values()].flatMap(({ declarations }) => declarations.map(({ resource }) => resource));
  }

  /** @internal */
  get runningControllers(): readonly RunningController[] {
    return [...this.#running.values()];
  }

  #complete(definition: ControllerDefinition): Controller {
    const { name } = definition;
    if (this.#phase === 'stopped') {
      throw new TidewatchError(
        'misuse',
        `controller ${name} would never run: the manager has stopped. Make a new one.`,
      );
    }
    this.#definitions.set(name, definition);
    if (this.#phase === 'running') {
      const controller = this.#prepare(definition);
      this.#factory.start();
      controller.start();
    }
    return {
      name,
      pause: () => {
        this.#paused.add(name);
        this.#running.get(name)?.loop.hold('pause');
      },
      resume: () => {
        this.#paused.delete(name);
        this.#running.get(name)?.loop.release('pause');
      },
    };
  }

  #prepare(definition: ControllerDefinition): RunningController {
    const { name } = definition;
    const shared = { cluster: this.#cluster, clock: this.#clock, logger: this.#logger };
    const { random } = this.#options;
    const controller = new RunningController({
      ...shared,
      definition,
      informerOf: (resource) => this.#informerOf(resource),
      recorder: new EventRecorder({ ...shared, controller: name, ...(random && { random }) }),
      gate: this.#gate,
      slice: this.#slice,
      metrics: this.#metrics,
      onFailed: (error) => this.#fail(error),
      onInformerStopped: (informer) => {
        if (this.#phase !== 'running') return;
        this.#fail(new TidewatchError('stopped', `${informer}, which controller ${name} needs, has stopped.`));
      },
    });
    if (this.#paused.has(name)) controller.loop.hold('pause');
    if (!this.#gate.isOpen) controller.loop.hold('gate');
    this.#running.set(name, controller);
    controller.prepare();
    return controller;
  }

  #informerOf(resource: Resource): SharedIndexInformer<KubernetesObject> {
    const { indexers = {}, ...options } = this.#caches.get(resource) ?? {};
    const informer = this.#factory.for(resource, options).informer();
    // Another controller may have brought them.
    const present = informer.indexer.getIndexers();
    const missing = Object.entries(indexers).filter(([name]) => !(name in present));
    informer.addIndexers(Object.fromEntries(missing));
    return informer;
  }

  #gateMoved(): void {
    const { isOpen } = this.#gate;
    for (const { loop } of this.#running.values()) {
      if (isOpen) loop.release('gate');
      else {
        loop.hold('gate');
        loop.abortRuns(new TidewatchError('stopped', 'this process may not write any more'));
      }
    }
  }

  #whenClosed(): () => void {
    const { closed } = this.#cluster;
    const onClosed = () =>
      this.#fail(new TidewatchError('closed', 'the connection to the cluster was closed, so the manager stops.'));
    if (closed.aborted) onClosed();
    closed.addEventListener('abort', onClosed, { once: true });
    return () => closed.removeEventListener('abort', onClosed);
  }

  #newHealthServer(): HealthServer | undefined {
    const { health } = this.#options;
    if (!health) return undefined;
    const checks = { healthz: () => this.healthz(), readyz: () => this.readyz() };
    return new HealthServer({ ...health, ...checks, logger: this.#logger });
  }

  #mustBeReady(): void {
    if (this.#phase !== 'new') {
      throw new TidewatchError('misuse', 'run was called twice. A manager runs once: make a new one.');
    }
    const half = [...this.#builders].find(([, builder]) => !builder.isComplete);
    if (half) throw new TidewatchError('misuse', `controller ${half[0]} does nothing. End it with .reconcile(…).`);
    if (this.#builders.size === 0) {
      throw new TidewatchError(
        'misuse',
        'the manager has no controllers. Add one with controller(name).for(resource).reconcile(…).',
      );
    }
  }
}
