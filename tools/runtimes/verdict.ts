import type { Outcome } from './check.ts';
import type { Runtime } from './runtimes.ts';

/** A check that is known to fail on a runtime. */
export interface KnownDifference {
  readonly runtime: Runtime['name'];
  /** Its name. */
  readonly check: string;
  /** What the runtime does differently; a sentence for users. */
  readonly reason: string;
}

export interface Verdict {
  /** One for each outcome. */
  readonly lines: readonly string[];
  /** Empty when what failed is exactly what is listed. */
  readonly problems: readonly string[];
}

/** Compares what came of the checks on one runtime with the list of what is known to fail there. */
export function verdict(
  runtime: Runtime['name'],
  outcomes: readonly Outcome[],
  known: readonly KnownDifference[],
): Verdict {
  const listed = new Map(known.filter((one) => one.runtime === runtime).map((one) => [one.check, one.reason]));
  const lines: string[] = [];
  const problems: string[] = [];
  for (const { check, failure } of outcomes) {
    const reason = listed.get(check);
    listed.delete(check);
    if (failure === undefined) {
      lines.push(`ok      ${check}`);
      if (reason !== undefined) {
        problems.push(
          `On ${runtime}, "${check}" passes, but is listed as a known difference: remove it from the list.`,
        );
      }
    } else if (reason === undefined) {
      lines.push(`FAILED  ${check}`);
      problems.push(`On ${runtime}, "${check}" fails:\n${failure}`);
    } else {
      lines.push(`differs ${check}: ${reason}`);
    }
  }
  for (const check of listed.keys()) {
    problems.push(`The known differences of ${runtime} name "${check}", which is not a check.`);
  }
  return { lines, problems };
}
