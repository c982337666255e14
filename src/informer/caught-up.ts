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
    let cancel = () => {};
    const reached = new Promise<void>((resolve) => {
      const waiter: Waiter = { version, resolve, afterPops: undefined };
      cancel = () => this.#waiters.delete(waiter);
      if (this.#waiters === NOBODY) this.#waiters = new Set();
      this.#waiters.add(waiter);
      this.#look(waiter);
    });
    return { reached, cancel };
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

/** The oldest of the resourceVersions of several parts, which may come and go; "" as long as one of them has none. */
export class OldestVersion {
  /** By the number of the part. Undefined: it does not count. */
  readonly #versions: (string | undefined)[] = [];
  readonly #free: number[] = [];
  #oldest = 0;

  get value(): string {
    return this.#versions[this.#oldest] ?? '';
  }

  /** Another part; returns its number. `isLate`: it counts as soon as it has a version. */
  join(isLate: boolean): number {
    const part = this.#free.pop() ?? this.#versions.length;
    this.#versions[part] = isLate ? undefined : '';
    this.#find();
    return part;
  }

  /** Costs next to nothing unless it concerns the oldest. Returns the oldest. */
  set(part: number, version: string): string {
    const before = this.#versions[part];
    if (before === version || (before === undefined && version === '')) return this.value;
    this.#versions[part] = version;
    if (part === this.#oldest || before === undefined) this.#find();
    else this.#compare(part);
    return this.value;
  }

  /** Sets the version of a part, and reports the oldest. */
  reporter(part: number, report: (oldest: string) => void): (version: string) => void {
    return (version) => report(this.set(part, version));
  }

  /** The part is gone. Returns the oldest of the others. */
  leave(part: number): string {
    this.#versions[part] = undefined;
    this.#free.push(part);
    this.#find();
    return this.value;
  }

  #find(): void {
    for (let other = 0; other < this.#versions.length; other++) this.#compare(other);
  }

  #compare(part: number): void {
    const version = this.#versions[part];
    if (version === undefined) return;
    const oldest = this.#versions[this.#oldest];
    if (oldest === undefined || isOlder(version, oldest)) this.#oldest = part;
  }
}

function isOlder(version: string, than: string): boolean {
  if (than === '') return false;
  return version === '' || (compareResourceVersions(version, than) ?? 0) < 0;
}
