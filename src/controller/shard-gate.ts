import { deferred } from '../api/promise-like.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type Lease, leases } from '../generated/api/coordination/v1.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import { aborted } from '../observe/interruption.ts';
import type { Logger } from '../observe/logger.ts';
import { safeLogger } from '../observe/logger.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { type ElectionSettings, electionSettings, type LeaderElectorOptions } from './election-options.ts';
import type { ElectedGate, Term, TermHost } from './gate.ts';
import type { Check } from './health-server.ts';
import { LeaderElector } from './leader-elector.ts';
import type { ElectedGateOptions } from './leader-gate.ts';
import type { ElectionStatus, ShardStatus } from './manager-status.ts';
import { Seat } from './seat.ts';
import { fnv1a, planShards, type ShardBy, shardOf } from './shard-map.ts';
import { ShardView } from './shard-view.ts';
import {
  checkedSharding,
  DIVISION_LABEL,
  ROLE_LABEL,
  SHARDING_LABEL,
  type ShardingOptions,
} from './sharding-options.ts';

/** How long runs of a shard that is handed over may go on before they are aborted. */
const HAND_OVER_MS = 10_000;
/** The Lease of a member that has been gone for this long is deleted. */
const REMAINS_MS = 60_000;

/**
 * The keys of the shards that this process owns. Each shard has a Lease, led by an elector, so that a key has at most one owner. One watch tells every
 * process of all Leases; an elector asks the server only while it holds its Lease, or when the Lease is free and this process should have it.
 */
export class ShardGate implements ElectedGate {
  readonly #cluster: Cluster;
  readonly #options: ElectedGateOptions;
  readonly #settings: ElectionSettings;
  readonly #logger: Logger;
  readonly #shards: number;
  readonly #by: ShardBy;
  /** How keys are divided, as members tell each other. */
  readonly #division: string;
  readonly #view: ShardView;
  readonly #member: LeaderElector;
  readonly #electors: readonly LeaderElector[];
  readonly #shardNames: ReadonlyMap<string, number>;
  readonly #factory: SharedInformerFactory;
  readonly #informer: SharedIndexInformer<Lease>;
  #seats: readonly Seat[] = [];
  /** Since when this process has been a member, by monotonic time. */
  #joinedMs: number | undefined;
  #sweptMs = 0;
  #isStopping = false;
  #hasReportedDivision = false;

