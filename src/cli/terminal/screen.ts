import type { OutputStream } from '../cli-io.ts';

const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J';
const LEAVE = '\x1b[?7h\x1b[?25h\x1b[?1049l';

/** What a pipe that calls itself a terminal, or a very small window, counts as. */
const FALLBACK = { columns: 80, rows: 24 };

export interface ScreenOptions {
  output: OutputStream;
  /** A frame is wanted: the window has another size, or a frame was skipped and could be shown now. */
  onStale: () => void;
}

/**
 * The alternate screen of a terminal, as lines that are drawn over. Only lines that differ from the last frame are
 * written, a frame in one piece. While the terminal has not taken the last frame, further ones are skipped: the newest
 * one that it has time for is what it shows. `close` leaves the terminal as it was, and may be called at any time.
 */
export class Screen {
  readonly #output: OutputStream;
  readonly #onStale: () => void;
  #shown: string[] = [];
  #open = false;
  /** A frame is on its way; `drain` says when the next one may follow. */
  #busy = false;
  #skipped = false;

  constructor({ output, onStale }: ScreenOptions) {
    this.#output = output;
    this.#onStale = onStale;
  }

  get columns(): number {
    return Math.max(1, this.#output.columns || FALLBACK.columns);
  }

  get rows(): number {
    return Math.max(1, this.#output.rows || FALLBACK.rows);
  }

  /** Whether a frame would be written now. */
  get ready(): boolean {
    return this.#open && !this.#busy;
  }

  open(): void {
    if (this.#open) return;
    this.#open = true;
    this.#output.on('resize', this.#resized);
    this.#output.on('drain', this.#drained);
    process.on('exit', this.#abandoned);
    this.#output.write(ENTER);
  }

  /** Each line must fit `columns` and end with its style reset. Lines beyond `rows` are not shown. */
  draw(lines: readonly string[]): void {
    if (!this.ready) {
      this.#skipped = true;
      return;
    }
    const frame = lines.slice(0, this.rows);
    let changes = '';
    for (let row = 0; row < Math.max(frame.length, this.#shown.length); row++) {
      const line = frame[row] ?? '';
      if (line === this.#shown[row]) continue;
      changes += `\x1b[${row + 1};1H\x1b[2K${line}`;
    }
    this.#shown = frame;
    if (changes !== '') this.#busy = !this.#output.write(changes);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#output.off('resize', this.#resized);
    this.#output.off('drain', this.#drained);
    process.off('exit', this.#abandoned);
    this.#shown = [];
    this.#output.write(LEAVE);
  }

  /** The process ends without having closed the screen, by an error that nobody caught. */
  readonly #abandoned = (): void => this.close();

  readonly #resized = (): void => {
    this.#shown = [];
    this.#output.write('\x1b[2J');
    this.#onStale();
  };

  readonly #drained = (): void => {
    this.#busy = false;
    if (this.#skipped) this.#onStale();
    this.#skipped = false;
  };
}
