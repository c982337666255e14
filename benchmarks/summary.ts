import type { Figure, Result } from './measured-run.ts';

/** The median of each figure over the rounds, for each peer and size. */
export class Summary {
  readonly #results: readonly Result[];

  constructor(results: readonly Result[]) {
    this.#results = results;
  }

  get sizes(): number[] {
    return [...new Set(this.#results.map((result) => result.objects))].sort((a, b) => a - b);
  }

  /** In the order in which they first ran. */
  peers(objects: number): string[] {
    return [...new Set(this.#results.filter((result) => result.objects === objects).map((result) => result.peer))];
  }

  rounds(objects: number): number {
    return new Set(this.#results.filter((result) => result.objects === objects).map((result) => result.round)).size;
  }

  figure(peer: string, objects: number, figure: Figure): number | undefined {
    const values = this.#results
      .filter((result) => result.peer === peer && result.objects === objects)
      .flatMap((result) => result[figure] ?? []);
    return median(values);
  }
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 0 ? middle - 1 : middle];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}
