import { getKey, isObject, type JsonValue } from '../values/json.ts';

/** A path that does not parse, or that meets a value it cannot be applied to. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/** One step: from the values found so far to the next ones. Throws `JsonPathError` where client-go gives an error. */
export type Step = (values: readonly JsonValue[]) => JsonValue[];

export function runSteps(steps: readonly Step[], values: readonly JsonValue[]): JsonValue[] {
  let current = [...values];
  for (const step of steps) current = step(current);
  return current;
}

export function fieldStep(key: string): Step {
  return (values) =>
    values.flatMap((value) => {
      const found = isObject(value) ? getKey(value, key) : undefined;
      return found === undefined ? [] : [found];
    });
}

export const wildcardStep: Step = (values) => values.flatMap(children);

export function literalStep(literal: JsonValue): Step {
  return (values) => values.map(() => literal);
}

export const recursiveStep: Step = (values) => values.flatMap(withDescendants);

/** The value and what is below it, from the top; scalars are left out. */
function withDescendants(value: JsonValue): JsonValue[] {
  const found: JsonValue[] = [];
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const below = children(next);
    if (below.length > 0) found.push(next);
    for (let index = below.length - 1; index >= 0; index--) open.push(below[index] as JsonValue);
  }
  return found;
}

function children(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return [];
  return Object.values(value).filter((child) => child !== undefined);
}

export function unionStep(branches: readonly (readonly Step[])[]): Step {
  return (values) => branches.flatMap((steps) => runSteps(steps, values));
}

interface Slice {
  start: number | undefined;
  end: number | undefined;
  step: number | undefined;
}

/** `[3]` is the slice from 3 to 4; `isIndex` tells it from `[3:4]` for the sake of `[-1]`. */
export function sliceStep(slice: Slice, isIndex: boolean): Step {
  return (values) =>
    values.flatMap((value) => {
      if (value === null) return [];
      if (!Array.isArray(value)) throw new JsonPathError('the value is not an array or slice');
      return sliceOf(value, slice, isIndex);
    });
}

function sliceOf(value: JsonValue[], slice: Slice, isIndex: boolean): JsonValue[] {
  const length = value.length;
  const start = fromEnd(slice.start ?? 0, length);
  const end = isIndex && slice.end === 0 ? length : fromEnd(slice.end ?? length, length);
  if (start === end) return [];
  if (start >= length || start < 0 || end > length || end < 0 || start > end) {
    throw new JsonPathError(`array index out of bounds: index ${start}, length ${length}`);
  }
  const step = slice.step ?? 1;
  if (step <= 0) throw new JsonPathError('step must be > 0');
  return value.slice(start, end).filter((_, index) => index % step === 0);
}

function fromEnd(index: number, length: number): number {
  return index < 0 ? index + length : index;
}

interface Filter {
  left: readonly Step[];
  /** Unset: the left side has to exist. */
  comparison?: { operator: string; right: readonly Step[] };
}

export function filterStep({ left, comparison }: Filter): Step {
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new JsonPathError('only an array can be filtered');
      return value.filter((item) => {
        const lefts = runSteps(left, [item]);
        if (comparison === undefined) return lefts.length > 0;
        const rights = runSteps(comparison.right, [item]);
        if (lefts.length > 1 || rights.length > 1) throw new JsonPathError('can only compare one element at a time');
        const [a] = lefts;
        const [b] = rights;
        return a !== undefined && b !== undefined && compare(a, comparison.operator, b);
      });
    });
}

function compare(a: JsonValue, operator: string, b: JsonValue): boolean {
  if (typeof a !== typeof b || a === null || b === null || typeof a === 'object' || typeof b === 'object') {
    throw new JsonPathError('incompatible types for comparison');
  }
  switch (operator) {
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<=':
      return a <= b;
    case '>=':
      return a >= b;
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}
