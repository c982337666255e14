import { ReflectorError } from './reflector-error.ts';

/** Fewer resumed watches in a row prove nothing: one connection may be dead. */
const MIN_WATCHES = 2;

/**
 * Resumed watches in a row that brought nothing. A server that was restored from a backup accepts a watch from a version that
 * it has yet to reach, and sends neither events nor bookmarks before that: the cache would stay wrong, and nobody would notice.
 * One frame proves that the server is past the version, and so does a list. A watch directly after a list is not among them:
 * its version comes from the server.
 */
export class SilentWatches {
  #count = 0;
  #silentMs = 0;

  /** A resumed watch has ended without a frame. */
  add(lastedMs: number): void {
    this.#count++;
    this.#silentMs += lastedMs;
  }

  /** A frame has come, or a list. */
  reset(): void {
    this.#count = 0;
    this.#silentMs = 0;
  }

  /** Whether they have been silent for so long, all together. */
  areSuspect(limitMs: number): boolean {
    return this.#count >= MIN_WATCHES && this.#silentMs >= limitMs;
  }

  problem(resourceVersion: string): ReflectorError {
    const seconds = Math.round(this.#silentMs / 1000);
    return new ReflectorError(
      'silent',
      `the server has sent nothing after version ${resourceVersion} for ${seconds} s; it may have been restored to an older state`,
    );
  }
}
