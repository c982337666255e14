import type { Painter } from './style.ts';

/** `████████░░░░`, `columns` wide. */
export function progressBar(painter: Painter, part: number, columns: number): string {
  const full = Math.round(Math.min(1, Math.max(0, part)) * columns);
  return painter.glyphs.full.repeat(full) + painter.glyphs.empty.repeat(columns - full);
}
