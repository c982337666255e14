import { BACKSLASH, BRACE_CLOSE, BRACE_OPEN, BRACKET_CLOSE, BRACKET_OPEN, COLON, COMMA, QUOTE } from './json-bytes.ts';

/** Blanks and control characters are not above it. */
const SPACE = 0x20;

/** The value has not ended yet. */
export const INCOMPLETE = 0;
/** What was seen so far cannot be the beginning of a JSON value; `offset` says where that became clear. */
export const INVALID = -1;

/**
 * Finds where one JSON value ends, in bytes that may arrive in pieces split anywhere. It checks no more than it needs for
 * that: brackets are counted and not matched, escapes and numbers are skipped, because `JSON.parse` judges the cut
 * piece. Two faults are noticed at once, since they show that a value broke off and another one began: a value directly
 * after a value, and a control character in a string.
 */
export class JsonScanner {
  /** How far into the value the scan has come. One beyond what has arrived, when that ends in a backslash. */
  #offset = 0;
  #depth = 0;
  #inString = false;
  /** A value has just ended, so that only a separator or a bracket may follow. */
  #afterValue = false;

  get offset(): number {
    return this.#offset;
  }

  reset(): void {
    this.#offset = 0;
    this.#depth = 0;
    this.#inString = false;
    this.#afterValue = false;
  }

  /**
   * `start` is where the value's first byte lies now (no blank), `end` where the bytes end. Returns the length of the
   * value, `INCOMPLETE` or `INVALID`. Call again with more bytes to go on, or `reset` for the next value.
   */
  scan(bytes: Uint8Array, start: number, end: number): number {
    let i = start + this.#offset;
    let depth = this.#depth;
    let afterValue = this.#afterValue;

    if (this.#inString) {
      i = closingQuote(bytes, i, end);
      if (i < 0) return this.#invalid(~i - start);
      if (i >= end) return this.#incomplete(i - start, depth, true, false);
      if (depth === 0) return i + 1 - start;
      afterValue = true;
      i++;
    }
    for (; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte === QUOTE) {
        if (afterValue) return this.#invalid(i - start);
        i = closingQuote(bytes, i + 1, end);
        if (i < 0) return this.#invalid(~i - start);
        if (i >= end) return this.#incomplete(i - start, depth, true, false);
        if (depth === 0) return i + 1 - start;
        afterValue = true;
      } else if (byte === COMMA || byte === COLON) {
        if (depth === 0) return this.#scalar(i - start, afterValue);
        afterValue = false;
      } else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
        if (afterValue) return this.#invalid(i - start);
        depth++;
      } else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) {
        if (depth === 0) return this.#scalar(i - start, afterValue);
        if (--depth === 0) return i + 1 - start;
        afterValue = true;
      } else if (byte > SPACE) {
        afterValue = true;
      } else if (depth === 0) {
        return this.#scalar(i - start, afterValue);
      }
    }
    return this.#incomplete(i - start, depth, false, afterValue);
  }

  #incomplete(offset: number, depth: number, inString: boolean, afterValue: boolean): typeof INCOMPLETE {
    this.#offset = offset;
    this.#depth = depth;
    this.#inString = inString;
    this.#afterValue = afterValue;
    return INCOMPLETE;
  }

  #scalar(length: number, afterValue: boolean): number {
    return afterValue ? length : this.#invalid(length);
  }

  #invalid(offset: number): typeof INVALID {
    this.#offset = offset;
    return INVALID;
  }
}

/**
 * Where the string ends whose inside begins at `from`; `end`, or one more after a backslash, when that has not arrived;
 * the complement of the position of a control character.
 */
function closingQuote(bytes: Uint8Array, from: number, end: number): number {
  let i = from;
  for (; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) return i;
    if (byte === BACKSLASH) i++;
    else if (byte < SPACE) return ~i;
  }
  return i;
}

/** The first byte at or after `start` that is not a blank, or `end`. */
export function skipBlanks(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  while (i < end && isBlank(bytes[i])) i++;
  return i;
}

function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
