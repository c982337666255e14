import { CelError } from './cel-error.ts';
import type { FunctionTable } from './function-table.ts';
import { arithmetic, compare, equal } from './operators.ts';
import { type CelValue, ListValue } from './values.ts';

/** CEL's `sets` and `lists` extensions, and Kubernetes' own functions of lists. */
export const listFunctions: FunctionTable = {
  'sets.contains': (a, b) => (isList(a) && isList(b) ? b.items.every((item) => has(a, item)) : undefined),
  'sets.equivalent': (a, b) =>
    isList(a) && isList(b) ? a.items.every((item) => has(b, item)) && b.items.every((item) => has(a, item)) : undefined,
  'sets.intersects': (a, b) => (isList(a) && isList(b) ? a.items.some((item) => has(b, item)) : undefined),
  '.isSorted': (list) =>
    isList(list)
      ? list.items.every((item, index) => index === 0 || compare(list.items[index - 1] ?? null, item) <= 0)
      : undefined,
  '.sum': (list) => {
    if (!isList(list)) return undefined;
    const [first, ...rest] = list.items;
    if (first === undefined) return 0n;
    return rest.reduce((total, item) => arithmetic('+', total, item), first);
  },
  '.min': (list) => (isList(list) ? extreme(list, -1) : undefined),
  '.max': (list) => (isList(list) ? extreme(list, 1) : undefined),
  '.indexOf': (list, value = null) =>
    isList(list) ? BigInt(list.items.findIndex((item) => equal(item, value))) : undefined,
  '.lastIndexOf': (list, value = null) =>
    isList(list) ? BigInt(list.items.findLastIndex((item) => equal(item, value))) : undefined,
  '.slice': (list, start, end) => {
    if (!isList(list) || typeof start !== 'bigint' || typeof end !== 'bigint') return undefined;
    if (start < 0n || end < 0n) throw new CelError(`cannot slice(${start}, ${end}), negative indexes not supported`);
    if (start > end)
      throw new CelError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
    if (end > BigInt(list.items.length)) {
      throw new CelError(`cannot slice(${start}, ${end}), list is length ${list.items.length}`);
    }
    return new ListValue(list.items.slice(Number(start), Number(end)));
  },
  '.flatten': (list, depth = 1n) =>
    isList(list) && typeof depth === 'bigint' ? new ListValue(flatten(list.items, Number(depth))) : undefined,
  '.sort': (list) => (isList(list) ? new ListValue([...list.items].sort(compare)) : undefined),
  '.distinct': (list) =>
    isList(list)
      ? new ListValue(list.items.filter((item, at) => list.items.findIndex((other) => equal(item, other)) === at))
      : undefined,
  '.reverse': (list) => (isList(list) ? new ListValue([...list.items].reverse()) : undefined),
  'lists.range': (count) =>
    typeof count === 'bigint'
      ? new ListValue(Array.from({ length: Number(count) }, (_, index) => BigInt(index)))
      : undefined,
};

function isList(value: CelValue | undefined): value is ListValue {
  return value instanceof ListValue;
}

function has(list: ListValue, value: CelValue): boolean {
  return list.items.some((item) => equal(item, value));
}

function extreme(list: ListValue, direction: 1 | -1): CelValue {
  const [first, ...rest] = list.items;
  if (first === undefined) throw new CelError(`${direction < 0 ? 'min' : 'max'} called on empty list`);
  return rest.reduce((best, item) => (Math.sign(compare(item, best)) === direction ? item : best), first);
}

function flatten(items: readonly CelValue[], depth: number): CelValue[] {
  return items.flatMap((item) => (depth > 0 && isList(item) ? flatten(item.items, depth - 1) : [item]));
}
