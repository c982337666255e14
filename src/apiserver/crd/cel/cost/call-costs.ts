import { type CelValue, LibraryValue, ListValue, MapValue, ObjectValue, Optional } from '../values.ts';
import { PATTERN, TRAVERSAL } from './size-estimate.ts';

const LIST = 10;

/** What a call has cost, beside its arguments; of a method the receiver is the first. `result` is undefined on an error. */
type Cost = (args: readonly CelValue[], result: CelValue | undefined) => number;

const traversal: Cost = ([text]) => Math.ceil(sizeOf(text) * TRAVERSAL);
const twice: Cost = ([text]) => Math.ceil(sizeOf(text) * 2 * TRAVERSAL);
const pattern: Cost = ([text, expression]) =>
  Math.ceil((1 + sizeOf(text)) * TRAVERSAL) * Math.ceil(sizeOf(expression) * PATTERN);
const wholeTraversal: Cost = ([list]) => (list === undefined ? 0 : traversalCost(list));
const output: Cost = (_, result) => allocation(1, sizeOf(result ?? new ListValue([])));
const selfCompare: Cost = ([list]) => comparison(list);
const sets =
  (factor: number): Cost =>
  ([a, b]) =>
    1 + Math.trunc(sizeOf(a) * sizeOf(b) * factor);

/** As the server counts; by name, `.name` for methods. What is not here costs 1. */
const COSTS: ReadonlyMap<string, Cost> = new Map([
  ...each('.isSorted .sum .max .min .indexOf .lastIndexOf', wholeTraversal),
  ...each('url .lowerAscii .upperAscii .substring .trim cidr isIP isCIDR ip quantity isQuantity', traversal),
  ...each('.startsWith .endsWith strings.quote .format', traversal),
  ...each('.replace .split ip.isCanonical', twice),
  ...each('.find .findAll .matches', pattern),
  ...each('sets.contains sets.intersects', sets(1)),
  ...each('sets.equivalent', sets(2)),
  ...each('.slice lists.range', output),
  ...each('.sort .distinct', selfCompare),
  ['.join', (_, result) => Math.ceil(sizeOf(result ?? '') * 2 * TRAVERSAL)],
  ['.contains', ([text, part]) => Math.ceil(sizeOf(text) * TRAVERSAL) * Math.ceil(sizeOf(part) * TRAVERSAL)],
  ['.containsIP', (args) => containment(args, false)],
  ['.containsCIDR', (args) => containment(args, true)],
  ['.validate', ([format, text]) => pattern([text ?? null, format ?? null], undefined)],
  ['.reverse', ([value], result) => (value instanceof ListValue ? output([], result) : 1)],
  ['.flatten', ([list, depth]) => allocation(typeof depth === 'bigint' ? Number(depth) : 1, sizeOf(list))],
  ['bytes', ([value]) => (typeof value === 'string' ? traversal([value], undefined) : 1)],
  ['string', ([value]) => (value instanceof Uint8Array ? traversal([value], undefined) : 1)],
]);

function each(names: string, cost: Cost): [string, Cost][] {
  return names.split(' ').map((name) => [name, cost]);
}

export function callCost(name: string, args: readonly CelValue[], result: CelValue | undefined): number {
  return COSTS.get(name)?.(args, result) ?? 1;
}

/** Of `==`, `!=`, `<` and the like. */
export function comparisonCost(a: CelValue, b: CelValue): number {
  return a instanceof LibraryValue ? 1 : Math.ceil(Math.min(sizeOf(a), sizeOf(b)) * TRAVERSAL);
}

/** What sorting the values of a list, or comparing each with each, costs. */
export function comparison(list: CelValue | undefined): number {
  const items = list instanceof ListValue ? list.items : [];
  const [first] = items;
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + TRAVERSAL : 2;
  return allocation(factor, items.length ** 2);
}

export function additionCost(a: CelValue, b: CelValue): number {
  const isText = typeof a === 'string' || a instanceof Uint8Array;
  return isText ? Math.ceil((sizeOf(a) + sizeOf(b)) * TRAVERSAL) : 1;
}

function allocation(factor: number, size: number): number {
  return Math.trunc(size * factor) + 1 + LIST;
}

/** Characters of a text, items of a list, entries of a map; 1 for what has no size. */
export function sizeOf(value: CelValue | undefined): number {
  if (typeof value === 'string') return codePoints(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue) return value.items.length;
  if (value instanceof MapValue) return value.entries.size;
  if (value instanceof ObjectValue) return value.fields.size;
  if (value instanceof LibraryValue) return value.size;
  if (value instanceof Optional && value.value !== undefined) return sizeOf(value.value);
  return 1;
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function traversalCost(value: CelValue): number {
  if (typeof value === 'string') return Math.trunc(Buffer.byteLength(value) * TRAVERSAL);
  if (value instanceof Uint8Array) return Math.trunc(value.length * TRAVERSAL);
  if (value instanceof ListValue) return value.items.reduce((sum: number, item) => sum + traversalCost(item), 0);
  if (value instanceof MapValue) {
    return [...value.entries.values()].reduce((sum, [key, item]) => sum + traversalCost(key) + traversalCost(item), 0);
  }
  return 1;
}

/** In the bytes of a network's address; a text has to be read first. */
function containment([network, other]: readonly CelValue[], masks: boolean): number {
  const bytes = sizeOf(network);
  const compared = Math.ceil(2 * bytes * TRAVERSAL) + (masks ? Math.ceil(bytes * TRAVERSAL) + 1 : 0);
  return compared + (typeof other === 'string' ? Math.ceil(sizeOf(other) * TRAVERSAL) : 0);
}
