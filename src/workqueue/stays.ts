import { nextId } from '../observe/channels.ts';

/** The ids of the stays of items in a queue, by slot, where somebody looks inside. A stay goes from the first add, or delay, to `done`. */
export class Stays {
  readonly #waiting = new Map<number, number>();
  readonly #running = new Map<number, number>();

  /** That of an item which waits or is delayed; it begins now if there is none. */
  waiting(slot: number): number {
    const known = this.#waiting.get(slot);
    if (known !== undefined) return known;
    const id = nextId();
    this.#waiting.set(slot, id);
    return id;
  }

  /** That of an item which is being worked on; 0: nobody looked when it began. */
  running(slot: number): number {
    return this.#running.get(slot) ?? 0;
  }

  handedOut(slot: number): void {
    this.#running.set(slot, this.#waiting.get(slot) ?? 0);
    this.#waiting.delete(slot);
  }

  released(slot: number): void {
    this.#waiting.delete(slot);
    this.#running.delete(slot);
  }
}
