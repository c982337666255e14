export const MAX_CODE_POINT = 0x10ffff;

/** A set of code points as sorted pairs of first and last, which neither overlap nor touch. */
export type CodePoints = readonly number[];

export const ANY: CodePoints = [0, MAX_CODE_POINT];
export const ANY_BUT_NEWLINE: CodePoints = [0, 9, 11, MAX_CODE_POINT];

/** Pairs in any order become a set. */
export function codePoints(pairs: readonly number[]): CodePoints {
  const sorted: [first: number, last: number][] = [];
  for (let at = 0; at < pairs.length; at += 2) sorted.push([pairs[at] ?? 0, pairs[at + 1] ?? 0]);
  sorted.sort(([a], [b]) => a - b);
  const set: number[] = [];
  for (const [first, last] of sorted) {
    const end = set.at(-1);
    if (end === undefined || first > end + 1) set.push(first, last);
    else if (last > end) set[set.length - 1] = last;
  }
  return set;
}

export function complement(set: CodePoints): CodePoints {
  const rest: number[] = [];
  let next = 0;
  for (let at = 0; at < set.length; at += 2) {
    const first = set[at] ?? 0;
    if (next < first) rest.push(next, first - 1);
    next = (set[at + 1] ?? 0) + 1;
  }
  if (next <= MAX_CODE_POINT) rest.push(next, MAX_CODE_POINT);
  return rest;
}

export function includes(set: CodePoints, codePoint: number): boolean {
  const at = firstAbove(set, codePoint);
  return at % 2 === 1 || set[at - 1] === codePoint;
}

/** The place of the first number above the given one, in a sorted list; its length when there is none. */
export function firstAbove(sorted: readonly number[], number: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}
