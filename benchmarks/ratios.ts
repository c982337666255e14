import type { Figure } from './measured-run.ts';
import type { Summary } from './summary.ts';

/** What tidewatch promises beside a peer, as a quotient of the same figure of both in one run. */
interface Promised {
  readonly what: string;
  readonly ours: string;
  readonly theirs: string;
  readonly figure: Figure;
  /** The quotient is at most this; with `atLeast`, at least this. */
  readonly limit: number;
  readonly atLeast?: boolean;
  /** Where it stands while the promise is not kept; the check then guards this. To be removed once it is kept. */
  readonly standing?: number;
}

export interface Ratio extends Promised {
  readonly objects: number;
  readonly value: number;
  readonly holds: boolean;
  /** Whether it holds with the allowance that a short run on a busy machine gets. */
  readonly nearlyHolds: boolean;
}

const PROTOBUF = 'tidewatch, packed, protobuf';
const JSON_PACKED = 'tidewatch, packed, JSON';
const GO_PROTOBUF = 'client-go, protobuf';
const GO_DROPPED = 'client-go, protobuf, managedFields dropped';
const GO_JSON = 'client-go, JSON';

const sync = { figure: 'syncSeconds' } as const;
const bytes = { figure: 'heapBytesPerObject' } as const;
const events = { figure: 'eventsPerSecond', atLeast: true } as const;

const PROMISED: readonly Promised[] = [
  { what: 'sync, protobuf', ours: PROTOBUF, theirs: GO_PROTOBUF, limit: 0.35, standing: 0.45, ...sync },
  {
    what: 'sync, protobuf',
    ours: PROTOBUF,
    theirs: '@kubernetes/client-node, JSON',
    limit: 0.12,
    standing: 0.2,
    ...sync,
  },
  { what: 'sync, JSON', ours: JSON_PACKED, theirs: 'kube-rs, JSON', limit: 0.3, standing: 0.45, ...sync },
  { what: 'sync, JSON', ours: JSON_PACKED, theirs: GO_JSON, limit: 0.1, standing: 0.17, ...sync },
  { what: 'bytes a pod', ours: PROTOBUF, theirs: GO_PROTOBUF, limit: 0.2, ...bytes },
  { what: 'bytes a pod', ours: PROTOBUF, theirs: GO_DROPPED, limit: 0.3, ...bytes },
  { what: 'peak RSS', ours: PROTOBUF, theirs: GO_PROTOBUF, limit: 0.4, figure: 'peakRssMb' },
  { what: 'events/s, protobuf', ours: PROTOBUF, theirs: GO_PROTOBUF, limit: 2, ...events },
  { what: 'events/s, JSON', ours: JSON_PACKED, theirs: GO_JSON, limit: 10, standing: 5.5, ...events },
  {
    what: 'sync when everything is read',
    ours: 'tidewatch, packed, everything read',
    theirs: 'tidewatch, plain, everything read',
    limit: 1.3,
    ...sync,
  },
];

/** How far a short run on a shared machine may miss a promise before it counts as a regression. */
const ALLOWANCE = 1.3;

/** In a small cache a program that has just started weighs more than what it does. */
export function isPromised(objects: number): boolean {
  return objects >= 10_000;
}

/** Those whose two sides were measured. */
export function ratios(summary: Summary, objects: number): Ratio[] {
  return PROMISED.flatMap((promised) => {
    const { ours, theirs, figure, limit, standing, atLeast = false } = promised;
    const own = summary.figure(ours, objects, figure);
    const other = summary.figure(theirs, objects, figure);
    if (own === undefined || other === undefined) return [];
    const value = own / other;
    const holds = atLeast ? value >= limit : value <= limit;
    const guarded = standing ?? limit;
    const nearlyHolds = atLeast ? value >= guarded / ALLOWANCE : value <= guarded * ALLOWANCE;
    return [{ ...promised, objects, value, holds, nearlyHolds }];
  });
}

/** The promises that these contestants could have shown, and did not. */
export function unmeasured(shown: readonly Ratio[], names: ReadonlySet<string>): string[] {
  return PROMISED.filter(({ ours, theirs }) => names.has(ours) && names.has(theirs))
    .filter(
      ({ ours, theirs, figure }) =>
        !shown.some((it) => it.ours === ours && it.theirs === theirs && it.figure === figure),
    )
    .map(({ what, ours, theirs }) => `${what}: ${ours} / ${theirs}`);
}

export function describeRatio({ what, ours, theirs, value, limit, atLeast, objects, holds }: Ratio): string {
  const bound = `${atLeast ? 'at least' : 'at most'} ${limit}`;
  return `${holds ? 'holds ' : 'MISSED'}  ${value.toPrecision(3).padStart(6)}  (${bound})  ${what}: ${ours} / ${theirs}, ${objects} pods`;
}
