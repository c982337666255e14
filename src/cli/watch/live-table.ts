import type { Painter, Span, StyleName } from '../terminal/style.ts';
import { fittedWidths, GAP, MIN_WIDTH } from './column-layout.ts';
import { MARK_MS, type RowEntry, type RowTable } from './row-table.ts';
import type { ViewColumn } from './table-view.ts';

export interface LiveTableOptions {
  painter: Painter;
  rows: RowTable;
  columns: () => readonly ViewColumn[];
}

export interface TableFrame {
  /** The headings, then the rows. */
  readonly lines: readonly string[];
  /** The rows that they show, from 1; `last` is 0 when there are none. */
  readonly first: number;
  readonly last: number;
}

const MARKS: Readonly<Record<string, { sign: string; style: StyleName }>> = {
  added: { sign: '+', style: 'green' },
  changed: { sign: '~', style: 'yellow' },
  deleted: { sign: '-', style: 'red' },
};

/** Before each row: what has just happened to it. */
const GUTTER = 2;

/** The part of the window that the name may take, however narrow that is. */
const NAME_SHARE = 0.4;

/** The part of a table that fits on the screen. Only that part is formatted, however long the table is. */
export class LiveTable {
  readonly #options: LiveTableOptions;
  #offset = 0;
  /** Of the widest cell seen so far, so that columns do not jump about. */
  #widths: number[] = [];
  #headings = '';

  constructor(options: LiveTableOptions) {
    this.#options = options;
  }

  scroll(by: number): void {
    this.#offset = Number.isFinite(by) ? this.#offset + by : by < 0 ? 0 : Number.MAX_SAFE_INTEGER;
  }

  /** Columns may become narrower again. */
  forgetWidths(): void {
    this.#widths = [];
  }

  lines(columns: number, height: number, nowMs: number): TableFrame {
    const { painter, rows } = this.#options;
    const shown = this.#options.columns();
    const all = rows.rows(nowMs);
    this.#offset = Math.max(0, Math.min(this.#offset, all.length - height));
    const visible = all.slice(this.#offset, this.#offset + height);
    const cells = visible.map(({ row }) => shown.map(({ text }) => painter.plain(text(row, nowMs))));
    // Of all columns the name is the one that has to be readable.
    const floors = shown.map(({ heading }) => (heading === 'NAME' ? Math.floor(columns * NAME_SHARE) : MIN_WIDTH));
    const widths = fittedWidths(this.#measured(shown, cells), columns - GUTTER, floors);
    const heading = [
      { text: ' '.repeat(GUTTER) },
      ...this.#spans(
        shown.map(({ heading: text }) => text),
        widths,
        () => 'bold',
      ),
    ];
    const lines = visible.map((entry, at) => {
      const texts = cells[at] ?? [];
      return painter.line(this.#row(entry, texts, widths, shown, nowMs), columns);
    });
    return {
      lines: [all.length === 0 ? '' : painter.line(heading, columns), ...lines],
      first: this.#offset + 1,
      last: this.#offset + visible.length,
    };
  }

  #row(
    entry: RowEntry,
    texts: readonly string[],
    widths: readonly number[],
    shown: readonly ViewColumn[],
    nowMs: number,
  ): Span[] {
    const mark = entry.mark !== undefined && nowMs - entry.markedMs < MARK_MS ? MARKS[entry.mark] : undefined;
    const isLeaving = entry.mark === 'deleted';
    const style = (at: number): StyleName | undefined => (isLeaving ? 'dim' : shown[at]?.style?.(texts[at] ?? ''));
    return [{ text: (mark?.sign ?? '').padEnd(GUTTER), style: mark?.style }, ...this.#spans(texts, widths, style)];
  }

  #spans(texts: readonly string[], widths: readonly number[], style: (at: number) => StyleName | undefined): Span[] {
    const { painter } = this.#options;
    return texts.flatMap((text, at) => {
      const isLast = at === texts.length - 1;
      const fitted = isLast ? text : painter.fit(text, widths[at] ?? 0);
      return [{ text: fitted, style: style(at) }, ...(isLast ? [] : [{ text: ' '.repeat(GAP) }])];
    });
  }

  #measured(shown: readonly ViewColumn[], cells: readonly (readonly string[])[]): readonly number[] {
    const { painter } = this.#options;
    const headings = shown.map(({ heading }) => heading).join('\t');
    if (headings !== this.#headings) this.#widths = [];
    this.#headings = headings;
    for (const line of [shown.map(({ heading }) => heading), ...cells]) {
      for (const [at, text] of line.entries()) {
        const width = painter.width(text);
        if (width > (this.#widths[at] ?? 0)) this.#widths[at] = width;
      }
    }
    return this.#widths;
  }
}
