/**
 * A way from a variable to a value: names of fields, `@items`, `@keys` and `@values`; empty for a computed value. Longer
 * paths are written into the memory of shorter ones while there is room in it, as Go appends to slices: the second path
 * from one place overwrites the first one. The server's estimates err by this, and ours have to err alike.
 */
export class ValuePath {
  static readonly EMPTY = new ValuePath({ names: [], capacity: 0 }, 0);
  readonly #memory: { readonly names: string[]; readonly capacity: number };
  readonly length: number;

  private constructor(memory: { readonly names: string[]; readonly capacity: number }, length: number) {
    this.#memory = memory;
    this.length = length;
  }

  child(name: string): ValuePath {
    const { names, capacity } = this.#memory;
    const hasRoom = this.length < capacity;
    const memory = hasRoom ? this.#memory : { names: names.slice(0, this.length), capacity: Math.max(1, capacity * 2) };
    memory.names[this.length] = name;
    return new ValuePath(memory, this.length + 1);
  }

  /** The names after that of the variable. */
  names(): string[] {
    return this.#memory.names.slice(1, this.length);
  }
}
