import { RecipeReader } from './recipe.ts';
import type { Place } from './slabs.ts';
import type { Template } from './templates.ts';

/** How many objects are remembered: who compares two reads both by turns. */
const REMEMBERED = 4;
const USUAL_BYTES = 8 * 1024;
/** Memory for larger objects is not used again. */
const LARGE_BYTES = 64 * 1024;

/** A place that holds how an object is made from a template. */
export interface SharedPlace extends Place {
  readonly template: Template;
}

interface Assembled {
  of: SharedPlace | undefined;
  bytes: Buffer;
}

/** Puts objects together for those who read them. */
export class Assembler {
  readonly #recipes = new RecipeReader();
  readonly #assembled: Assembled[] = Array.from({ length: REMEMBERED }, () => ({
    of: undefined,
    bytes: Buffer.alloc(0),
  }));
  #next = 0;

  /** How long the object is. */
  lengthOf({ home, offset }: SharedPlace): number {
    return this.#recipes.open(home.bytes, offset);
  }

  /** The object lies at the beginning. Good until other objects are asked for. */
  bytesOf(place: SharedPlace): Buffer {
    const all = this.#assembled;
    for (let i = 0; i < REMEMBERED; i++) {
      const known = all[i] as Assembled;
      if (known.of === place) return known.bytes;
    }
    const oldest = all[this.#next] as Assembled;
    this.#next = (this.#next + 1) % REMEMBERED;
    const length = this.lengthOf(place);
    if (!fits(oldest.bytes, length)) oldest.bytes = Buffer.allocUnsafeSlow(sizeFor(length));
    oldest.of = place;
    this.#assemble(place, oldest.bytes, length);
    return oldest.bytes;
  }

  /** In memory of its own. */
  copyOf(place: SharedPlace): Buffer {
    const length = this.lengthOf(place);
    const bytes = Buffer.allocUnsafeSlow(length);
    this.#assemble(place, bytes, length);
    return bytes;
  }

  #assemble({ template }: SharedPlace, out: Buffer, length: number): void {
    this.#recipes.make(template.home.bytes, template.offset, out, 0, length);
  }
}

function fits({ length: present }: Buffer, length: number): boolean {
  return length <= present && (present <= LARGE_BYTES || length > LARGE_BYTES);
}

function sizeFor(length: number): number {
  if (length > LARGE_BYTES) return length;
  let size = USUAL_BYTES;
  while (size < length) size *= 2;
  return size;
}
