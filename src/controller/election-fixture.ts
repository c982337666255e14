import { expect } from 'vitest';
import type { Transport } from '../api/transport.ts';
import { Cluster } from '../cluster/cluster.ts';
import { type Lease, type LeaseSpec, leases } from '../generated/api/coordination/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import type { Logger } from '../observe/logger.ts';
import { silentLogger } from '../observe/logger.ts';
import { ApiServer } from '../testing/api-server.ts';
import type { LeaderElectorOptions } from './election-options.ts';
import { LeaderElector, type LeaderElectorRunOptions } from './leader-elector.ts';
import type { Fence } from './leadership.ts';

export const LEASES = { resource: 'leases' };

/** The embedded server on a fake clock, a Lease `default/website`, and candidates for it. */
export async function electionFixture() {
  const clock = new FakeClock();
  const server = await ApiServer.start({ listen: false, clock, logger: silentLogger });
  const admin = server.cluster({ clock, logger: silentLogger, fieldManager: 'test' });
  const client = admin.client(leases, { namespace: 'default' });
  const candidates: Candidate[] = [];
  const fixture = {
    clock,
    server,
    admin,
    lease: () => client.get('website'),
    spec: async (): Promise<LeaseSpec> => (await client.get('website')).spec ?? {},
    create: (spec: LeaseSpec | undefined, metadata: Lease['metadata'] = {}) =>
      client.create({ metadata: { name: 'website', ...metadata }, ...(spec && { spec }) }),
    /** Another changes the Lease. */
    change: (patch: { spec?: Partial<LeaseSpec>; metadata?: Lease['metadata'] }) => client.patch('website', patch),
    remove: () => client.delete('website'),
    candidate(identity: string, options: Partial<LeaderElectorOptions> = {}, transport = server.transport()) {
      const candidate = new Candidate(clock, transport, { ...options, identity });
      candidates.push(candidate);
      return candidate;
    },
    /** Lets all that can happen now happen. */
    settle: () => clock.advance(0),
    async [Symbol.asyncDispose]() {
      for (const candidate of candidates) await candidate.stop();
      await server.stop();
      expect(clock.pendingTimers, 'timers that are left').toBe(0);
    },
  };
  return fixture;
}

/** An elector, with what it said and did. */
export class Candidate {
  readonly elector: LeaderElector;
  readonly cluster: Cluster;
  readonly requests: string[] = [];
  readonly bodies: unknown[] = [];
  readonly lines: string[] = [];
  /** What its callbacks heard, in order. */
  readonly heard: string[] = [];
  /** The fences of its terms. */
  readonly fences: Fence[] = [];
  readonly #clock: FakeClock;
  #stop = new AbortController();
  #running: Promise<unknown> | undefined;

  constructor(clock: FakeClock, transport: Transport, options: Partial<LeaderElectorOptions> & { identity: string }) {
    this.#clock = clock;
    this.cluster = Cluster.over(this.#recorded(transport), { clock, logger: silentLogger });
    let seed = 123_456_789;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    this.elector = new LeaderElector(this.cluster, { name: 'website', logger: this.#logger(), random, ...options });
  }

  /** The promise of `run`, which a test that expects it to reject must await. */
  run(options: Partial<LeaderElectorRunOptions> = {}): Promise<void> {
    this.#stop = new AbortController();
    const running = this.elector.run({
      signal: this.#stop.signal,
      onStartedLeading: (_signal, fence) => {
        this.heard.push('started');
        this.fences.push(fence);
      },
      onStoppedLeading: () => this.heard.push('stopped'),
      onNewLeader: (identity) => this.heard.push(`leader ${identity}`),
      ...options,
    });
    this.#running = running.catch(() => {});
    return running;
  }

  /** Runs, and lets the first try end. */
  async start(options: Partial<LeaderElectorRunOptions> = {}): Promise<void> {
    void this.run(options).catch(() => {});
    await this.#clock.advance(0);
  }

  abort(): void {
    this.#stop.abort();
  }

  /** Stops, and lets time pass until `run` has ended. */
  async stop(): Promise<void> {
    this.abort();
    let isOver = this.#running === undefined;
    void this.#running?.then(() => {
      isOver = true;
    });
    await this.#clock.advance(0);
    while (!isOver) await this.#clock.advance(1_000);
  }

  /** The requests since the last call. */
  sent(): string[] {
    return this.requests.splice(0);
  }

  #recorded(inner: Transport): Transport {
    return {
      request: (request) => {
        this.requests.push(request.method);
        if (typeof request.body === 'string') this.bodies.push(JSON.parse(request.body));
        return inner.request(request);
      },
      close: () => inner.close(),
    };
  }

  #logger(): Logger {
    const push = (message: string) => void this.lines.push(message);
    return { debug: () => {}, info: () => {}, warn: push, error: push };
  }
}
