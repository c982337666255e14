import { compareResourceVersions } from '../api/resource-version.ts';

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
