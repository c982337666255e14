import { setMaxListeners } from 'node:events';
import { aNumber, anything, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { Manager } from '../controller/manager.ts';
import { MANAGER_CHECKS } from '../controller/manager-arguments.ts';
import type { ManagerOptions } from '../controller/manager-options.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { messageOf } from '../observe/guarded.ts';
import { ApiServer } from './api-server.ts';
import { createObjects, defineCustomResources, type TestObject } from './test-objects.ts';

/** How far the time moves while something runs or is on its way. */
const STEP_MS = 10;
const MAX_STEP_MS = 500;

/** Options of `ControllerTest`. */
export interface ControllerTestOptions extends Omit<ManagerOptions, 'clock' | 'factory'> {
  /** What is there before the controllers start, with `kind` and `apiVersion`. */
  objects?: Iterable<TestObject> | undefined;
}

/** Options of `settle`. */
export interface SettleOptions {
  /** How much time of the clock may pass. Default ten minutes. */
  maxMs?: number | undefined;
}

const { clock: _, factory: __, ...OF_MANAGER } = MANAGER_CHECKS;
const CHECKS: OptionChecks<ControllerTestOptions> = { ...OF_MANAGER, objects: anything };
const SETTLE_CHECKS: OptionChecks<SettleOptions> = { maxMs: aNumber };

/**
 * Controllers on an embedded server, by a clock that stands still: `settle` lets them work until nothing is left to do. The custom resources
 * that they declare are defined, with any fields and a status.
 *
 * `await using test = await ControllerTest.start(addControllers, { objects })`
 */
export class ControllerTest implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly server: ApiServer;
  /** To act and to look as somebody else than the controllers. */
  readonly cluster: Cluster;
  readonly manager: Manager;
  readonly #managed: Cluster;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #failure: { readonly error: unknown } | undefined;

  private constructor(clock: FakeClock, server: ApiServer, cluster: Cluster, managed: Cluster, manager: Manager) {
    this.clock = clock;
    this.server = server;
    this.cluster = cluster;
    this.manager = manager;
    this.#managed = managed;
    setMaxListeners(0, this.#stop.signal);
    this.#running = manager.run({ signal: this.#stop.signal }).catch((error: unknown) => {
      this.#failure = { error };
    });
  }

  /** `setup` adds the controllers. Begins to run them; nothing has happened yet. */
  static async start(setup: (manager: Manager) => unknown, given: ControllerTestOptions = {}): Promise<ControllerTest> {
    checkedOptions('ControllerTest.start', given, CHECKS);
    const { objects = [], ...options } = given;
    const clock = new FakeClock();
    const quiet = options.logger ? { logger: options.logger } : {};
    const server = await ApiServer.start({ listen: false, clock, ...quiet });
    const managed = server.cluster({ clock, ...quiet });
    const cluster = server.cluster({ clock, fieldManager: 'test', ...quiet });
    const manager = new Manager(managed, { ...options, clock });
    await setup(manager);
    const declared = manager.declaredResources;
    await defineCustomResources(cluster, declared);
    await createObjects(cluster, objects, declared);
    return new ControllerTest(clock, server, cluster, managed, manager);
  }

  /**
   * Lets the time pass until nothing is left to do: no key waits or runs, none waits for a retry or for its own writes. What has asked to be
   * run later, by `requeueAfterMs`, is not waited for: use `clock.advance`. Nor is what a `pause()` holds back. Rejects when the manager
   * fails, and after `maxMs` with what is left.
   */
  async settle(options: SettleOptions = {}): Promise<void> {
    const { maxMs = 10 * 60_000 } = checkedOptions('settle', options, SETTLE_CHECKS);
    const endMs = this.clock.monotonicMs() + maxMs;
    let stepMs = STEP_MS;
    for (;;) {
      await this.clock.advance(0);
      if (this.#failure) throw this.#failure.error;
      const left = this.#left();
      if (left === undefined) return;
      const nowMs = this.clock.monotonicMs();
      if (nowMs >= endMs)
        throw new Error(`the controllers have not settled after ${maxMs} ms: ${left.what.join('; ')}`);
      if (left.dueMs === undefined) stepMs = Math.min(stepMs * 1.5, MAX_STEP_MS);
      const wantedMs = left.dueMs === undefined ? stepMs : Math.max(left.dueMs - nowMs, 1);
      await this.clock.advance(Math.min(wantedMs, endMs - nowMs));
    }
  }

  /** Stops the manager and the server. Idempotent. */
  async stop(): Promise<void> {
    this.#stop.abort();
    for (let isOver = false; !isOver; ) {
      void this.#running.then(() => {
        isOver = true;
      });
      await this.clock.advance(1_000);
    }
    await this.cluster.close();
    await this.#managed.close();
    await this.server.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Undefined: nothing. `dueMs`: nothing happens before that time. */
  #left(): { readonly what: readonly string[]; readonly dueMs?: number } | undefined {
    const what: string[] = [];
    let dueMs: number | undefined;
    let isBusy = false;
    for (const { name, hasStarted, loop, readyz } of this.manager.runningControllers) {
      const { busy, due } = loop.unsettled;
      if (!hasStarted) what.push(`${name} has not started: ${readyz.message}`);
      if (busy) what.push(`${name} runs ${loop.runningKeys().join(', ') || 'soon'}`);
      isBusy ||= busy || !hasStarted;
      for (const [key, { atMs, error }] of due) {
        dueMs = Math.min(dueMs ?? atMs, atMs);
        what.push(`${name} waits with ${key}${error === undefined ? '' : `, which failed: ${messageOf(error)}`}`);
      }
    }
    if (what.length === 0) return undefined;
    return isBusy || dueMs === undefined ? { what } : { what, dueMs };
  }
}
