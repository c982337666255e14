import { compareResourceVersions } from '../api/resource-version.ts';

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
