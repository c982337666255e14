import { compareResourceVersions } from '../api/resource-version.ts';

interface Waiter {
  readonly version: string;
  readonly resolve: () => void;
  /** Set once the version has been queued: how many pops must have happened until it is in the store. */
  afterPops: number | undefined;
}

/**
 * How far the store has come, and when it has caught up with a version. The queue is first in, first out by object, so once a version has
 * been queued, it is in the store after as many pops as objects wait at that moment.
 */
export class CaughtUp {
  readonly #queueLength: () => number;
  readonly #waiters = new Set<Waiter>();
  #queuedVersion = '';
  #storedVersion = '';
  #pops = 0;

  constructor(queueLength: () => number) {
    this.#queueLength = queueLength;
  }

  /** Everything up to this version is in the store; "" before the first list. May be older than what the store has of one object. */
  get storedVersion(): string {
    return this.#storedVersion;
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

  popped(): void {
    this.#pops++;
    this.#moved();
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

  #moved(): void {
    if (this.#queueLength() === 0) this.#storedVersion = this.#queuedVersion;
    for (const waiter of this.#waiters) this.#look(waiter);
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

/** The oldest of the resourceVersions of several parts; "" as long as one of them has none. */
export class OldestVersion {
  readonly #versions: string[];
  #oldest = 0;

  constructor(parts: number) {
    this.#versions = new Array<string>(parts).fill('');
  }

  get value(): string {
    return this.#versions[this.#oldest] ?? '';
  }

  /** Costs next to nothing unless it concerns the oldest. Returns the oldest. */
  set(part: number, version: string): string {
    if (this.#versions[part] === version) return this.value;
    this.#versions[part] = version;
    if (part === this.#oldest) {
      for (let other = 0; other < this.#versions.length; other++) this.#compare(other);
    } else {
      this.#compare(part);
    }
    return this.value;
  }

  #compare(part: number): void {
    if (isOlder(this.#versions[part] ?? '', this.value)) this.#oldest = part;
  }
}

function isOlder(version: string, than: string): boolean {
  if (than === '') return false;
  return version === '' || (compareResourceVersions(version, than) ?? 0) < 0;
}
