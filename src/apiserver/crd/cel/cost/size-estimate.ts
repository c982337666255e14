/** How many characters, items or entries a value has, at least and at most. `Infinity` for what nothing bounds. */
export interface Size {
  readonly min: number;
  readonly max: number;
}

export const UNKNOWN: Size = { min: 0, max: Number.POSITIVE_INFINITY };
/** What it costs to go through a text once, for each character. */
export const TRAVERSAL = 0.1;
/** What each character of a pattern adds to the cost of matching. */
export const PATTERN = 0.25;

export function fixed(size: number): Size {
  return { min: size, max: size };
}

export function plus(a: Size, b: Size): Size {
  return { min: a.min + b.min, max: a.max + b.max };
}

export function times(a: Size, b: Size): Size {
  return { min: product(a.min, b.min), max: product(a.max, b.max) };
}

export function union(a: Size, b: Size): Size {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** Nothing, however often, is nothing. */
export function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : a * b;
}

/** Costs are whole. */
export function scaled(size: number, factor: number): number {
  return Math.ceil(product(size, factor));
}
