/** Something that tidewatch promises of itself or beside a peer, and what a run has shown. */
export interface Shown {
  readonly what: string;
  /** The title of the scene. */
  readonly scene: string;
  /** The contestants whose figures it is made of. */
  readonly concerned: readonly string[];
  readonly value: number;
  readonly unit: string;
  /** The value is at most this; with `atLeast`, at least this. */
  readonly limit: number;
  readonly atLeast: boolean;
  readonly holds: boolean;
  /** What `--check` looks at: whether it holds with the allowance that a short run on a busy machine gets. */
  readonly nearlyHolds: boolean;
}

/** How far a short run on a shared machine may miss a promise before it counts as a regression. */
export const ALLOWANCE = 1.3;

interface Comparison extends Omit<Shown, 'holds' | 'nearlyHolds'> {
  /** What `--check` guards, before the allowance; infinite: nothing. */
  readonly guarded: number;
}

export function show({ guarded, ...comparison }: Comparison): Shown {
  const { value, limit, atLeast } = comparison;
  return {
    ...comparison,
    holds: atLeast ? value >= limit : value <= limit,
    nearlyHolds: atLeast ? value >= guarded / ALLOWANCE : value <= guarded * ALLOWANCE,
  };
}

export function describe({ what, concerned, value, unit, limit, atLeast, scene, holds }: Shown): string {
  const bound = `${atLeast ? 'at least' : 'at most'} ${withUnit(limit, unit)}`;
  const whose = `${concerned.join(' / ')}, ${scene}`;
  return `${holds ? 'holds ' : 'MISSED'}  ${withUnit(value, unit).padStart(8)}  (${bound})  ${what}: ${whose}`;
}

export function withUnit(value: number, unit: string): string {
  const shown = value.toLocaleString(
    'en',
    value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  );
  return unit === '' ? shown : `${shown} ${unit}`;
}
