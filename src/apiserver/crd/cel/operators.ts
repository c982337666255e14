import { CelError, noOverload } from './cel-error.ts';
import { identityText } from './identity-text.ts';
import {
  type CelValue,
  Duration,
  LibraryValue,
  ListValue,
  MapValue,
  ObjectValue,
  Optional,
  Timestamp,
  TypeName,
  Uint,
} from './values.ts';

/** Values of different types are unequal, but for numbers, which are compared by what they are worth. */
export function equal(a: CelValue, b: CelValue): boolean {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof ListValue) return b instanceof ListValue && equalLists(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeName) return b instanceof TypeName && a.name === b.name;
  if (a instanceof LibraryValue) return b instanceof LibraryValue && a.typeName === b.typeName && a.equals(b);
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a.value, b.value);
  if (a instanceof MapValue && b instanceof MapValue) {
    if (a.entries.size !== b.entries.size) return false;
    return [...a.entries.values()].every(([key, value]) => b.has(key) && equal(value, b.get(key) ?? null));
  }
  if (a instanceof ObjectValue && b instanceof ObjectValue) {
    if (a.fields.size !== b.fields.size) return false;
    return [...a.fields.keys()].every((name) => b.fields.has(name) && equal(a.get(name) ?? null, b.get(name) ?? null));
  }
  return false;
}

function equalOptionals(a: CelValue | undefined, b: CelValue | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equal(a, b);
}

/** The left side decides how items are told apart. */
function equalLists(a: ListValue, b: ListValue): boolean {
  if (a.items.length !== b.items.length) return false;
  const { identity } = a;
  if (identity.by === 'place') return a.items.every((item, index) => equal(item, b.items[index] ?? null));
  const byKey = new Map(a.items.map((item) => [identityText(item, identity), item]));
  return b.items.every((item) => {
    const mine = byKey.get(identityText(item, identity));
    return mine !== undefined && equal(mine, item);
  });
}

type NumberValue = bigint | number | Uint;

function isNumber(value: CelValue): value is NumberValue {
  return typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;
}

function compareNumbers(a: NumberValue, b: NumberValue): number {
  const left = a instanceof Uint ? a.value : a;
  const right = b instanceof Uint ? b.value : b;
  // JavaScript compares bigint and number exactly; NaN is neither less, greater nor equal.
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Negative, zero or positive; throws for values that have no order between them. */
export function compare(a: CelValue, b: CelValue): number {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if ((a instanceof Timestamp && b instanceof Timestamp) || (a instanceof Duration && b instanceof Duration)) {
    return compareNumbers(a.nanos, b.nanos);
  }
  throw noOverload();
}

export function arithmetic(operator: string, a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'bigint' && typeof b === 'bigint') return int64(integerResult(operator, a, b));
  if (a instanceof Uint && b instanceof Uint) return new Uint(uint64(integerResult(operator, a.value, b.value)));
  if (typeof a === 'number' && typeof b === 'number') return doubleResult(operator, a, b);
  if (operator === '+') return sum(a, b);
  if (operator === '-') return difference(a, b);
  throw noOverload();
}

function integerResult(operator: string, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      if (b === 0n) throw new CelError('division by zero');
      return a / b;
    default:
      if (b === 0n) throw new CelError('modulus by zero');
      return a % b;
  }
}

export function int64(value: bigint): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new CelError('integer overflow');
  return value;
}

export function uint64(value: bigint): bigint {
  if (BigInt.asUintN(64, value) !== value) throw new CelError('unsigned integer overflow');
  return value;
}

function doubleResult(operator: string, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    default:
      throw noOverload();
  }
}

function sum(a: CelValue, b: CelValue): CelValue {
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b]);
  if (a instanceof ListValue && b instanceof ListValue) return concatenate(a, b);
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.nanos + b.nanos);
  if (a instanceof Duration && b instanceof Timestamp) return new Timestamp(a.nanos + b.nanos);
  throw noOverload();
}

function difference(a: CelValue, b: CelValue): CelValue {
  if (a instanceof Duration && b instanceof Duration) return new Duration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.nanos - b.nanos);
  throw noOverload();
}

/** Sets keep each value once, and lists with keys let the right side replace what has the same key. */
function concatenate(a: ListValue, b: ListValue): ListValue {
  const { identity } = a;
  if (identity.by === 'place') return new ListValue([...a.items, ...b.items]);
  const merged = [...a.items];
  const places = new Map(merged.map((item, at) => [identityText(item, identity), at]));
  for (const item of b.items) {
    const text = identityText(item, identity);
    const at = places.get(text);
    if (at !== undefined) merged[at] = item;
    else {
      places.set(text, merged.length);
      merged.push(item);
    }
  }
  return new ListValue(merged, identity);
}

export function contains(collection: CelValue, value: CelValue): boolean {
  if (collection instanceof ListValue) return collection.items.some((item) => equal(item, value));
  if (collection instanceof MapValue) return collection.has(value);
  throw noOverload();
}

/** A field, key or item; undefined when it is not there. */
export function lookUp(container: CelValue, key: CelValue): CelValue | undefined {
  if (container instanceof ObjectValue) return typeof key === 'string' ? container.get(key) : undefined;
  if (container instanceof MapValue) return container.get(key);
  if (!(container instanceof ListValue)) throw noOverload();
  const index = key instanceof Uint ? key.value : key;
  if (typeof index !== 'bigint' && !(typeof index === 'number' && Number.isInteger(index))) throw noOverload();
  return container.items[Number(index)];
}
