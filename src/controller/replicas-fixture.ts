import { expect } from 'vitest';
import type { Transport, TransportResponse } from '../api/transport.ts';
import { Cluster } from '../cluster/cluster.ts';
import { type Lease, leases } from '../generated/api/coordination/v1.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import type { Clock, Timer } from '../observe/clock.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import type { Scheduler } from '../observe/scheduler.ts';
import { ApiServer } from '../testing/api-server.ts';
import { type RecordedLogger, recordedLogger } from './controller-fixture.ts';
import { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';

/** The embedded server, and managers that are processes of their own as far as can be: each can be paused, cut off and killed. */
export async function replicasFixture() {
  const clock = new FakeClock();
  const server = await ApiServer.start({ listen: false, clock, logger: silentLogger });
  const admin = server.cluster({ clock, logger: silentLogger, fieldManager: 'test' });
  const replicas: Replica[] = [];
  return {
    clock,
    server,
    admin,
    replica(identity: string, options: Omit<ManagerOptions, 'clock' | 'logger'>): Replica {
      const replica = new Replica(identity, clock, server.transport(), options);
      replicas.push(replica);
      return replica;
    },
    createMap: (name: string, data: Record<string, string> = {}) =>
      admin.client(configMaps).create({ metadata: { name }, data }),
    lease: (name: string): Promise<Lease> => admin.client(leases).get(name, { namespace: 'default' }),
    async [Symbol.asyncDispose]() {
      for (const replica of replicas) await replica.stop();
      await clock.advance(0);
      await admin.close();
      await server.stop();
      expect(clock.pendingTimers, 'timers that are left').toBe(0);
    },
  };
}

/** A manager in a process that can be frozen. */
export class Replica {
  readonly identity: string;
  readonly manager: Manager;
  readonly cluster: Cluster;
  readonly logger: RecordedLogger = recordedLogger();
  /** By method and path, those that have been sent. */
  readonly requests: string[] = [];
  readonly #clock: FakeClock;
  readonly #freezer: Freezer;
  readonly #stop = new AbortController();
  #isCutOff = false;
  #running: Promise<void> | undefined;
  #isOver = true;

  constructor(identity: string, clock: FakeClock, transport: Transport, options: ManagerOptions) {
    this.identity = identity;
    this.#clock = clock;
    this.#freezer = new Freezer(clock);
    const frozen = this.#freezer.clock;
    this.cluster = Cluster.over(this.#disturbed(transport), { clock: frozen, logger: this.logger });
    let seed = [...identity].reduce((sum, char) => sum * 31 + char.charCodeAt(0), 7) % 2_147_483_647;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const { leaderElection, sharding } = options;
    this.manager = new Manager(this.cluster, {
      random,
      ...options,
      ...(leaderElection && { leaderElection: { identity, ...leaderElection } }),
      ...(sharding && { sharding: { identity, ...sharding } }),
    });
  }

  get clock(): Clock {
    return this.#freezer.clock;
  }

  get isPaused(): boolean {
    return this.#freezer.isFrozen;
  }

  /** Whether it leads; the shards that it owns. */
  get holds(): boolean | readonly number[] | undefined {
    return this.manager.status().election?.holds;
  }

  /** The promise of `run`. */
  start(): Promise<void> {
    this.#isOver = false;
    const running = this.manager.run({ signal: this.#stop.signal });
    this.#running = running.then(
      () => this.#end(),
      () => this.#end(),
    );
    running.catch(() => {});
    return running;
  }

  abort(): void {
    this.#stop.abort();
  }

  /** Stops, and lets time pass until `run` has ended. */
  async stop(): Promise<void> {
    this.resume();
    this.abort();
    await this.#clock.advance(0);
    for (let seconds = 0; !this.#isOver; seconds++) {
      if (seconds > 120) throw new Error(`${this.identity} does not stop`);
      await this.#clock.advance(1_000);
    }
    await this.#running;
    await this.cluster.close();
  }

  /** As SIGSTOP: time goes on, and nothing happens here. */
  pause(): void {
    this.#freezer.freeze();
  }

  resume(): void {
    this.#freezer.thaw();
  }

  /** No request is answered from now on. */
  cutOff(): void {
    this.#isCutOff = true;
  }

  reconnect(): void {
    this.#isCutOff = false;
  }

  #end(): void {
    this.#isOver = true;
  }

  #disturbed(inner: Transport): Transport {
    return {
      request: async (request) => {
        await this.#freezer.thawed;
        if (this.#isCutOff) return silence(request.signal);
        this.requests.push(`${request.method} ${request.path}`);
        const response = await inner.request(request);
        await this.#freezer.thawed;
        return { ...response, body: this.#delayed(response.body) };
      },
      close: () => inner.close(),
    };
  }

  async *#delayed(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      await this.#freezer.thawed;
      if (this.#isCutOff) await new Promise<never>(() => {});
      yield chunk;
    }
  }
}

function silence(signal: AbortSignal | undefined): Promise<TransportResponse> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** A clock whose timers and turns wait while it is frozen; its time goes on. */
class Freezer {
  readonly #inner: FakeClock;
  readonly #waiting: (() => void)[] = [];
  #thawed: Promise<void> | undefined;
  #thaw: () => void = () => {};

  constructor(inner: FakeClock) {
    this.#inner = inner;
  }

  get isFrozen(): boolean {
    return this.#thawed !== undefined;
  }

  get thawed(): Promise<void> | undefined {
    return this.#thawed;
  }

  freeze(): void {
    this.#thawed ??= new Promise((resolve) => {
      this.#thaw = resolve;
    });
  }

  thaw(): void {
    if (!this.isFrozen) return;
    this.#thawed = undefined;
    this.#thaw();
    for (const callback of this.#waiting.splice(0)) this.#inner.nextTurn(() => this.#call(callback));
  }

  get clock(): Clock {
    const { scheduler } = this;
    return {
      now: () => this.#inner.now(),
      setTimeout: (callback, delayMs) => this.#timer(callback, delayMs),
      sleep: (delayMs, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason);
          const timer = this.#timer(() => {
            signal?.removeEventListener('abort', onAbort);
            resolve();
          }, delayMs);
          const onAbort = () => {
            timer.clear();
            reject(signal?.reason);
          };
          signal?.addEventListener('abort', onAbort, { once: true });
        }),
      scheduler,
    };
  }

  get scheduler(): Scheduler {
    return {
      monotonicMs: () => this.#inner.monotonicMs(),
      nextTurn: (callback) => this.#inner.nextTurn(() => this.#call(callback)),
    };
  }

  #timer(callback: () => void, delayMs: number): Timer {
    let isCleared = false;
    const once = () => {
      if (!isCleared) callback();
    };
    const timer = this.#inner.setTimeout(() => this.#call(once), delayMs);
    return {
      clear: () => {
        isCleared = true;
        timer.clear();
      },
    };
  }

  #call(callback: () => void): void {
    if (this.isFrozen) this.#waiting.push(callback);
    else callback();
  }
}
