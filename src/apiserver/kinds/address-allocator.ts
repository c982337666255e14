/** Hands out cluster addresses and node ports, each to one holder at a time. */
export class NumberAllocator {
  readonly #from: number;
  readonly #count: number;
  readonly #used = new Set<number>();

  constructor(from: number, count: number) {
    this.#from = from;
    this.#count = count;
  }

  /** A free number, chosen by chance; undefined when none is left. */
  allocate(random: () => number): number | undefined {
    if (this.#used.size >= this.#count) return undefined;
    let candidate = this.#from + Math.floor(random() * this.#count);
    while (this.#used.has(candidate)) candidate = candidate + 1 < this.#from + this.#count ? candidate + 1 : this.#from;
    this.#used.add(candidate);
    return candidate;
  }

  /** Takes a given number. False when somebody holds it, or when it is out of range. */
  reserve(number: number): boolean {
    if (!this.contains(number) || this.#used.has(number)) return false;
    this.#used.add(number);
    return true;
  }

  contains(number: number): boolean {
    return number >= this.#from && number < this.#from + this.#count;
  }

  release(number: number): void {
    this.#used.delete(number);
  }
}

export function addressNumber(text: string): number {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part <= 255))) return -1;
  return parts.reduce((number, part) => number * 256 + part, 0);
}

export function addressText(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}
