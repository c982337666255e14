import type { Painter } from '../terminal/style.ts';
import { fittedWidths, GAP } from '../watch/column-layout.ts';
import { HEADINGS } from './top-table.ts';

/** The headings and a line for each row; cut to a number of columns where one is given. */
export function tableLines(rows: readonly (readonly string[])[], painter: Painter, columns?: number): string[] {
  const all = [HEADINGS as readonly string[], ...rows];
  const wanted = HEADINGS.map((_, at) => Math.max(...all.map((row) => painter.width(row[at] ?? ''))));
  const widths = columns === undefined ? wanted : fittedWidths(wanted, columns);
  return all.map((row, index) => {
    const text = row.map((cell, at) => painter.fit(cell, widths[at] ?? 0)).join(' '.repeat(GAP));
    if (columns === undefined) return text.trimEnd();
    return painter.line([{ text, ...(index === 0 && { style: 'bold' as const }) }], columns);
  });
}
