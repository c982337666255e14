/** Between two columns of the live table. */
export const GAP = 2;
/** What a column keeps while others give way. */
export const MIN_WIDTH = 8;

/**
 * Widths that fit into `columns`: the widest give way first, each down to its floor (`MIN_WIDTH` where none is given). What
 * does not fit then is cut off at the edge by whoever paints.
 */
export function fittedWidths(wanted: readonly number[], columns: number, floors: readonly number[] = []): number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
  while (excess > 0) {
    const yielding = widths.flatMap((width, at) => (width > (floors[at] ?? MIN_WIDTH) ? [at] : []));
    if (yielding.length === 0) break;
    const widest = Math.max(...yielding.map((at) => widths[at] ?? 0));
    for (const at of yielding) {
      if (widths[at] !== widest || excess <= 0) continue;
      widths[at] = widest - 1;
      excess--;
    }
  }
  return widths;
}
