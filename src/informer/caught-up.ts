import { compareResourceVersions } from '../api/resource-version.ts';

interface Waiter {
  readonly version: string;
  readonly resolve: () => void;
  /** Set once the version has been queued: how many pops must have happened until it is in the store. */
  afterPops: number | undefined;
}

/**
 * Tells when the store has caught up with a version. The queue is first in, first out by object, so once a version has
 * been queued, it is in the store after as many pops as objects wait at that moment.
 */
export class CaughtUp {
  readonly #queueLength: () => number;
  readonly #waiters = new Set<Waiter>();
  #queuedVersion = '';
  #pops = 0;

  constructor(queueLength: () => number) {
    this.#queueLength = queueLength;
  }

  /** The newest version that has been queued. */
  get queuedVersion(): string {
    return this.#queuedVersion;
  }

  /** Everything up to `version` has been queued. */
  queued(version: string): void {
    if (version === '') return;
    this.#queuedVersion = version;
    for (const waiter of this.#waiters) this.#look(waiter);
  }

  popped(): void {
    this.#pops++;
    for (const waiter of this.#waiters) this.#look(waiter);
  }

  /** `cancel` forgets the waiter; its promise then never settles. */
  waitFor(version: string): { reached: Promise<void>; cancel: () => void } {
    let cancel = () => {};
    const reached = new Promise<void>((resolve) => {
      const waiter: Waiter = { version, resolve, afterPops: undefined };
      cancel = () => this.#waiters.delete(waiter);
      this.#waiters.add(waiter);
      this.#look(waiter);
    });
    return { reached, cancel };
  }

  #look(waiter: Waiter): void {
    if (waiter.afterPops === undefined) {
      const order = compareResourceVersions(this.#queuedVersion, waiter.version);
      if (order === undefined || order < 0) return;
      waiter.afterPops = this.#pops + this.#queueLength();
    }
    if (this.#pops < waiter.afterPops) return;
    this.#waiters.delete(waiter);
    waiter.resolve();
  }
}
