import type { Figure, Result } from './measured-run.ts';

const MORE_IS_BETTER: ReadonlySet<Figure> = new Set(['eventsPerSecond']);

/** What does not get better on a quiet machine. */
const NEITHER: ReadonlySet<Figure> = new Set([
  'heapBytesPerObject',
  'peakRssMb',
  'eventsPeakRssMb',
  'readsDuringSync',
  'readsDuringSyncWithObjects',
]);

/**
 * One value of each figure, for each peer and size. Of times and rates the best round, because other programs on the
 * machine can only make them worse; of memory and of counts the median.
 */
export class Summary {
  readonly #results: readonly Result[];

  constructor(results: readonly Result[]) {
    this.#results = results;
  }

  get sizes(): number[] {
    return [...new Set(this.#results.map((result) => result.objects))].sort((a, b) => a - b);
  }

  /** How many rounds it has run. */
  rounds(peer: string, objects: number): number {
    return this.#of(peer, objects).length;
  }

  figure(peer: string, objects: number, figure: Figure): number | undefined {
    const values = this.#of(peer, objects)
      .flatMap((result) => result[figure] ?? [])
      .sort((a, b) => a - b);
    if (NEITHER.has(figure)) return median(values);
    return MORE_IS_BETTER.has(figure) ? values.at(-1) : values[0];
  }

  #of(peer: string, objects: number): Result[] {
    return this.#results.filter((result) => result.peer === peer && result.objects === objects);
  }
}

function median(sorted: readonly number[]): number | undefined {
  const middle = (sorted.length - 1) / 2;
  const [below, above] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return below === undefined || above === undefined ? undefined : (below + above) / 2;
}
