import { ReflectorError } from './reflector-error.ts';

/** After this many resumed watches in a row that were given up for their silence, a list is due. */
const MAX_GIVEN_UP = 2;

/**
 * Resumed watches in a row that brought nothing. A server that was restored from a backup accepts a watch from a version that
 * it has yet to reach, and sends neither events nor bookmarks before that: the cache would stay wrong, and nobody would notice.
 * One frame proves that the server is past the version, and so does a list. A watch directly after a list is no proof and no
 * suspicion: its version comes from the server.
 */
export class SilentWatches {
  readonly #maxMs: number;
  #givenUp = 0;
  #silentMs = 0;

  /** `maxMs`: how long they may be silent in total, however short each of them is. */
  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** A resumed watch has ended without a frame. `wasGivenUp`: because of its silence. */
  add(lastedMs: number, wasGivenUp: boolean): void {
    this.#silentMs += lastedMs;
    if (wasGivenUp) this.#givenUp++;
  }

  /** A frame has come, or a list. */
  reset(): void {
    this.#givenUp = 0;
    this.#silentMs = 0;
  }

  get areSuspect(): boolean {
    return this.#givenUp >= MAX_GIVEN_UP || this.#silentMs >= this.#maxMs;
  }

  problem(resourceVersion: string): ReflectorError {
    const seconds = Math.round(this.#silentMs / 1000);
    return new ReflectorError(
      'silent',
      `the server has sent nothing after version ${resourceVersion} for ${seconds} s; it may have been restored to an older state`,
    );
  }
}
