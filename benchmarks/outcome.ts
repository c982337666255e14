import type { Contestant } from './contestants.ts';
import type { Failure } from './race.ts';
import type { Summary } from './summary.ts';

/** What a run has shown, of whom. */
export interface Outcome {
  readonly summary: Summary;
  /** Those that could be built, and that were asked for. */
  readonly contestants: readonly Contestant[];
  readonly failures: readonly Failure[];
}

/** A contestant in the table of one size. */
export interface Row {
  readonly name: string;
  /** Why there are no figures. */
  readonly without?: string;
}

/** In the order of the contestants. */
export function rows(outcome: Outcome, objects: number): Row[] {
  return outcome.contestants.flatMap((contestant) => {
    const { name } = contestant;
    if (outcome.summary.rounds(name, objects) > 0) return [{ name }];
    const without = reason(contestant, objects, outcome);
    return without === undefined ? [] : [{ name, without }];
  });
}

function reason({ name, beyond, maxObjects }: Contestant, objects: number, outcome: Outcome): string | undefined {
  const failure = outcome.failures.find((it) => it.peer === name && it.objects === objects);
  if (failure !== undefined) return `It failed in this run: ${failure.message.split('\n')[0]}.`;
  if (objects <= maxObjects || beyond === undefined) return undefined;
  return `Not tried: ${beyond(heapOf(name, objects, outcome.summary))}.`;
}

/** What this many objects would take at the bytes an object of the largest size that was measured. */
function heapOf(name: string, objects: number, summary: Summary): string {
  const measured = summary.sizes.flatMap((size) => summary.figure(name, size, 'heapBytesPerObject') ?? []);
  const bytes = measured.at(-1);
  return bytes === undefined ? 'too large' : `about ${Math.round((bytes * objects) / 1e9)} GB`;
}
