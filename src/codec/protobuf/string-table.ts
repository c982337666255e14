const SLOT_BITS = 11;
const SLOTS = 1 << SLOT_BITS;
/** Longer strings are seldom the same in two objects, and Node decodes them about as fast as they could be compared. */
const MAX_BYTES = 64;
const SHORT_SLOTS = 256;

/**
 * Remembers the strings it has decoded, so that the same bytes give the same string without decoding it again: names,
 * images, node names, types of conditions repeat from object to object. A fixed number of strings is remembered; a newer
 * one takes the place of an older one. For strings under 40 bytes a hit costs a third of what Node's decoder costs.
 */
export class StringTable {
  readonly #bytes = Buffer.alloc(SLOTS * MAX_BYTES);
  readonly #view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
  readonly #lengths = new Uint8Array(SLOTS);
  readonly #strings: string[] = new Array<string>(SLOTS).fill('');
  /** Strings of one to three bytes, with those bytes and their number as the key. */
  readonly #shortKeys = new Int32Array(SHORT_SLOTS);
  readonly #shortStrings: string[] = new Array<string>(SHORT_SLOTS).fill('');

  /** Decodes UTF-8; `view` must show the same memory as `bytes`. */
  read(bytes: Buffer, view: DataView, start: number, end: number): string {
    const length = end - start;
    if (length < 4) return length === 0 ? '' : this.#readShort(bytes, start, end);
    if (length > MAX_BYTES) return bytes.toString('utf8', start, end);
    const lastWord = end - 4;
    let hash = length;
    for (let i = start; i < lastWord; i += 4) hash = Math.imul(hash ^ view.getInt32(i, true), 0x9e37_79b1);
    hash = Math.imul(hash ^ view.getInt32(lastWord, true), 0x9e37_79b1);
    const slot = hash >>> (32 - SLOT_BITS);
    if (this.#lengths[slot] === length && this.#holds(slot * MAX_BYTES, view, start, lastWord)) {
      return this.#strings[slot] as string;
    }
    const text = bytes.toString('utf8', start, end);
    this.#lengths[slot] = length;
    this.#strings[slot] = text;
    const shift = slot * MAX_BYTES - start;
    for (let i = start; i < lastWord; i += 4) this.#view.setInt32(i + shift, view.getInt32(i, true), true);
    this.#view.setInt32(lastWord + shift, view.getInt32(lastWord, true), true);
    return text;
  }

  /** The last word overlaps the one before it when the length is not a multiple of four. */
  #holds(slotStart: number, view: DataView, start: number, lastWord: number): boolean {
    const known = this.#view;
    const shift = slotStart - start;
    for (let i = start; i < lastWord; i += 4) {
      if (known.getInt32(i + shift, true) !== view.getInt32(i, true)) return false;
    }
    return known.getInt32(lastWord + shift, true) === view.getInt32(lastWord, true);
  }

  #readShort(bytes: Buffer, start: number, end: number): string {
    let key = end - start;
    for (let i = start; i < end; i++) key = (key << 8) | (bytes[i] as number);
    const slot = Math.imul(key, 0x9e37_79b1) >>> 24;
    if (this.#shortKeys[slot] === key) return this.#shortStrings[slot] as string;
    const text = bytes.toString('utf8', start, end);
    this.#shortKeys[slot] = key;
    this.#shortStrings[slot] = text;
    return text;
  }
}
