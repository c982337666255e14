/** It cannot be told yet where the item ends. */
export const WAIT = 0;
/** It cannot be told this way. */
const NO_GUESS = -1;

/** So much of the first item is what the others are expected to begin with: `{"metadata":{`, `{"apiVersion":`. */
const BEGINNING_BYTES = 13;
/** After this many wrong guesses the list is assumed to be written in another way. */
const MAX_MISSES = 3;
/** How many times larger than the one before an item may be while its end is waited for. */
const PATIENCE = 4;

/**
 * Guesses where the items of a list end, by where the next one seems to begin: a native search for those bytes takes a tenth
 * of the time that it takes to count brackets. A guess may be wrong, as anything may look like an item; whoever takes it
 * has to find out that the item ends just there.
 */
export class ItemGuess {
  #boundary: Buffer | undefined;
  /** How many bytes of the item at hand are known to hold no boundary. */
  #searched = 0;
  #misses = 0;
  #lastLength = 0;

  /** The length of the item that begins at `start`, or `WAIT` for more bytes than those up to `end`, or a negative number. */
  find(bytes: Buffer, start: number, end: number): number {
    if (this.#misses >= MAX_MISSES) return NO_GUESS;
    if (this.#boundary === undefined && end - start < BEGINNING_BYTES) return WAIT;
    this.#boundary ??= boundaryBefore(bytes.subarray(start, start + BEGINNING_BYTES));
    const boundary = this.#boundary;
    const at = bytes.subarray(start + this.#searched, end).indexOf(boundary);
    if (at >= 0) return this.#searched + at + 1;
    this.#searched = Math.max(end - start - boundary.length + 1, 0);
    return end - start < PATIENCE * this.#lastLength ? WAIT : NO_GUESS;
  }

  /** The item was as long as that, guessed or not. */
  next(length: number): void {
    this.#lastLength = length;
    this.#searched = 0;
  }

  /** The guess was wrong. */
  missed(): void {
    this.#misses++;
    this.#searched = 0;
  }
}

function boundaryBefore(beginning: Buffer): Buffer {
  return Buffer.concat([Buffer.from('},'), beginning]);
}
