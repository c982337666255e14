/** Between two columns of the live table. */
export const GAP = 2;
/** What a column keeps while others give way. */
const MIN_WIDTH = 8;

/**
 * Widths that fit into `columns`: the widest give way first, down to what is still readable. What does not fit then is
 * cut off at the edge by whoever paints.
 */
export function fittedWidths(wanted: readonly number[], columns: number): number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
  while (excess > 0) {
    const widest = Math.max(...widths);
    if (widest <= MIN_WIDTH) break;
    const second = Math.max(MIN_WIDTH, ...widths.filter((width) => width < widest));
    const count = widths.filter((width) => width === widest).length;
    const step = Math.max(1, Math.min(widest - second, Math.floor(excess / count)));
    for (const [at, width] of widths.entries()) {
      if (width !== widest || excess <= 0) continue;
      widths[at] = width - step;
      excess -= step;
    }
  }
  return widths;
}
