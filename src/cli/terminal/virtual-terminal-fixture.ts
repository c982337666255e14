import type { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import type { OutputStream } from '../cli-io.ts';
import { charWidth } from './text-width.ts';

/** One place of the grid. The right half of a wide character is an empty text. */
export interface TerminalCell {
  readonly text: string;
  /** The parameters of the last SGR sequences, sorted: `1;32`. */
  readonly style: string;
}

const BLANK: TerminalCell = { text: ' ', style: '' };
const ESCAPE = '\x1b';
const TOKEN = new RegExp(`${ESCAPE}\\[([0-?]*)[ -/]*([@-~])|[^]`, 'gu');

/**
 * A terminal in memory, for tests and recordings: understands what `Screen` and `Painter` write, keeps the grid that a
 * person would see, and refuses every other control character or sequence, because none may ever be written.
 */
export class VirtualTerminal extends Writable implements OutputStream {
  readonly isTTY = true;
  columns: number;
  rows: number;
  cursorVisible = true;
  alternate = false;
  autoWrap = true;
  /** How many times something was written. */
  writes = 0;
  #grid: TerminalCell[][];
  #main: TerminalCell[][] | undefined;
  #row = 0;
  #column = 0;
  #style = new Set<string>();

  constructor({ columns = 80, rows = 24 }: { columns?: number; rows?: number } = {}) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.rows = rows;
    this.#grid = this.#emptyGrid();
  }

  get cells(): readonly (readonly TerminalCell[])[] {
    return this.#grid;
  }

  /** What a person reads, line by line, without trailing blanks. */
  lines(): string[] {
    return this.#grid.map((row) =>
      row
        .map((cell) => cell.text)
        .join('')
        .trimEnd(),
    );
  }

  text(): string {
    return this.lines().join('\n').trimEnd();
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    const old = this.#grid;
    this.#grid = this.#emptyGrid().map((row, y) => row.map((cell, x) => old[y]?.[x] ?? cell));
    (this as EventEmitter).emit('resize');
  }

  override _write(chunk: string | Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.writes++;
    for (const match of String(chunk).matchAll(TOKEN)) {
      const [token, parameters, final] = match;
      if (final !== undefined) this.#control(parameters ?? '', final);
      else this.#put(token);
    }
    done();
  }

  #control(parameters: string, final: string): void {
    const numbers = parameters.split(';').map(Number);
    const [first = 0, second = 0] = numbers;
    if (final === 'H') {
      this.#row = Math.min(Math.max(first, 1), this.rows) - 1;
      this.#column = Math.min(Math.max(second, 1), this.columns) - 1;
    } else if (final === 'K') {
      const row = this.#grid[this.#row];
      row?.fill(BLANK, first === 2 ? 0 : this.#column);
    } else if (final === 'J' && first === 2) this.#grid = this.#emptyGrid();
    else if (final === 'm') this.#setStyle(parameters);
    else if (final === 'h' || final === 'l') this.#setMode(parameters, final === 'h');
    else throw new Error(`the control sequence ${JSON.stringify(parameters + final)} was written`);
  }

  #setMode(mode: string, on: boolean): void {
    if (mode === '?25') this.cursorVisible = on;
    else if (mode === '?7') this.autoWrap = on;
    else if (mode === '?1049' && on) {
      this.alternate = true;
      this.#main = this.#grid;
      this.#grid = this.#emptyGrid();
    } else if (mode === '?1049') {
      this.alternate = false;
      this.#grid = this.#main ?? this.#grid;
    } else throw new Error(`the mode ${mode} was set`);
  }

  #setStyle(parameters: string): void {
    for (const code of parameters.split(';')) {
      if (code === '0' || code === '') this.#style.clear();
      else this.#style.add(code);
    }
  }

  #put(char: string): void {
    if (char === '\n') {
      this.#column = 0;
      this.#feedLine();
      return;
    }
    if (/\p{Cc}|\p{Cf}/u.test(char)) throw new Error(`the control character ${JSON.stringify(char)} was written`);
    const width = charWidth(char);
    const row = this.#grid[this.#row];
    if (row === undefined) return;
    if (width === 0) {
      const before = row[Math.max(0, this.#column - 1)] ?? BLANK;
      row[Math.max(0, this.#column - 1)] = { ...before, text: before.text + char };
      return;
    }
    if (this.#column + width > this.columns) {
      if (!this.autoWrap) throw new Error(`line ${this.#row + 1} is longer than ${this.columns} columns`);
      this.#column = 0;
      this.#feedLine();
      this.#put(char);
      return;
    }
    const style = [...this.#style].sort().join(';');
    row[this.#column] = { text: char, style };
    if (width === 2) row[this.#column + 1] = { text: '', style };
    this.#column += width;
  }

  #feedLine(): void {
    if (this.#row < this.rows - 1) this.#row++;
    else {
      this.#grid.shift();
      this.#grid.push(Array.from({ length: this.columns }, () => BLANK));
    }
  }

  #emptyGrid(): TerminalCell[][] {
    return Array.from({ length: this.rows }, () => Array.from({ length: this.columns }, () => BLANK));
  }
}
