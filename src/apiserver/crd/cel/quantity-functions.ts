import { canonicalQuantity } from '../../table/quantity.ts';
import { CelError } from './cel-error.ts';
import type { FunctionTable } from './function-table.ts';
import { int64 } from './operators.ts';
import { type CelValue, LibraryValue } from './values.ts';

const NANOS = 1_000_000_000n;
const EXPONENTS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** A `resource.Quantity`, as a count of nano-units. */
class Quantity extends LibraryValue {
  readonly typeName = 'kubernetes.Quantity';
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  equals(other: LibraryValue): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

export const quantityFunctions: FunctionTable = {
  isQuantity: (text) => (typeof text === 'string' ? canonicalQuantity(text) !== undefined : undefined),
  quantity: (text) => {
    if (typeof text !== 'string') return undefined;
    const canonical = canonicalQuantity(text);
    if (canonical === undefined) {
      throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }
    return new Quantity(nanosOf(canonical));
  },
  '.sign': (value) => (value instanceof Quantity ? (value.nanos > 0n ? 1n : value.nanos < 0n ? -1n : 0n) : undefined),
  '.isInteger': (value) => (value instanceof Quantity ? value.nanos % NANOS === 0n : undefined),
  '.asInteger': (value) => {
    if (!(value instanceof Quantity)) return undefined;
    if (value.nanos % NANOS !== 0n) throw new CelError('cannot convert value to integer');
    return int64(value.nanos / NANOS);
  },
  '.asApproximateFloat': (value) => (value instanceof Quantity ? Number(value.nanos) / 1e9 : undefined),
  '.add': (a, b) => combine(a, b, (left, right) => left + right),
  '.sub': (a, b) => combine(a, b, (left, right) => left - right),
  '.isGreaterThan': (a, b) => (a instanceof Quantity && b instanceof Quantity ? a.nanos > b.nanos : undefined),
  '.isLessThan': (a, b) => (a instanceof Quantity && b instanceof Quantity ? a.nanos < b.nanos : undefined),
  '.compareTo': (a, b) => {
    if (!(a instanceof Quantity && b instanceof Quantity)) return undefined;
    return a.nanos < b.nanos ? -1n : a.nanos > b.nanos ? 1n : 0n;
  },
};

function combine(
  a: CelValue | undefined,
  b: CelValue | undefined,
  apply: (left: bigint, right: bigint) => bigint,
): CelValue | undefined {
  if (!(a instanceof Quantity)) return undefined;
  if (b instanceof Quantity) return new Quantity(apply(a.nanos, b.nanos));
  return typeof b === 'bigint' ? new Quantity(apply(a.nanos, b * NANOS)) : undefined;
}

/** Of the canonical form, which has whole digits and one suffix. */
function nanosOf(canonical: string): bigint {
  const [, digits = '0', suffix = ''] = /^(-?\d+)(.*)$/.exec(canonical) ?? [];
  const binary = BINARY.indexOf(suffix);
  if (binary >= 0) return BigInt(digits) * 1024n ** BigInt(binary) * NANOS;
  const exponent = 9 + (EXPONENTS[suffix] ?? Number(suffix.slice(1)));
  return exponent >= 0 ? BigInt(digits) * 10n ** BigInt(exponent) : BigInt(digits) / 10n ** BigInt(-exponent);
}
