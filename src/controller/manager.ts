import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { checkFieldManager } from '../cluster/field-manager.ts';
import { mustBeCluster, type StopArgument, signalOf } from '../informer/argument-check.ts';
import { ResourceMap } from '../informer/resource-map.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import type { Clock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { METRICS } from '../observe/metric-definitions.ts';
import { MetricScope } from '../observe/metric-scope.ts';
import { type Metrics, safeMetrics } from '../observe/metrics.ts';
import { schedulerOf, TimeSlice } from '../observe/scheduler.ts';
import { type Controller, ControllerBuilder } from './controller-builder.ts';
import { type ControllerDefinition, cachedResources } from './controller-definition.ts';
import { EventRecorder } from './event-recorder.ts';
import { type ElectedGate, type Gate, openGate, type Term, type TermHost } from './gate.ts';
import { type Check, HealthServer } from './health-server.ts';
import { LeaderGate } from './leader-gate.ts';
import { checkManagerOptions } from './manager-arguments.ts';
import type { CacheOptions, ManagerOptions } from './manager-options.ts';
import type { ControllerStatus, LeaderStatus, ManagerStatus, ShardStatus } from './manager-status.ts';
import { type PolicyRule, rbacRules } from './rbac.ts';
import { RunningController } from './running-controller.ts';
import { ShardGate } from './shard-gate.ts';

const GRACEFUL_STOP_MS = 30_000;
/** How often a process that is to stand for election looks whether its caches wait for a kind that is not there. */
const WARM_LOOK_MS = 1_000;
/** The controllers of a manager share their slices. */
const LONG_SLICE_LABELS = { name: 'manager', stage: 'controllers' };

/**
 * Runs controllers on one set of caches. Say what each is for with `controller(name)`, then `run`. controller-runtime's `manager.Manager`.
 */
export class Manager {
  readonly #cluster: Cluster;
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #metrics: Metrics;
  readonly #scope: MetricScope;
  readonly #gate: Gate;
  /** The gate, if it opens and closes with Leases. */
  readonly #election: ElectedGate | undefined;
  readonly #factory: SharedInformerFactory;
  readonly #caches: ResourceMap<CacheOptions>;
  readonly #slice: TimeSlice;
  readonly #builders = new Map<string, ControllerBuilder>();
  readonly #definitions = new Map<string, ControllerDefinition>();
  readonly #paused = new Set<string>();
  readonly #running = new Map<string, RunningController>();
  #phase: 'new' | 'running' | 'stopped' = 'new';
  /** Terms whose keys are still to be enqueued. */
  #gained = new Set<Term>();
  #fail: (error: unknown) => void = () => {};

