import { deferred } from '../api/promise-like.ts';
import { compareResourceVersions } from '../api/resource-version.ts';

interface Waiter {
  readonly version: string;
  readonly resolve: () => void;
  /** Set once the version has been queued: how many pops must have happened until it is in the store. */
  afterPops: number | undefined;
}

/** Of those who have never waited: most. */
const NOBODY = new Set<Waiter>();

/**
 * How far the store has come, and when it has caught up with a version. The queue is first in, first out by object, so once a version has
 * been queued, it is in the store after as many pops as objects wait at that moment.
 */
export class CaughtUp {
  readonly #queue: { readonly length: number };
  #waiters = NOBODY;
  #queuedVersion = '';
  #storedVersion = '';
  #pops = 0;

  constructor(queue: { readonly length: number }) {
    this.#queue = queue;
  }

  /** Everything up to this version is in the store; "" before the first list. May be older than what the store has of one object. */
  get storedVersion(): string {
    return this.#storedVersion;
  }

  /** Whether everything that has been queued is in the store. */
  get isUpToDate(): boolean {
    return this.#queue.length === 0 && this.#storedVersion === this.#queuedVersion;
  }

  /** Everything up to `version` has been queued. One that is older than what was queued before says nothing. */
  queued(version: string): void {
    if (version === '' || (compareResourceVersions(version, this.#queuedVersion) ?? 1) < 0) return;
    this.replaced(version);
  }

  /** The whole state at `version` has been queued, whether that is newer or not. */
  replaced(version: string): void {
    this.#queuedVersion = version;
    this.#moved();
  }

  popped(count = 1): void {
    this.#pops += count;
    this.#moved();
  }

  /** `cancel` forgets the waiter; its promise then never settles. */
  waitFor(version: string): { reached: Promise<void>; cancel: () => void } {
    const { promise: reached, resolve } = deferred();
    const waiter: Waiter = { version, resolve, afterPops: undefined };
    if (this.#waiters === NOBODY) this.#waiters = new Set();
    this.#waiters.add(waiter);
    this.#look(waiter);
    return { reached, cancel: () => this.#waiters.delete(waiter) };
  }

  #moved(): void {
    if (this.#queue.length === 0) this.#storedVersion = this.#queuedVersion;
    for (const waiter of this.#waiters) this.#look(waiter);
  }

  #look(waiter: Waiter): void {
    if (waiter.afterPops === undefined) {
      const order = compareResourceVersions(this.#queuedVersion, waiter.version);
      if (order === undefined || order < 0) return;
      waiter.afterPops = this.#pops + this.#queue.length;
    }
    if (this.#pops < waiter.afterPops) return;
    this.#waiters.delete(waiter);
    waiter.resolve();
  }
}

/** The version of one part among those of all. */
export interface PartVersion {
  /** It counts as soon as it has a version. */
  readonly isLate: boolean;
  /** Undefined: it does not count. */
  value: string | undefined;
}

/** The oldest of the resourceVersions of several parts, which may come and go; "" as long as one of them has none. */
export class OldestVersion {
  readonly #parts = new Set<PartVersion>();
  #value = '';
  /** How many parts have it: a bookmark that comes to all of them is looked for in all of them once, when the last has it. */
  #holders = 0;

  get value(): string {
    return this.#value;
  }

  join(isLate: boolean): PartVersion {
    const part: PartVersion = { isLate, value: isLate ? undefined : '' };
    this.#parts.add(part);
    this.#count(part);
    return part;
  }

  /** Returns the oldest. */
  set(part: PartVersion, version: string): string {
    if (part.value === version || (part.value === undefined && version === '')) return this.#value;
    if (part.value === this.#value) this.#holders--;
    part.value = version;
    if (this.#holders === 0) this.#countAll();
    else this.#count(part);
    return this.#value;
  }

  /** Sets the version of a part, and reports the oldest. */
  reporter(part: PartVersion, report: (oldest: string) => void): (version: string) => void {
    return (version) => report(this.set(part, version));
  }

  /** The part is gone. Returns the oldest of the others. */
  leave(part: PartVersion): string {
    this.#parts.delete(part);
    this.#countAll();
    return this.#value;
  }

  #countAll(): void {
    this.#value = '';
    this.#holders = 0;
    for (const part of this.#parts) this.#count(part);
  }

  #count({ value }: PartVersion): void {
    if (value === undefined) return;
    if (this.#holders === 0 || isOlder(value, this.#value)) {
      this.#value = value;
      this.#holders = 1;
    } else if (value === this.#value) this.#holders++;
  }
}

function isOlder(version: string, than: string): boolean {
  if (than === '') return false;
  return version === '' || (compareResourceVersions(version, than) ?? 0) < 0;
}
