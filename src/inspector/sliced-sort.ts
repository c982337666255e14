import type { TimeSlice } from '../observe/scheduler.ts';

/** Sorted in one go: a millisecond or two. */
const RUN = 2_048;
/** Between two looks at the clock. */
const STEPS = 512;

/** Sorts as `toSorted` does, and gives way to the event loop while it does. The array must not change meanwhile. Stable. */
export async function slicedSort<T>(
  values: readonly T[],
  compare: (a: T, b: T) => number,
  slice: TimeSlice,
): Promise<T[]> {
  let from: T[] = [];
  for (let start = 0; start < values.length; start += RUN) {
    from = concat(from, values.slice(start, start + RUN).sort(compare));
    if (slice.isDue()) await slice.pause();
  }
  let to: T[] = new Array(from.length);
  for (let width = RUN; width < from.length; width *= 2) {
    for (let start = 0; start < from.length; start += 2 * width) {
      const middle = Math.min(start + width, from.length);
      const end = Math.min(start + 2 * width, from.length);
      let [left, right] = [start, middle];
      for (let at = start; at < end; at++) {
        const isLeft = left < middle && (right >= end || compare(from[left] as T, from[right] as T) <= 0);
        to[at] = from[isLeft ? left++ : right++] as T;
        if (at % STEPS === 0 && slice.isDue()) await slice.pause();
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

function concat<T>(all: T[], more: readonly T[]): T[] {
  for (const value of more) all.push(value);
  return all;
}