  constructor(cluster: Cluster, options: ManagerOptions = {}) {
    mustBeCluster('new Manager', cluster);
    checkManagerOptions(options);
    const { namespace, resyncMs, random } = options;
    this.#cluster = cluster;
    this.#options = options;
    this.#clock = options.clock ?? cluster.clock;
    this.#logger = safeLogger(options.logger ?? cluster.logger);
    this.#metrics = safeMetrics(options.metrics ?? cluster.metrics);
    this.#election = this.#newElection();
    this.#gate = options.gate ?? this.#election ?? openGate;
    this.#scope = new MetricScope(this.#metrics);
    const longSlices = this.#scope.counter(METRICS.longSlices);
    this.#slice = new TimeSlice(this.#clock, () => longSlices.add(1, LONG_SLICE_LABELS));
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
   * Rejects when a controller is not complete, when its caches do not sync in time, when the cluster is closed, and when a run has not ended by the time
   * another process may run its key; all has stopped then, too. A manager runs once.
   */
  async run(stop?: StopArgument): Promise<void> {
    const signal = signalOf('manager.run', stop);
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
    // One that is added from now on is started where it is added.
    const definitions = [...this.#definitions.values()];
    const health = this.#newHealthServer();
    const standing = new AbortController();
    let contending: Promise<void> | undefined;
    let lost: { readonly error: unknown } | undefined;
    const leave = [() => signal?.removeEventListener('abort', onAbort), this.#whenClosed()];
    try {
      await health?.start();
      const controllers = await this.#prepareAll(definitions);
      this.#factory.start();
      for (const controller of controllers) controller.start();
      contending = this.#contend(standing.signal);
      await ended;
    } finally {
      this.#phase = 'stopped';
      for (const way of leave) way();
      standing.abort();
      await contending?.catch((error: unknown) => {
        lost = { error };
      });
      // Runs that have outlived their right to run have had their time.
      const graceMs = lost ? 0 : (this.#options.gracefulStopMs ?? GRACEFUL_STOP_MS);
      await Promise.all([...this.#running.values()].map((controller) => controller.stop(graceMs)));
      if (!this.#options.factory) await this.#factory.shutdown();
      this.#scope.end();
      await health?.stop();
    }
    if (lost) throw lost.error;
  }

  /** What `/healthz` answers: whether a run is stuck. */
  healthz(): readonly Check[] {
    return [{ name: 'ping', ok: true }, ...[...this.#running.values()].map((controller) => controller.healthz)];
  }

  /** What `/readyz` answers: whether the caches of each controller have synced, and this process takes part in its election. A standby is ready. */
  readyz(): readonly Check[] {
    const caches = [...this.#definitions.keys()].map(
      (name) => this.#running.get(name)?.readyz ?? { name: `caches-of-${name}`, ok: false, message: 'not started' },
    );
    return this.#election ? [...caches, this.#election.readyz] : caches;
  }

  /** Its controllers at present, for those who look inside. */
  controllers(): readonly ControllerStatus[] {
    return [...this.#definitions.values()].map(
      ({ name, resource, options: { concurrency } }): ControllerStatus =>
        this.#running.get(name)?.status ?? {
          name,
          resource,
          phase: this.#phase === 'stopped' ? 'stopped' : 'new',
          concurrency,
          runs: [],
          failing: [],
          failingCount: 0,
        },
    );
  }

  /** The informers of its factory, for those who look inside. */
  informers(): readonly SharedIndexInformer<KubernetesObject>[] {
    return this.#factory.informers();
  }

  /** Who leads; undefined without an election. */
  get leader(): LeaderStatus | undefined {
    return this.#election?.leader;
  }

  /** Who owns which keys; undefined where they are not shared out. */
  get shards(): readonly ShardStatus[] | undefined {
    return this.#election?.shards;
  }

  /** The rules of the ClusterRole or Role that the controllers need, by what they declare. */
  rbac(): PolicyRule[] {
    const declarations = [...this.#definitions.values()].flatMap((definition) => definition.declarations);
    const { leaderElection, sharding } = this.#options;
    return rbacRules(declarations, {
      events: true,
      leases: leaderElection !== undefined,
      sharding: sharding !== undefined,
    });
  }

  /** What `/debug/status` answers: what this process holds, and what waits in it. */
  status(): ManagerStatus {
    const controllers = [...this.#running.values()].map(({ status, hasStarted }) => ({
      name: status.name,
      waiting: status.queue?.waiting ?? 0,
      running: status.runs.length,
      failing: status.failingCount,
      started: hasStarted,
    }));
    return { ...(this.#election && { election: this.#election.status }), controllers };
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

  /** The informers one at a time: what the schema of a kind needs takes milliseconds, and none may hold the event loop for long. */
  async #prepareAll(definitions: readonly ControllerDefinition[]): Promise<readonly RunningController[]> {
    const controllers: RunningController[] = [];
    for (const definition of definitions) {
      for (const resource of cachedResources(definition)) {
        await this.#slice.pause();
        this.#informerOf(resource);
      }
      await this.#slice.pause();
      controllers.push(this.#prepare(definition));
    }
    await this.#slice.pause();
    return controllers;
  }

  #prepare(definition: ControllerDefinition): RunningController {
    const { name } = definition;
    const shared = { cluster: this.#cluster, clock: this.#clock, logger: this.#logger };
    const { random } = this.#options;
    const controller = new RunningController({
      ...shared,
      definition,
      informerOf: (resource) => this.#informerOf(resource),
      newRecorder: ({ transport }) =>
        new EventRecorder({ ...shared, transport, controller: name, ...(random && { random }) }),
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

  #newElection(): ElectedGate | undefined {
    const { leaderElection, sharding, gracefulStopMs: graceMs = GRACEFUL_STOP_MS, random } = this.#options;
    if (leaderElection && sharding) {
      throw new TypeError(
        'a manager has leaderElection, so that one process works, or sharding, so that all do: not both.',
      );
    }
    const shared = { clock: this.#clock, logger: this.#logger, metrics: this.#metrics, ...(random && { random }) };
    const options = { clock: this.#clock, graceMs };
    if (leaderElection) return new LeaderGate(this.#cluster, { ...shared, ...leaderElection }, options);
    return sharding && new ShardGate(this.#cluster, { ...shared, ...sharding }, options);
  }

  /** Stands for election when the caches are warm. Resolves when the signal has aborted and all is given back. */
  async #contend(signal: AbortSignal): Promise<void> {
    if (!this.#election) return;
    try {
      await this.#whenWarm(signal);
      await this.#election.run(this.#host, signal);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** A kind that the server does not know yet is not waited for. */
  async #whenWarm(signal: AbortSignal): Promise<void> {
    for (;;) {
      const cold = this.runningControllers.filter(({ hasStarted, waitsForKind }) => !hasStarted && !waitsForKind);
      if (cold.length === 0 || signal.aborted) return;
      const over = new AbortController();
      const stop = () => over.abort();
      signal.addEventListener('abort', stop, { once: true });
      const pause = this.#clock.sleep(WARM_LOOK_MS, over.signal).catch(() => {});
      await Promise.race([Promise.all(cold.map(({ started }) => started)), pause]);
      over.abort();
      signal.removeEventListener('abort', stop);
    }
  }

  readonly #host: TermHost = {
    gained: (term) => {
      // Shards are often gained together, and each look goes through the whole cache.
      if (this.#gained.size === 0) schedulerOf(this.#clock).nextTurn(() => this.#enqueueGained());
      this.#gained.add(term);
    },
    recall: (term, reason) => {
      for (const { loop } of this.#running.values()) loop.abortRuns(reason, term);
    },
    idle: async (term) => {
      await Promise.all(this.runningControllers.map((controller) => controller.idle(term)));
    },
    runsOf: (term) =>
      this.runningControllers.flatMap(({ name, loop }) =>
        loop.runningKeys(term).map((key) => `${key} of controller ${name}`),
      ),
  };

  #enqueueGained(): void {
    const terms = this.#gained;
    this.#gained = new Set();
    for (const controller of this.#running.values()) void controller.gained(terms);
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
    const checks = { healthz: () => this.healthz(), readyz: () => this.readyz(), status: () => this.status() };
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
