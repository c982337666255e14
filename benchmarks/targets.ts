import type { Figure } from './measured-run.ts';
import { type Shown, show } from './promise.ts';
import type { Summary } from './summary.ts';

/** What tidewatch promises of itself. */
interface Target {
  readonly what: string;
  readonly objects: number;
  readonly figure: Figure;
  /** The figure is divided by the same one with this many objects. */
  readonly besideObjects?: number;
  readonly limit: number;
  readonly unit: string;
  /** Whether `--check` fails on it, if it is measured. Not on short times: they tell of the machine, too. */
  readonly isGuarded: boolean;
}

const PEER = 'tidewatch, packed, protobuf';
const MILLION = 1_000_000;

const TARGETS: readonly Target[] = [
  { what: 'get, metadata read', objects: 20_000, figure: 'readGetMicros', limit: 2, unit: 'µs', isGuarded: false },
  {
    what: 'list of 20,000, names read',
    objects: 20_000,
    figure: 'readListNamesMs',
    limit: 50,
    unit: 'ms',
    isGuarded: false,
  },
  {
    what: 'first read of a spec',
    objects: 20_000,
    figure: 'readFirstSpecMicros',
    limit: 60,
    unit: 'µs',
    isGuarded: false,
  },
  { what: 'peak RSS', objects: MILLION, figure: 'peakRssMb', limit: 4_096, unit: 'MB', isGuarded: true },
  {
    what: 'sync, times that of 100,000',
    objects: MILLION,
    figure: 'syncSeconds',
    besideObjects: 100_000,
    limit: 12,
    unit: '',
    isGuarded: true,
  },
  { what: 'loop delay p99', objects: MILLION, figure: 'eventLoopP99Ms', limit: 20, unit: 'ms', isGuarded: true },
];

/** Those that were measured. */
export function targets(summary: Summary): Shown[] {
  return TARGETS.flatMap(({ what, objects, figure, besideObjects, limit, unit, isGuarded }) => {
    const own = summary.figure(PEER, objects, figure);
    const beside = besideObjects === undefined ? 1 : summary.figure(PEER, besideObjects, figure);
    if (own === undefined || beside === undefined) return [];
    const value = own / beside;
    const guarded = isGuarded ? limit : Number.POSITIVE_INFINITY;
    return [show({ what, objects, concerned: [PEER], value, unit, limit, atLeast: false, guarded })];
  });
}
