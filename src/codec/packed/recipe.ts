import { writeVarint } from '../protobuf/wire-reader.ts';

/** A stretch that is shorter costs more to name than to have. */
const MIN_COPY = 5;
/** So few are copied sooner by a loop than by a call. */
const FEW_BYTES = 96;
const USUAL_BYTES = 16 * 1024;
/** More than anything but the object's own bytes takes in one step. */
const STEP_BYTES = 40;

/**
 * How an object is made from another: the length of it, then steps. Each copies bytes from the other, adds bytes of its own, and skips
 * bytes of the other; those that are skipped are written as how many more or fewer they are than those that are added.
 */
export class RecipeWriter {
  bytes: Buffer = Buffer.allocUnsafeSlow(USUAL_BYTES);
  #source: Buffer = this.bytes;
  #limit = 0;
  #position = 0;
  /** The step at hand. */
  #copied = 0;
  #ownStart = 0;
  #ownEnd = 0;
  #skipped = 0;
  /** What is equal behind the step at hand: part of the next one, or of this one if it is too short. */
  #ahead = 0;
  #own = 0;

  /** Of the object that lies in `source` from 0 to `length`. */
  start(source: Buffer, length: number, limit: number): void {
    if (this.bytes.length > USUAL_BYTES) this.bytes = Buffer.allocUnsafeSlow(USUAL_BYTES);
    this.#source = source;
    this.#limit = limit;
    this.#position = writeVarint(this.bytes, 0, length);
    this.#copied = this.#ownStart = this.#ownEnd = this.#skipped = this.#ahead = this.#own = 0;
  }

  /** The next bytes of both are the same. */
  copy(length: number): void {
    this.#ahead += length;
  }

  /** In the place of the next bytes of the other, the object has some of its own. False when those are too many by now. */
  replace(own: number, others: number): boolean {
    if (own === 0 && others === 0) return true;
    const ahead = this.#ahead;
    this.#ahead = 0;
    if (this.#ownEnd === 0 && this.#skipped === 0) {
      this.#copied = ahead;
      this.#ownStart = this.#ownEnd = ahead;
    } else if (ahead < MIN_COPY) {
      this.#ownEnd += ahead;
      this.#skipped += ahead;
      this.#own += ahead;
    } else {
      const from = this.#ownEnd + ahead;
      this.#writeStep();
      this.#copied = ahead;
      this.#ownStart = this.#ownEnd = from;
      this.#skipped = 0;
    }
    this.#ownEnd += own;
    this.#skipped += others;
    this.#own += own;
    return this.#own <= this.#limit;
  }

  /** Returns how many bytes it has written. */
  finish(): number {
    if (this.#ownEnd > 0 || this.#skipped > 0) this.#writeStep();
    // The last step is as long as what is left.
    this.#position = writeVarint(this.bytes, this.#position, this.#ahead);
    return this.#position;
  }

  #writeStep(): void {
    const own = this.#ownEnd - this.#ownStart;
    if (this.#position + own + STEP_BYTES > this.bytes.length) this.#grow(own);
    const { bytes } = this;
    let at = writeVarint(bytes, this.#position, this.#copied);
    at = writeVarint(bytes, at, own);
    const more = this.#skipped - own;
    at = writeVarint(bytes, at, more < 0 ? -2 * more - 1 : 2 * more);
    copyBytes(this.#source, this.#ownStart, bytes, at, own);
    this.#position = at + own;
  }

  #grow(by: number): void {
    const larger = Buffer.allocUnsafeSlow(2 * (this.bytes.length + by));
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}

/** Follows recipes. */
export class RecipeReader {
  #bytes: Buffer = Buffer.alloc(0);
  #position = 0;

  /** How long the object is. */
  open(bytes: Buffer, start: number): number {
    this.#bytes = bytes;
    this.#position = start;
    return this.#varint();
  }

  /** Makes the object that the recipe was opened for, from the other one, which begins at `start`. */
  make(base: Buffer, start: number, out: Buffer, outStart: number, length: number): void {
    const steps = this.#position;
    this.#copyShared(base, start, out, outStart, outStart + length);
    this.#position = steps;
    this.#addOwn(out, outStart, outStart + length);
  }

  /** Stretches that lie as far from one another in both are copied as one, with what lies between them. */
  #copyShared(base: Buffer, start: number, out: Buffer, outStart: number, end: number): void {
    let from = start;
    let to = outStart;
    let blockFrom = from;
    let blockTo = to;
    for (;;) {
      const copied = this.#varint();
      from += copied;
      to += copied;
      if (to >= end) break;
      const own = this.#varint();
      const more = this.#varint();
      this.#position += own;
      if (more !== 0) {
        base.copy(out, blockTo, blockFrom, from);
        from += own + (more & 1 ? -(more + 1) / 2 : more / 2);
        to += own;
        blockFrom = from;
        blockTo = to;
      } else {
        from += own;
        to += own;
      }
    }
    base.copy(out, blockTo, blockFrom, from);
  }

  #addOwn(out: Buffer, outStart: number, end: number): void {
    const bytes = this.#bytes;
    let to = outStart;
    for (;;) {
      to += this.#varint();
      if (to >= end) return;
      const own = this.#varint();
      this.#varint();
      const at = this.#position;
      copyBytes(bytes, at, out, to, own);
      to += own;
      this.#position = at + own;
    }
  }

  #varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#position++] as number;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    for (let factor = 0x80; ; factor *= 0x80) {
      byte = bytes[this.#position++] as number;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }
}

/** Writes the recipe of an object that is the other one. Returns how long it is. */
export function wholeRecipe(out: Buffer, length: number): number {
  return writeVarint(out, writeVarint(out, 0, length), length);
}

function copyBytes(from: Buffer, start: number, to: Buffer, at: number, length: number): void {
  if (length > FEW_BYTES) from.copy(to, at, start, start + length);
  else for (let i = 0; i < length; i++) to[at + i] = from[start + i] as number;
}
