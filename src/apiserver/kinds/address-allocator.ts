/** Hands out cluster addresses and node ports, each to one holder at a time. */
export class NumberAllocator {
  readonly #from: number;
  readonly #end: number;
  readonly #firstChosen: number;
  readonly #used = new Set<number>();

  /** Numbers from `from` on; those before `firstChosen` are for who asks for them by name. */
  constructor(from: number, count: number, firstChosen = from) {
    this.#from = from;
    this.#end = from + count;
    this.#firstChosen = firstChosen;
  }

  /** A free number, chosen by chance; undefined when none is left. */
  allocate(random: () => number): number | undefined {
    const count = this.#end - this.#firstChosen;
    const start = Math.floor(random() * count);
    for (let step = 0; step < count; step++) {
      const candidate = this.#firstChosen + ((start + step) % count);
      if (this.reserve(candidate)) return candidate;
    }
    return undefined;
  }

  /** Takes a given number. False when somebody holds it, or when it is out of range. */
  reserve(number: number): boolean {
    if (!this.contains(number) || this.#used.has(number)) return false;
    this.#used.add(number);
    return true;
  }

  contains(number: number): boolean {
    return number >= this.#from && number < this.#end;
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
