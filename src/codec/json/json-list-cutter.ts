import { ByteWindow } from '../byte-window.ts';
import { DecodeError } from '../decode-error.ts';
import { BracketScanner } from './bracket-scanner.ts';
import { BRACE_CLOSE, BRACE_OPEN, BRACKET_CLOSE, BRACKET_OPEN, COLON, COMMA, QUOTE } from './json-bytes.ts';
import { INCOMPLETE, INVALID, JsonScanner, skipBlanks } from './json-scanner.ts';

/** What a list, or a Status in its place, says about itself. Everything else is skipped without being parsed. */
const KEPT_FIELDS: ReadonlySet<string> = new Set([
  'kind',
  'apiVersion',
  'metadata',
  'status',
  'message',
  'reason',
  'details',
  'code',
]);

/**
 * Where in `{"kind": …, "items": [ …, … ], …}` the cutter stands, and so what it expects next.
 * `key` and `nextKey` differ in that only the first may meet the closing brace of an empty object; so do the two of items.
 */
type Place = 'start' | 'key' | 'nextKey' | 'colon' | 'value' | 'afterValue' | 'item' | 'nextItem' | 'afterItem' | 'end';

/** Cuts the body of a LIST into items while it arrives. The fields may come in any order, with any blanks between. */
export class JsonListCutter {
  /** The kept fields that have arrived, decoded. */
  readonly fields = new Map<string, unknown>();
  /** Whether the body has a field `items`, null or not. */
  hasItems = false;
  /** The item found by `nextItem` lies at [`itemStart`, `itemEnd`) of `bytes`, until the next call of the cutter. */
  itemStart = 0;
  itemEnd = 0;
  /** Whether the item may end elsewhere: if it is not a whole object, call `rescan`. */
  isGuess = false;
  /** How many items have been cut. */
  itemCount = 0;
  readonly #window = new ByteWindow();
  readonly #scanner = new JsonScanner();
  /** For items: they are most of a list, and judged by others. */
  readonly #itemScanner = new BracketScanner();
  readonly #maxValueBytes: number;
  /** Undefined once there are no more bytes to wait for. */
  #guess: ItemGuess | undefined = new ItemGuess();
  /** There is an item, which goes with the next call. */
  #isFound = false;
  /** The item at hand is to be cut by its brackets. */
  #isExact = false;
  #place: Place = 'start';
  #fieldName = '';

  /** An item or another value larger than that is refused. */
  constructor(maxValueBytes: number) {
    this.#maxValueBytes = maxValueBytes;
  }

  get bytes(): Buffer {
    return this.#window.bytes;
  }

  /** To be called when `nextItem` has found no more; until then the chunk must stay as it is. */
  append(chunk: Uint8Array): void {
    this.#window.append(chunk);
  }

  /** No more bytes will come. */
  end(): void {
    this.#guess = undefined;
  }

