import type { Figure, Result } from './measured-run.ts';

const MORE_IS_BETTER: ReadonlySet<Figure> = new Set(['eventsPerSecond']);

/** The best round of each figure, for each peer and size: other programs on the machine can only make it worse. */
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
    if (values.length === 0) return undefined;
    return MORE_IS_BETTER.has(figure) ? Math.max(...values) : Math.min(...values);
  }
}
