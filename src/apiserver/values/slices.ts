import { performance } from 'node:perf_hooks';

const SLICE_MS = 5;

/**
 * Keeps a long piece of work from holding the event loop: `pause()` is free until the slice is used up, and then waits
 * for the loop to turn. The length of a slice decides fairness only, so it is measured, not taken from the clock.
 */
export class Slices {
  #startMs = performance.now();

  get due(): boolean {
    return performance.now() - this.#startMs > SLICE_MS;
  }

  async pause(): Promise<void> {
    if (!this.due) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#startMs = performance.now();
  }
}