  constructor(cluster: Cluster, options: ShardingOptions, gateOptions: ElectedGateOptions) {
    const { shards, by } = checkedSharding(options);
    const { name, shards: _, by: __, ...election } = options;
    const identified = { ...election, identity: electionSettings(cluster, { ...election, name }).identity };
    this.#cluster = cluster;
    this.#options = gateOptions;
    this.#settings = electionSettings(cluster, { ...identified, name });
    this.#logger = safeLogger(this.#settings.logger);
    this.#shards = shards;
    this.#by = by;
    this.#division = `${shards}-${by}`;
    const { clock, namespace, identity, logger, metrics } = this.#settings;
    this.#view = new ShardView(clock);
    const elector = (suffix: string, role: string, more: Partial<LeaderElectorOptions> = {}) => {
      const labels = { [SHARDING_LABEL]: name, [ROLE_LABEL]: role, [DIVISION_LABEL]: this.#division };
      return new LeaderElector(cluster, { ...identified, name: `${name}-${suffix}`, labels, ...more });
    };
    // One identity has one Lease, so that two processes that share it by mistake find out.
    this.#member = elector(`member-${hex(identity)}`, 'member', { releaseOnStop: true });
    this.#electors = Array.from({ length: shards }, (_, shard) => elector(`shard-${shard}`, 'shard'));
    this.#shardNames = new Map(this.#electors.map((elector, shard) => [elector.name, shard]));
    this.#factory = new SharedInformerFactory(cluster, {
      namespace,
      clock,
      logger,
      metrics,
      tweakListOptions: (list) => {
        list.labelSelector = `${SHARDING_LABEL}=${name}`;
      },
    });
    this.#informer = this.#factory.for(leases).informer();
  }

  termOf(key: string): Term | undefined {
    return this.#seats[shardOf(key, this.#shards, this.#by)]?.term;
  }

  async run(host: TermHost, signal: AbortSignal): Promise<void> {
    const { clock, retryPeriodMs } = this.#settings;
    const { promise: failed, reject: fail } = deferred<never>();
    failed.catch(() => {});
    const onChange = () => this.#evaluate();
    const parts = { cluster: this.#cluster, host, clock, onChange, onFailed: fail };
    this.#seats = this.#electors.map((elector) => new Seat({ elector, ...parts }));
    const over = new AbortController();
    const stopMember = new AbortController();
    let membership: Promise<void> | undefined;
    try {
      await Promise.race([this.#observe(signal), failed]);
      membership = this.#belong(stopMember.signal);
      membership.catch(fail);
      void this.#lookNowAndThen(retryPeriodMs, over.signal);
      await Promise.race([aborted(signal, over.signal), failed]);
    } finally {
      this.#isStopping = true;
      // Others see that it goes, and wait for its Leases.
      stopMember.abort();
      const reason = new TidewatchError('stopped', 'the manager stops');
      const { graceMs } = this.#options;
      await Promise.all(this.#seats.map((seat) => seat.leave({ patienceMs: 0, graceMs, reason })));
      await membership?.catch(() => {});
      over.abort();
      await this.#factory.shutdown();
    }
    // The runs may turn out to be stuck while it leaves.
    await Promise.race([failed, Promise.resolve()]);
  }

  get readyz(): Check {
    const name = 'sharding';
    const { state } = this.#informer;
    if (!this.#informer.hasSynced()) {
      const why = state.lastError ? `: ${state.lastError.message}` : '';
      return { name, ok: false, message: `the Leases have not been read (${state.phase}${why})` };
    }
    const { absence } = this.#member;
    if (absence !== undefined) return { name, ok: false, message: absence };
    if (this.#joinedMs === undefined) return { name, ok: false, message: 'this process has not become a member yet' };
    return { name, ok: true };
  }

  get shards(): readonly ShardStatus[] {
    return this.#electors.map(({ name }, shard): ShardStatus => {
      const owner = this.#view.holderOf(name);
      return { name, isOwn: this.#seats[shard]?.term !== undefined, ...(owner !== '' && { owner }) };
    });
  }

  get status(): ElectionStatus {
    const { lease, identity } = this.#settings;
    const holds = this.#seats.flatMap(({ term }, shard) => (term ? [shard] : []));
    return { lease, identity, holds };
  }

  /** Follows the Leases. Resolves when they are known. */
  async #observe(signal: AbortSignal): Promise<void> {
    const informer = this.#informer;
    const seen = (lease: Lease) => {
      this.#view.set(lease);
      this.#electors[this.#shardNames.get(lease.metadata?.name ?? '') ?? -1]?.sight(lease);
      this.#evaluate();
    };
    informer.addEventHandler({
      onAdd: seen,
      onUpdate: (_, lease) => seen(lease),
      onDelete: (lease) => {
        this.#view.delete(lease.metadata?.name ?? '');
        this.#evaluate();
      },
    });
    this.#factory.start();
    await informer.waitForSync({ signal });
  }

  /** Holds the Lease that says that this process is there. */
  async #belong(signal: AbortSignal): Promise<void> {
    await this.#member.run({
      signal,
      onStartedLeading: async (leading) => {
        this.#joinedMs = monotonicMs(this.#settings.clock);
        await aborted(leading);
        this.#joinedMs = undefined;
      },
    });
    await this.#forgetSelf();
  }

  async #lookNowAndThen(everyMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#settings;
    while (!signal.aborted) {
      await clock.sleep(everyMs, signal).catch(() => {});
      this.#evaluate();
      if (!signal.aborted) await this.#sweep(signal);
    }
  }

  /** Takes what is free and should be ours, and hands over what another should have. Costs no request of its own. */
  #evaluate(): void {
    if (this.#isStopping || this.#seats.length === 0) return;
    const { identity } = this.#settings;
    const { members } = this.#view;
    if (!this.#mayTake(members)) return;
    const plan = planShards(
      [...members].filter(([, division]) => division === this.#division).map(([name]) => name),
      this.#shards,
    );
    for (const [shard, seat] of this.#seats.entries()) {
      const holder = this.#view.holderOf(this.#electors[shard]?.name ?? '');
      const isFree = holder === '' || holder === identity;
      if (plan[shard] !== identity) this.#handOver(seat, shard, plan[shard] ?? '');
      else if (isFree) seat.stand();
      // Another was faster. Nobody needs to ask the server about it: the watch will tell.
      else if (seat.term === undefined) void seat.leave({ patienceMs: 0, graceMs: 0, reason: gone(shard) });
    }
  }

  #handOver(seat: Seat, shard: number, to: string): void {
    if (seat.term) this.#logger.info(`Shard ${shard} of ${this.#settings.lease} is handed over to "${to}".`);
    void seat.leave({ patienceMs: HAND_OVER_MS, reason: gone(shard) });
  }

  /**
   * Not before this process has been a member for one retry period, so that all who start at once know of each other. And never beside one that divides
   * keys in another way, because a key would have two owners: who holds shards stays, else the first by name.
   */
  #mayTake(members: ReadonlyMap<string, string>): boolean {
    const { clock, retryPeriodMs, identity } = this.#settings;
    if (this.#joinedMs === undefined || monotonicMs(clock) - this.#joinedMs < retryPeriodMs) return false;
    if (!members.has(identity)) return false;
    const others = [...members].filter(([, division]) => division !== this.#division).map(([name]) => name);
    const { owners } = this.#view;
    const isFirst = !others.some((name) => owners.has(name) || name < identity);
    const mayTake = isFirst || this.#seats.some(({ term }) => term !== undefined);
    if (mayTake) this.#hasReportedDivision = false;
    else this.#reportDivision(others);
    return mayTake;
  }

  #reportDivision(others: readonly string[]): void {
    if (this.#hasReportedDivision) return;
    this.#hasReportedDivision = true;
    this.#logger.error(
      `This process divides keys by ${this.#division} and waits, because "${others[0]}" shares ${this.#settings.lease} and divides them in another way. ` +
        'All processes of a sharding need the same shards and by. Stop those with the old ones before you start others.',
    );
  }

  /** Leases of members that were killed are deleted by who owns the first shard. */
  async #sweep(signal: AbortSignal): Promise<void> {
    const nowMs = monotonicMs(this.#settings.clock);
    if (this.#seats[0]?.term === undefined || nowMs - this.#sweptMs < REMAINS_MS) return;
    this.#sweptMs = nowMs;
    for (const { lease } of this.#view.remains(REMAINS_MS)) await this.#delete(lease, signal);
  }

  async #forgetSelf(): Promise<void> {
    const { namespace, clock, requestTimeoutMs } = this.#settings;
    const limit = new AbortController();
    const timer = clock.setTimeout(() => limit.abort(), requestTimeoutMs);
    const client = this.#cluster.client(leases, { namespace });
    const found = await client.get(this.#member.name, { signal: limit.signal }).catch(() => undefined);
    // Released: otherwise it is another's, or others still count on it.
    if (found && (found.spec?.holderIdentity ?? '') === '') await this.#delete(found, limit.signal);
    timer.clear();
  }

  async #delete({ metadata = {} }: Lease, signal: AbortSignal): Promise<void> {
    const { name = '', uid = '', resourceVersion = '' } = metadata;
    const client = this.#cluster.client(leases, { namespace: this.#settings.namespace });
    await client.delete(name, { preconditions: { uid, resourceVersion }, signal }).catch((error: unknown) => {
      this.#logger.debug(`The Lease ${name} could not be deleted: ${TidewatchError.from(error).message}`);
    });
  }
}

function gone(shard: number): TidewatchError {
  return new TidewatchError('stopped', `shard ${shard} is handed over to another process`);
}

function hex(text: string): string {
  const { high, low } = fnv1a(text);
  return `${high.toString(16).padStart(8, '0')}${low.toString(16).padStart(8, '0')}`;
}
