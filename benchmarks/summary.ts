import type { Figure, Result } from './measured-run.ts';

const MORE_IS_BETTER: ReadonlySet<Figure> = new Set(['eventsPerSecond']);

/** What does not get better on a quiet machine. */
const NEITHER: ReadonlySet<Figure> = new Set([
  'heapBytesPerObject',
  'heapBytesAtSync',
  'v8BytesPerObject',
  'peakRssMb',
  'eventsPeakRssMb',
  'readsDuringSync',
  'readsDuringSyncWithObjects',
]);

/**
 * One value of each figure, for each peer and scene. Of times and rates the best round, because other programs on the
 * machine can only make them worse; of memory and of counts the median.
 */
export class Summary {
  readonly #results: readonly Result[];

  constructor(results: readonly Result[]) {
    this.#results = results;
  }

  /** Their titles, in the order in which they were measured. */
  get scenes(): string[] {
    return [...new Set(this.#results.map((result) => result.scene))];
  }

  /** How many rounds it has run. */
  rounds(peer: string, scene: string): number {
    return this.#of(peer, scene).length;
  }

  figure(peer: string, scene: string, figure: Figure): number | undefined {
    const values = this.#of(peer, scene)
      .flatMap((result) => result[figure] ?? [])
      .sort((a, b) => a - b);
    if (NEITHER.has(figure)) return median(values);
    return MORE_IS_BETTER.has(figure) ? values.at(-1) : values[0];
  }

  #of(peer: string, scene: string): Result[] {
    return this.#results.filter((result) => result.peer === peer && result.scene === scene);
  }
}

function median(sorted: readonly number[]): number | undefined {
  const middle = (sorted.length - 1) / 2;
  const [below, above] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return below === undefined || above === undefined ? undefined : (below + above) / 2;
}
