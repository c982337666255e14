import { ByteWindow } from '../byte-window.ts';
import { DecodeError } from '../decode-error.ts';
import { BRACE_CLOSE } from './json-bytes.ts';
import { INVALID, JsonScanner, skipBlanks } from './json-scanner.ts';

const NEWLINE = 0x0a;

/**
 * - `line`: all up to a newline. It may still be a part of a frame, or several: see `rescan`.
 * - `value`: one whole JSON value, by its brackets.
 * - `damaged`: bytes that no JSON value begins with.
 */
export type FrameKind = 'line' | 'value' | 'damaged';

/**
 * Cuts a watch into frames. The API server writes each frame on a line of its own, so a frame is the bytes up to the next
 * newline (inside JSON strings a newline is always escaped), found without looking at the bytes one by one. Streams that
 * are laid out otherwise (several frames on a line, a frame over several lines, no newlines at all) are cut by scanning.
 */
export class JsonFrameCutter {
  readonly #window = new ByteWindow();
  readonly #scanner = new JsonScanner();
  readonly #maxFrameBytes: number;
  /** How many bytes from the start of the window the frame takes that was found last; they go with the next call. */
  #taken = 0;
  /** How many bytes from the start of the window are known to hold no newline. */
  #searched = 0;
  /** Lines have failed for the frame at the start of the window: only its brackets tell where it ends. */
  #byBrackets = false;
  /** The frame before this one ended at a newline, and this one most likely will. */
  #byLines = false;
  /** The scanner has found that no value begins at the start of the window. */
  #invalid = false;
  #ended = false;

  constructor(maxFrameBytes: number) {
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** The frame that was found lies at [`frameStart`, `frameEnd`) of these, until the next call of the cutter. */
  get bytes(): Buffer {
    return this.#window.bytes;
  }

  get frameStart(): number {
    return this.#window.start;
  }

  get frameEnd(): number {
    return this.#window.start + this.#taken;
  }

  /** To be called when `nextFrame` has found no more; until then the chunk must stay as it is. */
  append(chunk: Uint8Array): void {
    this.#window.append(chunk);
  }

  /** No more bytes will come: what is left is a frame, or half of one. */
  end(): void {
    this.#ended = true;
  }

  /** Looks for a frame in what has arrived. */
  nextFrame(): FrameKind | undefined {
    if (this.#taken > 0) this.#drop(this.#taken);
    for (;;) {
      const kind = this.#findFrame();
      if (kind !== undefined || !this.#window.more()) return kind;
    }
  }

  #findFrame(): FrameKind | undefined {
    const blanks = skipBlanks(this.#window.bytes, this.#window.start, this.#window.end) - this.#window.start;
    if (blanks > 0) this.#drop(blanks);
    const { bytes, start, end } = this.#window;
    if (start === end) return undefined;
    if (!this.#byBrackets) {
      const newline = bytes.indexOf(NEWLINE, start + this.#searched);
      if (newline >= 0 && newline < end) {
        this.#byLines = true;
        return this.#found('line', newline - start);
      }
      this.#searched = end - start;
    }
    if (this.#byLines && bytes[end - 1] !== BRACE_CLOSE && !this.#byBrackets && !this.#ended) {
      this.#checkSize(end - start);
      return undefined;
    }
    if (!this.#invalid) {
      const length = this.#scanner.scan(bytes, start, end);
      if (length > 0) return this.#found('value', length);
      this.#invalid = length === INVALID;
    }
    if (this.#invalid && (this.#byBrackets || this.#ended)) return this.#found('damaged', this.#lengthOfDamage());
    this.#checkSize(end - start);
    if (this.#ended) {
      throw new DecodeError('truncated', `the watch broke off in the middle of a frame, ${end - start} bytes into it`);
    }
    return undefined;
  }

  /** The `line` that was found is not a JSON value: the next call of `nextFrame` cuts it by its brackets. */
  rescan(): void {
    this.#taken = 0;
    this.#scanner.reset();
    this.#invalid = false;
    this.#byBrackets = true;
    this.#byLines = false;
  }

  #found(kind: FrameKind, length: number): FrameKind {
    this.#checkSize(length);
    this.#taken = length;
    return kind;
  }

  #drop(length: number): void {
    this.#window.consumeTo(this.#window.start + length);
    this.#taken = 0;
    this.#searched = 0;
    this.#byBrackets = false;
    this.#invalid = false;
    this.#scanner.reset();
  }

  /**
   * Up to the line where it became clear that something is wrong, when the damage began on a line before it (there the
   * next frame begins, if this one had broken off); else up to the end of the line.
   */
  #lengthOfDamage(): number {
    const { bytes, start, end } = this.#window;
    const fault = start + this.#scanner.offset;
    const lineStart = bytes.lastIndexOf(NEWLINE, fault) + 1;
    if (lineStart > start && lineStart <= fault) return lineStart - start;
    const newline = bytes.indexOf(NEWLINE, fault);
    return (newline < 0 || newline >= end ? end : Math.max(newline, start + 1)) - start;
  }

  #checkSize(length: number): void {
    if (length > this.#maxFrameBytes) {
      throw new DecodeError('tooLarge', `a frame of the watch is larger than ${this.#maxFrameBytes} bytes`);
    }
  }
}
