import type { InputStream } from '../cli-io.ts';

/** A key by its name, or the character that it types. */
export type Key =
  | 'up'
  | 'down'
  | 'page-up'
  | 'page-down'
  | 'home'
  | 'end'
  | 'escape'
  | 'enter'
  | 'backspace'
  | 'ctrl-c'
  | 'ctrl-z'
  | (string & {});

const ESCAPE = '\x1b';

const SEQUENCES: ReadonlyMap<string, Key> = new Map([
  ['\x1b[A', 'up'],
  ['\x1bOA', 'up'],
  ['\x1b[B', 'down'],
  ['\x1bOB', 'down'],
  ['\x1b[5~', 'page-up'],
  ['\x1b[6~', 'page-down'],
  ['\x1b[H', 'home'],
  ['\x1bOH', 'home'],
  ['\x1b[1~', 'home'],
  ['\x1b[F', 'end'],
  ['\x1bOF', 'end'],
  ['\x1b[4~', 'end'],
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\x7f', 'backspace'],
  ['\b', 'backspace'],
  ['\x03', 'ctrl-c'],
  ['\x1a', 'ctrl-z'],
  ['\x1b', 'escape'],
]);

/** A control sequence that some terminal sends for some key, known or not; or one character. */
const TOKEN = new RegExp(`${ESCAPE}\\[[0-?]*[ -/]*[@-~]|${ESCAPE}O[@-~]|[^]`, 'gu');

/** The keys in what a terminal sent; unknown control sequences are skipped. */
export function keysIn(text: string): Key[] {
  return (text.match(TOKEN) ?? []).flatMap((token) => {
    const known = SEQUENCES.get(token);
    if (known !== undefined) return [known];
    return token >= ' ' && !token.startsWith(ESCAPE) ? [token] : [];
  });
}

/** Reads keys one by one, unechoed, until `close`, which leaves the terminal as it was. Without a terminal it reads nothing. */
export class Keyboard {
  readonly #input: InputStream;
  readonly #onKey: (key: Key) => void;
  #open = false;

  constructor(input: InputStream, onKey: (key: Key) => void) {
    this.#input = input;
    this.#onKey = onKey;
  }

  open(): void {
    if (this.#open || this.#input.isTTY !== true || this.#input.setRawMode === undefined) return;
    this.#open = true;
    this.#input.setRawMode(true);
    this.#input.setEncoding('utf8');
    this.#input.on('data', this.#read);
    this.#input.resume();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#input.off('data', this.#read);
    this.#input.pause();
    this.#input.setRawMode?.(false);
  }

  readonly #read = (text: string | Buffer): void => {
    for (const key of keysIn(String(text))) if (this.#open) this.#onKey(key);
  };
}
