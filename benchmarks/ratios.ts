import type { Figure } from './measured-run.ts';
import { type Shown, show } from './promise.ts';
import type { Summary } from './summary.ts';

/** What tidewatch promises beside a peer, as a quotient of the same figure of both in one run. */
interface Ratio {
  readonly what: string;
  readonly ours: string;
  readonly theirs: string;
  readonly figure: Figure;
  /** The quotient is at most this; with `atLeast`, at least this. */
  readonly limit: number;
  readonly atLeast?: boolean;
}

const PROTOBUF = 'tidewatch, packed, protobuf';
const JSON_PACKED = 'tidewatch, packed, JSON';
const GO_PROTOBUF = 'client-go, protobuf';
const GO_DROPPED = 'client-go, protobuf, managedFields dropped';
const GO_JSON = 'client-go, JSON';

const sync = { figure: 'syncSeconds' } as const;
const bytes = { figure: 'heapBytesPerObject' } as const;
const events = { figure: 'eventsPerSecond', atLeast: true } as const;

const RATIOS: readonly Ratio[] = [
  { what: 'sync, protobuf', ours: PROTOBUF, theirs: GO_PROTOBUF, limit: 0.35, ...sync },
  {
    what: 'sync, protobuf',
    ours: PROTOBUF,
    theirs: '@kubernetes/client-node, JSON',
    limit: 0.12,
    ...sync,
  },
  { what: 'sync, JSON', ours: JSON_PACKED, theirs: 'kube-rs, JSON', limit: 0.3, ...sync },
  { what: 'sync, JSON', ours: JSON_PACKED, theirs: GO_JSON, limit: 0.1, ...sync },
  { what: 'bytes a pod', ours: PROTOBUF, theirs: GO_PROTOBUF, limit: 0.2, ...bytes },
  { what: 'bytes a pod', ours: PROTOBUF, theirs: GO_DROPPED, limit: 0.3, ...bytes },
  { what: 'peak RSS', ours: PROTOBUF, theirs: GO_PROTOBUF, limit: 0.4, figure: 'peakRssMb' },
  { what: 'events/s, protobuf', ours: PROTOBUF, theirs: GO_PROTOBUF, limit: 2, ...events },
  { what: 'events/s, JSON', ours: JSON_PACKED, theirs: GO_JSON, limit: 10, ...events },
  {
    what: 'sync when everything is read',
    ours: 'tidewatch, packed, everything read',
    theirs: 'tidewatch, plain, everything read',
    limit: 1.3,
    ...sync,
  },
];

/** In a small cache a program that has just started weighs more than what it does. */
const LEAST_OBJECTS = 10_000;

/** Those whose two sides were measured. */
export function ratios(summary: Summary, objects: number): Shown[] {
  if (objects < LEAST_OBJECTS) return [];
  return RATIOS.flatMap(({ what, ours, theirs, figure, limit, atLeast = false }) => {
    const own = summary.figure(ours, objects, figure);
    const other = summary.figure(theirs, objects, figure);
    if (own === undefined || other === undefined) return [];
    const value = own / other;
    const concerned = [ours, theirs];
    return [show({ what, objects, concerned, value, unit: '', limit, atLeast, guarded: limit })];
  });
}

/** The promises that these contestants could have shown, and did not. */
export function unmeasured(summary: Summary, objects: number, names: ReadonlySet<string>): string[] {
  const measured = (peer: string, figure: Figure) => summary.figure(peer, objects, figure) !== undefined;
  return RATIOS.filter(({ ours, theirs }) => names.has(ours) && names.has(theirs))
    .filter(({ ours, theirs, figure }) => !measured(ours, figure) || !measured(theirs, figure))
    .map(({ what, ours, theirs }) => `${what}: ${ours} / ${theirs}, ${objects.toLocaleString('en')} pods`);
}
