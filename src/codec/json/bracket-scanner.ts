import { BRACE_CLOSE, BRACE_OPEN, BRACKET_CLOSE, BRACKET_OPEN, closingQuote, QUOTE } from './json-bytes.ts';
import { INCOMPLETE } from './json-scanner.ts';

/**
 * Finds where an object or a list ends, in bytes that may arrive in pieces split anywhere, by nothing but its quotes and
 * brackets: whoever reads the piece that is cut judges it. Twice as fast as a `JsonScanner`, which notices more.
 */
export class BracketScanner {
  /** How far into the value the scan has come. */
  #offset = 0;
  #depth = 0;
  /** Where in the value the string begins in which the scan stands; 0 when it stands in none. */
  #stringStart = 0;

  reset(): void {
    this.#offset = 0;
    this.#depth = 0;
    this.#stringStart = 0;
  }

  /**
   * `start` is where the value's opening bracket lies now, `end` where the bytes end. Returns the length of the value, or
   * `INCOMPLETE`. Call again with more bytes to go on, or `reset` for the next value.
   */
  scan(bytes: Buffer, start: number, end: number): number {
    let i = start + this.#offset;
    let depth = this.#depth;
    if (this.#stringStart > 0) {
      i = closingQuote(bytes, start + this.#stringStart, end, i) + 1;
      if (i === 0) return this.#incomplete(end - start, depth, this.#stringStart);
    }
    while (i < end) {
      const byte = bytes[i++];
      if (byte === QUOTE) {
        const stringStart = i;
        i = closingQuote(bytes, stringStart, end) + 1;
        if (i === 0) return this.#incomplete(end - start, depth, stringStart - start);
      } else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
        depth++;
      } else if ((byte === BRACE_CLOSE || byte === BRACKET_CLOSE) && --depth === 0) {
        return i - start;
      }
    }
    return this.#incomplete(end - start, depth, 0);
  }

  #incomplete(offset: number, depth: number, stringStart: number): typeof INCOMPLETE {
    this.#offset = offset;
    this.#depth = depth;
    this.#stringStart = stringStart;
    return INCOMPLETE;
  }
}
