import type { Lease, LeaseSpec } from '../generated/api/coordination/v1.ts';

/** What a Lease says about an election. Times are only ever compared for change. client-go: LeaderElectionRecord. */
export interface LeaseRecord {
  /** "" when nobody holds it. */
  readonly holder: string;
  readonly durationSeconds: number;
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How often the holder has changed. */
  readonly transitions: number;
}

const FIELDS: ReadonlyMap<keyof LeaseRecord, keyof LeaseSpec> = new Map<keyof LeaseRecord, keyof LeaseSpec>([
  ['holder', 'holderIdentity'],
  ['durationSeconds', 'leaseDurationSeconds'],
  ['acquireTime', 'acquireTime'],
  ['renewTime', 'renewTime'],
  ['transitions', 'leaseTransitions'],
]);

export function recordOf({ spec = {} }: Lease): LeaseRecord {
  return {
    holder: spec.holderIdentity ?? '',
    durationSeconds: spec.leaseDurationSeconds ?? 0,
    acquireTime: spec.acquireTime ?? '',
    renewTime: spec.renewTime ?? '',
    transitions: spec.leaseTransitions ?? 0,
  };
}

export function specOf(record: LeaseRecord): LeaseSpec {
  return {
    holderIdentity: record.holder,
    leaseDurationSeconds: record.durationSeconds,
    acquireTime: record.acquireTime,
    renewTime: record.renewTime,
    leaseTransitions: record.transitions,
  };
}

/** The fields of the Lease that differ, each with its value before and after. Empty when the records are the same. */
export function differences(before: LeaseRecord, after: LeaseRecord): string[] {
  return [...FIELDS]
    .filter(([field]) => before[field] !== after[field])
    .map(([field, name]) => `${name} was ${JSON.stringify(before[field])} and is ${JSON.stringify(after[field])}`);
}

/**
 * A time as the server wants it in a Lease: in UTC with exactly six fraction digits. The clock knows milliseconds; the last three digits
 * are random, so that two processes that share an identity by mistake do not write the same record.
 */
export function microTime(epochMs: number, random: () => number): string {
  const micros = Math.floor(random() * 1_000);
  return new Date(Math.floor(epochMs)).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
}