  /** Whether there is another item in what has arrived. Throws `DecodeError` when the body is not a JSON object. */
  nextItem(): boolean {
    if (this.#isFound) this.#take();
    for (;;) {
      this.#window.consumeTo(skipBlanks(this.#window.bytes, this.#window.start, this.#window.end));
      if (this.#window.start < this.#window.end && this.#step()) {
        if (this.#isFound) return true;
      } else if (!this.#window.more()) return false;
    }
  }

  /** The item that was found is none: the next call of `nextItem` cuts it by its brackets. */
  rescan(): void {
    this.#isFound = false;
    this.isGuess = false;
    this.itemCount--;
    this.#guess?.missed();
    this.#isExact = true;
  }

  /** To be called when the body has ended. */
  finish(): void {
    if (this.#place === 'end') return;
    const where = this.itemCount > 0 || this.hasItems ? `after ${this.itemCount} whole items` : 'before any item';
    throw new DecodeError(
      'truncated',
      `the list broke off after ${this.#window.offset + this.#window.end - this.#window.start} bytes, ${where}`,
    );
  }

  /** Takes one token or value; false when more bytes are needed for it. */
  #step(): boolean {
    const byte = this.#window.bytes[this.#window.start];
    switch (this.#place) {
      case 'start':
        return this.#token(byte === BRACE_OPEN, 'key', 'a JSON object');
      case 'key':
        if (byte === BRACE_CLOSE) return this.#token(true, 'end', '');
        return this.#key(byte);
      case 'nextKey':
        return this.#key(byte);
      case 'colon':
        return this.#token(byte === COLON, 'value', '":"');
      case 'value':
        if (this.#fieldName === 'items' && byte === BRACKET_OPEN) {
          this.hasItems = true;
          return this.#token(true, 'item', '');
        }
        return this.#value();
      case 'afterValue':
        if (byte === BRACE_CLOSE) return this.#token(true, 'end', '');
        return this.#token(byte === COMMA, 'nextKey', '"," or "}"');
      case 'item':
        if (byte === BRACKET_CLOSE) return this.#token(true, 'afterValue', '');
        return this.#item();
      case 'nextItem':
        return this.#item();
      case 'afterItem':
        if (byte === BRACKET_CLOSE) return this.#token(true, 'afterValue', '');
        return this.#token(byte === COMMA, 'nextItem', '"," or "]"');
      case 'end':
        throw this.#malformed('nothing after the end of the list');
    }
  }

  #token(fits: boolean, next: Place, expected: string): true {
    if (!fits) throw this.#malformed(expected);
    this.#window.consumeTo(this.#window.start + 1);
    this.#place = next;
    return true;
  }

  #key(byte: number | undefined): boolean {
    if (byte !== QUOTE) throw this.#malformed('a field name');
    const length = this.#cut();
    if (length === INCOMPLETE) return false;
    this.#fieldName = String(this.#parse(length));
    this.#window.consumeTo(this.#window.start + length);
    this.#place = 'colon';
    return true;
  }

  #value(): boolean {
    const length = this.#cut();
    if (length === INCOMPLETE) return false;
    if (this.#fieldName === 'items') {
      if (this.#parse(length) !== null) throw new DecodeError('malformed', 'the "items" of the list are not an array');
      this.hasItems = true;
    } else if (KEPT_FIELDS.has(this.#fieldName)) {
      this.fields.set(this.#fieldName, this.#parse(length));
    }
    this.#window.consumeTo(this.#window.start + length);
    this.#place = 'afterValue';
    return true;
  }

  #item(): boolean {
    const { bytes, start, end } = this.#window;
    const isObject = bytes[start] === BRACE_OPEN;
    if (isObject && !this.#isExact && this.#guess !== undefined) {
      const guess = this.#guess.find(bytes, start, end);
      if (guess === WAIT && end - start <= this.#maxValueBytes) return false;
      if (guess > 0 && guess <= this.#maxValueBytes) {
        this.isGuess = true;
        this.#found(guess);
        return true;
      }
      this.#isExact = true;
    }
    const length = this.#cut(isObject ? this.#itemScanner : this.#scanner);
    if (length === INCOMPLETE) return false;
    this.#found(length);
    return true;
  }

  #found(length: number): void {
    this.#isFound = true;
    this.itemStart = this.#window.start;
    this.itemEnd = this.itemStart + length;
    this.itemCount++;
  }

  #take(): void {
    const length = this.itemEnd - this.itemStart;
    this.#isFound = false;
    this.isGuess = false;
    this.#isExact = false;
    this.#guess?.next(length);
    this.#window.consumeTo(this.itemEnd);
    this.#place = 'afterItem';
  }

  #cut(scanner: JsonScanner | BracketScanner = this.#scanner): number {
    const { bytes, start, end } = this.#window;
    const length = scanner.scan(bytes, start, end);
    if (length === INVALID) throw this.#malformed('valid JSON');
    if ((length === INCOMPLETE ? end - start : length) > this.#maxValueBytes) {
      const what = this.#place === 'value' ? `field "${this.#fieldName}"` : `item ${this.itemCount}`;
      throw new DecodeError('tooLarge', `${what} of the list is larger than ${this.#maxValueBytes} bytes`);
    }
    if (length !== INCOMPLETE) scanner.reset();
    return length;
  }

  #parse(length: number): unknown {
    const { bytes, start } = this.#window;
    try {
      return JSON.parse(bytes.toString('utf8', start, start + length));
    } catch {
      // The parser's own message quotes the text, which may be a secret.
      throw this.#malformed('valid JSON');
    }
  }

  #malformed(expected: string): DecodeError {
    const { bytes, start, end } = this.#window;
    // Only what is not a JSON object at all (the page of a proxy, say) is quoted: anything else may be a secret.
    const found =
      this.#place === 'start'
        ? `, found ${JSON.stringify(bytes.toString('utf8', start, Math.min(end, start + 60)))}`
        : '';
    return new DecodeError(
      'malformed',
      `the body is not a list in JSON: expected ${expected} at byte ${this.#window.offset}${found}`,
    );
  }
}

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
