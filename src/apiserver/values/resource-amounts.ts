import { canonicalQuantity } from '../table/quantity.ts';
import { asString, isObject, type JsonObject, type JsonValue } from './json.ts';

const NANOS = 1_000_000_000n;
const EXPONENTS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** A `resource.Quantity` to calculate with. */
export interface Amount {
  /** In units of 10⁻⁹. */
  readonly nanos: bigint;
  /** Whether it is written with powers of 1024. */
  readonly binary: boolean;
}

/** Amounts by the name of the resource: Go's `ResourceList`. */
export type Amounts = ReadonlyMap<string, Amount>;

export const ZERO: Amount = { nanos: 0n, binary: false };

export function count(number: number): Amount {
  return { nanos: BigInt(number) * NANOS, binary: false };
}

/** Undefined when the value is not a quantity. */
export function parseAmount(value: JsonValue | undefined): Amount | undefined {
  const canonical = canonicalQuantity(typeof value === 'number' ? String(value) : asString(value));
  if (canonical === undefined) return undefined;
  const [, digits = '0', suffix = ''] = /^(-?\d+)(.*)$/.exec(canonical) ?? [];
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) return { nanos: BigInt(digits) * 1024n ** BigInt(binary) * NANOS, binary: true };
  const exponent = 9 + (suffix === '' ? 0 : (EXPONENTS[suffix] ?? Number(suffix.slice(1))));
  const nanos = exponent >= 0 ? BigInt(digits) * 10n ** BigInt(exponent) : BigInt(digits) / 10n ** BigInt(-exponent);
  return { nanos, binary: asString(value).endsWith('i') };
}

export function amountText({ nanos, binary }: Amount): string {
  const whole = nanos / NANOS;
  if (!binary || nanos % NANOS !== 0n || whole < 1024n) return canonicalQuantity(`${nanos}n`) ?? '0';
  return whole % 1024n === 0n ? (canonicalQuantity(`${whole / 1024n}Ki`) ?? '0') : `${whole}`;
}

export function parseAmounts(value: JsonValue | undefined): Map<string, Amount> {
  const amounts = new Map<string, Amount>();
  for (const [name, item] of isObject(value) ? Object.entries(value) : []) {
    const amount = parseAmount(item);
    if (amount) amounts.set(name, amount);
  }
  return amounts;
}

export function amountsJson(amounts: Amounts): JsonObject {
  return Object.fromEntries([...amounts].sort(byName).map(([name, amount]) => [name, amountText(amount)]));
}

/** A sum is written as its first part, unless that is zero. */
function add(a: Amount, b: Amount): Amount {
  return { nanos: a.nanos + b.nanos, binary: a.nanos === 0n ? b.binary : a.binary };
}

export function addAmounts(a: Amounts, b: Amounts): Map<string, Amount> {
  const sum = new Map(a);
  for (const [name, amount] of b) sum.set(name, add(sum.get(name) ?? { ...ZERO, binary: amount.binary }, amount));
  return sum;
}

export function maxAmounts(a: Amounts, b: Amounts): Map<string, Amount> {
  const larger = new Map(a);
  for (const [name, amount] of b) {
    const present = larger.get(name);
    if (!present || present.nanos < amount.nanos) larger.set(name, amount);
  }
  return larger;
}

/** What is more in the first; names of the second alone are left out. */
export function increase(a: Amounts, b: Amounts): Map<string, Amount> {
  const more = new Map<string, Amount>();
  for (const [name, amount] of a) {
    const nanos = amount.nanos - (b.get(name)?.nanos ?? 0n);
    more.set(name, { ...amount, nanos: nanos > 0n ? nanos : 0n });
  }
  return more;
}

export function onlyNames(amounts: Amounts, names: Iterable<string>): Map<string, Amount> {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
}

export function sameAmounts(a: Amounts, b: Amounts): boolean {
  return a.size === b.size && [...a].every(([name, { nanos }]) => b.get(name)?.nanos === nanos);
}

/** `cpu=1,pods=2` */
export function amountsText(amounts: Amounts): string {
  return [...amounts]
    .sort(byName)
    .map(([name, amount]) => `${name}=${amountText(amount)}`)
    .join(',');
}

function byName([a]: readonly [string, Amount], [b]: readonly [string, Amount]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
