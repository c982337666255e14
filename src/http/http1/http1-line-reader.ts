import { MalformedResponseError } from './http1-error.ts';

const LF = 0x0a;

/** Cuts lines out of bytes that come in pieces of any size. Holds no more than `limitBytes`, which is for all its lines together. */
export class Http1LineReader {
  readonly #limitBytes: number;
  #bytes = 0;
  #partial = '';
  #position = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Where the last call stopped reading. */
  get position(): number {
    return this.#position;
  }

  /** What there is of a line whose end has not come. */
  get partial(): string {
    return this.#partial;
  }

  /**
   * The next line as Latin-1, without its CRLF, or undefined when its end is not among the bytes from `from` on. A line that ends in
   * LF alone is refused: whoever else is on the way may see another message in it.
   */
  next(bytes: Buffer, from: number): string | undefined {
    const lineFeed = bytes.indexOf(LF, from);
    const end = lineFeed < 0 ? bytes.length : lineFeed + 1;
    this.#bytes += end - from;
    if (this.#bytes > this.#limitBytes) {
      throw new MalformedResponseError(`the headers are larger than ${this.#limitBytes} bytes`);
    }
    this.#partial += bytes.toString('latin1', from, end);
    this.#position = end;
    if (lineFeed < 0) return undefined;
    const line = this.#partial;
    this.#partial = '';
    if (!line.endsWith('\r\n')) throw new MalformedResponseError('a line of the head does not end in CRLF');
    return line.slice(0, -2);
  }
}
