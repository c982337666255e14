import { Place, type Room } from './slabs.ts';

const WAYS = 4;
const FEWEST_SLOTS = 256;
/** Beyond this part of the slots, too many hashes would share theirs. */
const FULL = 0.4;

/** The bytes of an object from which others are made. They stay as long as one of those is stored, whatever becomes of the object. */
export class Template extends Place {
  /** How many stored objects are made from it. */
  users = 0;
  readonly reference = new WeakRef(this);

  /** The bytes lie in the room. */
  constructor({ slab, offset }: Room, length: number) {
    super(slab, offset, length);
  }
}

/**
 * Finds templates by hashes of what lies in them. Keeps none of them alive, and forgets some: each hash has four slots that it may
 * share with others, and the newest templates take the place of the oldest.
 */
export class Templates {
  #hashes = new Int32Array(FEWEST_SLOTS);
  /** The newest of each hash first. */
  #references: (WeakRef<Template> | undefined)[] = new Array(FEWEST_SLOTS).fill(undefined);
  #taken = 0;

  /** The newest for which the hash was given, or the one before. */
  find(hash: number, isOlder = false): Template | undefined {
    const slot = this.#slotOf(hash);
    let left = isOlder ? 1 : 0;
    for (let i = slot; i < slot + WAYS; i++) {
      if (this.#hashes[i] !== hash) continue;
      const template = this.#references[i]?.deref();
      if (template !== undefined && left-- === 0) return template;
    }
    return undefined;
  }

  add(template: Template, hash: number): void {
    if (this.#taken >= this.#hashes.length * FULL) this.#rebuild();
    this.#put(template.reference, hash);
  }

  #put(reference: WeakRef<Template>, hash: number): void {
    const slot = this.#slotOf(hash);
    const last = slot + WAYS - 1;
    if (this.#references[last] === undefined) this.#taken++;
    for (let i = last; i > slot; i--) {
      this.#hashes[i] = this.#hashes[i - 1] as number;
      this.#references[i] = this.#references[i - 1];
    }
    this.#hashes[slot] = hash;
    this.#references[slot] = reference;
  }

  #slotOf(hash: number): number {
    return ((Math.imul(hash, 0x9e37_79b1) >>> 8) % (this.#hashes.length / WAYS)) * WAYS;
  }

  /** With room for as many as there are, and for some more. Those that are no longer there are left out. */
  #rebuild(): void {
    const hashes = this.#hashes;
    const references = this.#references.map((reference) => (reference?.deref() === undefined ? undefined : reference));
    const live = references.reduce((sum, reference) => (reference === undefined ? sum : sum + 1), 0);
    let slots = FEWEST_SLOTS;
    while (slots * FULL < 2 * live) slots *= 2;
    this.#hashes = new Int32Array(slots);
    this.#references = new Array(slots).fill(undefined);
    this.#taken = 0;
    // Those of one hash from the oldest on, so that the newest comes first again.
    for (let i = hashes.length - 1; i >= 0; i--) {
      const reference = references[i];
      if (reference !== undefined) this.#put(reference, hashes[i] as number);
    }
  }
}
