import type { Lease } from '../generated/api/coordination/v1.ts';
import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { differences, type LeaseRecord, recordOf } from './lease-record.ts';
import { DIVISION_LABEL, ROLE_LABEL } from './sharding-options.ts';

/** A Lease of a sharding, as a watch has brought it. */
export interface SightedLease {
  readonly lease: Lease;
  readonly record: LeaseRecord;
  /** When its record was first seen, by monotonic time. */
  readonly sinceMs: number;
}

/** What a watch has told of the Leases of a sharding. Who holds one is live for as long as the Lease says after each change that was seen. */
export class ShardView {
  readonly #clock: Clock;
  readonly #leases = new Map<string, SightedLease>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  set(lease: Lease): void {
    const name = lease.metadata?.name ?? '';
    const record = recordOf(lease);
    const known = this.#leases.get(name);
    const isSame = known !== undefined && differences(known.record, record).length === 0;
    const sinceMs = isSame ? known.sinceMs : monotonicMs(this.#clock);
    this.#leases.set(name, { lease, record, sinceMs });
  }

  delete(name: string): void {
    this.#leases.delete(name);
  }

  /** Who holds the Lease now; "" when nobody does, or its time is up. */
  holderOf(name: string): string {
    const sighted = this.#leases.get(name);
    return sighted && this.#isLive(sighted) ? sighted.record.holder : '';
  }

  /** Those who are there, with how they divide keys. */
  get members(): ReadonlyMap<string, string> {
    const live = [...this.#leases.values()].filter((one) => roleOf(one) === 'member' && this.#isLive(one));
    return new Map(live.map(({ lease, record }) => [record.holder, lease.metadata?.labels?.[DIVISION_LABEL] ?? '']));
  }

  /** Who holds shards. */
  get owners(): ReadonlySet<string> {
    const held = [...this.#leases.values()].filter((one) => roleOf(one) === 'shard' && this.#isLive(one));
    return new Set(held.map(({ record }) => record.holder));
  }

  /** Leases of members that have been gone for this long. */
  remains(ms: number): SightedLease[] {
    const untilMs = monotonicMs(this.#clock) - ms;
    return [...this.#leases.values()].filter(
      (one) => roleOf(one) === 'member' && one.sinceMs + one.record.durationSeconds * 1_000 <= untilMs,
    );
  }

  #isLive({ record, sinceMs }: SightedLease): boolean {
    return record.holder !== '' && monotonicMs(this.#clock) - sinceMs < record.durationSeconds * 1_000;
  }
}

function roleOf({ lease }: SightedLease): string | undefined {
  return lease.metadata?.labels?.[ROLE_LABEL];
}
