type Format = 'decimal' | 'binary' | 'exponent';

const DECIMAL_SUFFIXES = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Nothing below a nano-unit is kept. */
const NANO = 9;
const NANOS = 10n ** BigInt(NANO);
const MAX_INT64 = 2n ** 63n - 1n;

/**
 * The one way to write a `resource.Quantity`: `0.5` is `500m`, `1024Mi` is `1Gi`, `1000` is `1k`. Undefined when the
 * text is not a quantity.
 */
export function canonicalQuantity(text: string): string | undefined {
  const parts = /^([+-]?)(\d*)(?:\.(\d*))?(.*)$/s.exec(text.trim());
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = parts;
  if (whole === '' && fraction === '') return undefined;
  const scale = interpretSuffix(suffix);
  if (scale === undefined) return undefined;

  let digits = BigInt(whole + fraction);
  let format = scale.format;
  if (format === 'binary') digits <<= BigInt(scale.exponent);
  const shift = NANO - fraction.length + (format === 'binary' ? 0 : scale.exponent);
  let nanos = shift >= 0 ? digits * 10n ** BigInt(shift) : roundUp(digits, 10n ** BigInt(-shift));
  if (format === 'binary' && nanos > MAX_INT64 * NANOS) nanos = MAX_INT64 * NANOS;

  if (nanos === 0n) return '0';
  const fractional = nanos % NANOS !== 0n;
  if (format === 'binary' && (fractional || nanos < 1024n * NANOS)) format = 'decimal';
  const minus = sign === '-' ? '-' : '';
  return minus + (format === 'binary' ? inBinary(nanos / NANOS) : inDecimal(nanos, format));
}

function interpretSuffix(suffix: string): { format: Format; exponent: number } | undefined {
  const decimal = DECIMAL_SUFFIXES.get(suffix);
  if (decimal !== undefined) return { format: 'decimal', exponent: decimal };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary > 0) return { format: 'binary', exponent: binary * 10 };
  const exponent = /^[eE]([+-]?\d{1,3})$/.exec(suffix)?.[1];
  return exponent === undefined ? undefined : { format: 'exponent', exponent: Number(exponent) };
}

function roundUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

/** Whole digits and an exponent that is a multiple of three, as large as it can be. */
function inDecimal(nanos: bigint, format: Format): string {
  let mantissa = nanos;
  let exponent = -NANO;
  while (mantissa % 1000n === 0n) {
    mantissa /= 1000n;
    exponent += 3;
  }
  if (format === 'exponent') return exponent === 0 ? `${mantissa}` : `${mantissa}e${exponent}`;
  while (exponent > 18) {
    mantissa *= 1000n;
    exponent -= 3;
  }
  const suffix = [...DECIMAL_SUFFIXES].find(([, power]) => power === exponent)?.[0] ?? '';
  return `${mantissa}${suffix}`;
}

function inBinary(value: bigint): string {
  let mantissa = value;
  let power = 0;
  while (mantissa % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    mantissa /= 1024n;
    power += 1;
  }
  return `${mantissa}${BINARY_SUFFIXES[power] ?? ''}`;
}
