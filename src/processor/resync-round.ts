import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';

/** Many objects, taken one by one. There may be a million, so nothing is made of one before its turn. */
export class ObjectWalk<T extends KubernetesObject> {
  /** When it began. */
  readonly atMs: number;
  readonly #objects: readonly Cached<T>[];
  #next = 0;

  constructor(objects: readonly Cached<T>[], atMs: number) {
    this.#objects = objects;
    this.atMs = atMs;
  }

  /** How many have not been taken. */
  get left(): number {
    return this.#objects.length - this.#next;
  }

  /** Undefined when none is left. */
  take(): Cached<T> | undefined {
    return this.#next < this.#objects.length ? this.#objects[this.#next++] : undefined;
  }
}

/**
 * Everything that was stored when one listener was due, on its way to that listener once more. It begins when all that
 * waited before it has been delivered: a state must not be shown again before it was shown first. From then on it takes
 * turns with the changes that come, so that neither holds up the other.
 */
export class ResyncRound<T extends KubernetesObject> extends ObjectWalk<T> {
  /** How many of the changes that wait came before the round. Too high, never too low, when some of them cancel out. */
  #ahead: number;
  #hadLastTurn = false;

  constructor(objects: readonly Cached<T>[], atMs: number, waiting: number) {
    super(objects, atMs);
    this.#ahead = waiting;
  }

  /** Whether the round has its turn, and not one of the `waiting` changes; counts one of them as delivered if not. */
  takesTurn(waiting: number): boolean {
    if (waiting > 0 && this.#ahead > 0) {
      this.#ahead--;
      return false;
    }
    this.#hadLastTurn = waiting === 0 || !this.#hadLastTurn;
    return this.#hadLastTurn;
  }
}
