import { MESSAGE, type MessagePlan, ONE } from '../protobuf/message-plan.ts';
import { FIXED32, FIXED64, LENGTH_DELIMITED, VARINT } from '../protobuf/wire-reader.ts';
import { RecipeWriter } from './recipe.ts';

/** Messages within one another beyond this are compared as bytes: no kind comes near, and hostile bytes might. */
const MAX_DEPTH = 24;
/** What ends alike in two values is worth a step of its own from here on. */
const MIN_SUFFIX = 8;

/** Bytes, and the same for those who read four at a time. */
export interface Stretch {
  readonly bytes: Buffer;
  readonly view: DataView;
}

/**
 * Tells one message from another of the same type, field by field, as a recipe that makes it from the other. Fields that lie in both
 * are copied whole as far as they are equal, and looked into where they are messages that are not. Whatever the bytes are,
 * the recipe gives them back: damaged ones at worst make it longer.
 */
export class WireDifference {
  readonly recipe = new RecipeWriter();
  #object: Buffer = Buffer.alloc(0);
  #objectView: DataView = new DataView(new ArrayBuffer(0));
  #base: Buffer = this.#object;
  #baseView: DataView = this.#objectView;
  /** Where the value of the field at hand begins, and where it ends; an end of 0 is one that is not whole. */
  #tag = 0;
  #valueStart = 0;

  /**
   * Writes the recipe, and returns how long it is; -1 when it would take more than `limit` bytes of the object's own. The object lies
   * from 0 to `length`.
   */
  find(plan: MessagePlan, object: Stretch, length: number, base: Stretch, start: number, end: number, limit: number) {
    this.#object = object.bytes;
    this.#objectView = object.view;
    this.#base = base.bytes;
    this.#baseView = base.view;
    this.recipe.start(object.bytes, length, limit);
    return this.#compare(plan, 0, length, start, end, 0, 0) ? this.recipe.finish() : -1;
  }

