import { safeText } from '../terminal/safe-text.ts';
import { textWidth } from '../terminal/text-width.ts';
import type { TableRow } from './table-rows.ts';
import type { ViewColumn } from './table-view.ts';

/** As kubectl's: a column is at least so wide, and so much wider than its widest cell. */
const MIN_WIDTH = 6;
const PADDING = 3;

export interface RowOutputOptions {
  columns: () => readonly ViewColumn[];
  headers: boolean;
  /** A first column with the type of the event. */
  showEvents: boolean;
  now: () => number;
}

/**
 * Rows as `kubectl get --watch` prints them: aligned, each line complete in itself. Widths are remembered and only grow,
 * and the headings are repeated when the columns have changed.
 */
export class RowOutput {
  readonly #options: RowOutputOptions;
  #widths: number[] = [];
  #headings = '';

  constructor(options: RowOutputOptions) {
    this.#options = options;
  }

  /** Aligned with one another, and with what came before. "" for no rows. */
  lines(rows: readonly (readonly [type: string, row: TableRow])[]): string {
    if (rows.length === 0) return '';
    const { columns, headers, showEvents, now } = this.#options;
    const shown = columns();
    const headings = [...(showEvents ? ['EVENT'] : []), ...shown.map(({ heading }) => heading)];
    const cells = rows.map(([type, row]) => [
      ...(showEvents ? [type] : []),
      ...shown.map(({ text }) => safeText(text(row, now()))),
    ]);
    const name = headings.join('\t');
    const isNew = name !== this.#headings;
    if (isNew) this.#widths = [];
    this.#headings = name;
    const all = isNew && headers ? [headings.map(safeText), ...cells] : cells;
    for (const line of all) this.#grow(line);
    return all.map((line) => `${this.#aligned(line)}\n`).join('');
  }

  #grow(line: readonly string[]): void {
    for (const [at, cell] of line.entries()) {
      this.#widths[at] = Math.max(this.#widths[at] ?? MIN_WIDTH, textWidth(cell) + PADDING);
    }
  }

  #aligned(line: readonly string[]): string {
    return line
      .map((cell, at) => (at === line.length - 1 ? cell : cell + ' '.repeat((this.#widths[at] ?? 0) - textWidth(cell))))
      .join('');
  }
}
