import type { SpecResult } from './suite-run.ts';

/** One spec on both servers. */
export interface Compared {
  readonly name: string;
  /** `[sig-apps]`: the group that it belongs to. */
  readonly group: string;
  readonly here: SpecResult['state'];
  readonly onReal: SpecResult['state'];
  /** Why the two differ, where that is known. */
  readonly reason: string;
}

export interface Comparison {
  readonly specs: readonly Compared[];
  /** Passed on the real server and not here, and nobody has said why. */
  readonly unexplained: readonly Compared[];
  /** Have a reason, and pass all the same. */
  readonly outdated: readonly string[];
}

/** Known differences: a part of the spec's name, and why it does not pass here. */
export type Reasons = Readonly<Record<string, string>>;

export function compareResults(
  here: readonly SpecResult[],
  onReal: readonly SpecResult[],
  reasons: Reasons,
): Comparison {
  const [byName, byNameOnReal] = [here, onReal].map((results) => new Map(results.map((one) => [one.name, one])));
  const names = [...new Set([...onReal, ...here].map(({ name }) => name))].sort();
  const specs = names.map((name): Compared => {
    const states = {
      here: byName?.get(name)?.state ?? 'not run',
      onReal: byNameOnReal?.get(name)?.state ?? 'not run',
    } as const;
    const reason = Object.entries(reasons).find(([part]) => name.includes(part))?.[1] ?? '';
    return { name, group: /\[sig-[a-z-]+\]/.exec(name)?.[0] ?? '', ...states, reason };
  });
  const isWorse = ({ here: state, onReal: real }: Compared) => real === 'passed' && state !== 'passed';
  return {
    specs,
    unexplained: specs.filter((spec) => isWorse(spec) && spec.reason === ''),
    outdated: Object.keys(reasons).filter((part) => !specs.some((spec) => spec.name.includes(part) && isWorse(spec))),
  };
}