  /** The message from `i` to `iEnd` in the object, and that from `j` to `jEnd` in the base. */
  #compare(
    plan: MessagePlan | undefined,
    iStart: number,
    iEnd: number,
    jStart: number,
    jEnd: number,
    known: number,
    depth: number,
  ): boolean {
    const { recipe } = this;
    let i = iStart;
    let j = jStart;
    let equal = known;
    for (;;) {
      const most = Math.min(iEnd - i, jEnd - j);
      if (equal === 0) equal = this.#equalBytes(i, j, most);
      if (equal === most) {
        recipe.copy(equal);
        return recipe.replace(iEnd - i - equal, jEnd - j - equal);
      }
      // Up to the field that is not equal.
      let iNext = i;
      for (;;) {
        iNext = this.#fieldEnd(this.#object, i, iEnd);
        if (iNext === 0) break;
        const size = iNext - i;
        if (size > equal) break;
        recipe.copy(size);
        i = iNext;
        j += size;
        equal -= size;
      }
      if (iNext === 0) return recipe.replace(iEnd - i, jEnd - j);
      const tag = this.#tag;
      const iValue = this.#valueStart;
      const jNext = this.#fieldEnd(this.#base, j, jEnd);
      if (jNext === 0) return recipe.replace(iEnd - i, jEnd - j);
      if (this.#tag !== tag) {
        if (tag >>> 3 < this.#tag >>> 3) {
          if (!recipe.replace(iNext - i, 0)) return false;
          i = iNext;
        } else {
          if (!recipe.replace(0, jNext - j)) return false;
          j = jNext;
        }
        equal = 0;
        continue;
      }
      const jValue = this.#valueStart;
      const field = plan?.table[tag >>> 3];
      if (field !== undefined && field.shape !== ONE) {
        // One that only the base has, or only the object.
        if (this.#isField(i, iNext, jNext, jEnd)) {
          if (!recipe.replace(0, jNext - j)) return false;
          j = jNext;
          equal = 0;
          continue;
        }
        if (this.#isNextField(iNext, iEnd, j, jNext)) {
          if (!recipe.replace(iNext - i, 0)) return false;
          i = iNext;
          equal = 0;
          continue;
        }
      }
      if (
        (tag & 7) === LENGTH_DELIMITED &&
        field?.code === MESSAGE &&
        field.message !== undefined &&
        depth < MAX_DEPTH
      ) {
        const head = iValue - i;
        if (equal >= head) recipe.copy(head);
        else if (!recipe.replace(head, jValue - j)) return false;
        const knownInside = Math.max(0, equal - head);
        if (!this.#compare(field.message, iValue, iNext, jValue, jNext, knownInside, depth + 1)) return false;
      } else if (!this.#compareValues(i, iNext, j, jNext, equal)) return false;
      i = iNext;
      j = jNext;
      equal = 0;
    }
  }

  /** Whether the field of the object lies at `j` in the base. */
  #isField(i: number, iNext: number, j: number, jEnd: number): boolean {
    const size = iNext - i;
    return size <= jEnd - j && this.#equalBytes(i, j, size) === size;
  }

  /** Whether what follows in the object is the field of the base. */
  #isNextField(iNext: number, iEnd: number, j: number, jNext: number): boolean {
    const size = jNext - j;
    return size <= iEnd - iNext && this.#equalBytes(iNext, j, size) === size;
  }

  #compareValues(i: number, iEnd: number, j: number, jEnd: number, equal: number): boolean {
    const { recipe } = this;
    const most = Math.min(iEnd - i, jEnd - j) - equal;
    let suffix = 0;
    while (suffix < most && this.#object[iEnd - suffix - 1] === this.#base[jEnd - suffix - 1]) suffix++;
    if (suffix < MIN_SUFFIX) suffix = 0;
    recipe.copy(equal);
    if (!recipe.replace(iEnd - i - equal - suffix, jEnd - j - equal - suffix)) return false;
    recipe.copy(suffix);
    return true;
  }

  #equalBytes(i: number, j: number, most: number): number {
    const objectView = this.#objectView;
    const baseView = this.#baseView;
    let equal = 0;
    for (; equal + 16 <= most; equal += 16) {
      const a = i + equal;
      const b = j + equal;
      const different =
        (objectView.getInt32(a, true) ^ baseView.getInt32(b, true)) |
        (objectView.getInt32(a + 4, true) ^ baseView.getInt32(b + 4, true)) |
        (objectView.getInt32(a + 8, true) ^ baseView.getInt32(b + 8, true)) |
        (objectView.getInt32(a + 12, true) ^ baseView.getInt32(b + 12, true));
      if (different !== 0) break;
    }
    for (; equal + 4 <= most; equal += 4) {
      const different = objectView.getInt32(i + equal, true) ^ baseView.getInt32(j + equal, true);
      // The lowest byte is the first.
      if (different !== 0) return equal + ((31 - Math.clz32(different & -different)) >> 3);
    }
    while (equal < most && objectView.getUint8(i + equal) === baseView.getUint8(j + equal)) equal++;
    return equal;
  }

  /** Where the field ends that begins at `start`; 0 when it is not whole. */
  #fieldEnd(bytes: Buffer, start: number, end: number): number {
    let at = start;
    let tag = bytes[at++] as number;
    // Most fields by far: a tag of one byte, and a length of one byte.
    if (tag < 0x80 && (tag & 7) === LENGTH_DELIMITED && at < end) {
      const length = bytes[at] as number;
      if (length < 0x80) {
        this.#tag = tag;
        this.#valueStart = at + 1;
        at += 1 + length;
        return at > end ? 0 : at;
      }
    }
    if (tag >= 0x80) {
      tag &= 0x7f;
      for (let shift = 7; ; shift += 7) {
        if (at >= end || shift > 21) return 0;
        const byte = bytes[at++] as number;
        tag |= (byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
    }
    this.#tag = tag;
    this.#valueStart = at;
    switch (tag & 7) {
      case VARINT:
        while (at < end && (bytes[at] as number) >= 0x80) at++;
        at++;
        break;
      case FIXED64:
        at += 8;
        break;
      case FIXED32:
        at += 4;
        break;
      case LENGTH_DELIMITED: {
        let length = 0;
        for (let shift = 0; ; shift += 7) {
          if (at >= end || shift > 21) return 0;
          const byte = bytes[at++] as number;
          length |= (byte & 0x7f) << shift;
          if (byte < 0x80) break;
        }
        this.#valueStart = at;
        at += length;
        break;
      }
      default:
        return 0;
    }
    return at > end ? 0 : at;
  }
}
