import { Duration, Timestamp } from './values.ts';

const SECOND = 1_000_000_000n;
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
};

/** RFC 3339; undefined when it is none. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:\d{2})$/i.exec(text);
  if (parts === null) return undefined;
  const [, whole = '', fraction = '', zone = ''] = parts;
  const ms = Date.parse(`${whole}${zone}`.toUpperCase());
  if (Number.isNaN(ms)) return undefined;
  return new Timestamp(BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(9, '0')));
}

/** Go's durations: `1h30m`, `-1.5s`. */
export function parseDuration(text: string): Duration | undefined {
  const parts = /^([-+]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text);
  if (parts === null) return undefined;
  let nanos = 0n;
  for (const [, number = '', unit = ''] of (parts[2] ?? '').matchAll(/([\d.]+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const [whole = '', fraction = ''] = number.split('.');
    const scale = UNITS[unit] ?? 0n;
    nanos += BigInt(whole === '' ? 0 : whole) * scale;
    if (fraction !== '') nanos += (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length);
  }
  return new Duration(parts[1] === '-' ? -nanos : nanos);
}

/** As CEL's `string()` writes it: seconds with a unit. */
export function durationText({ nanos }: Duration): string {
  const sign = nanos < 0n ? '-' : '';
  const positive = nanos < 0n ? -nanos : nanos;
  return `${sign}${positive / SECOND}${fractionText(positive % SECOND)}s`;
}

export function timestampText({ nanos }: Timestamp): string {
  const seconds = floorDivide(nanos, SECOND);
  const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${date}${fractionText(nanos - seconds * SECOND)}Z`;
}

function fractionText(nanos: bigint): string {
  return nanos === 0n ? '' : `.${nanos.toString().padStart(9, '0').replace(/0+$/, '')}`;
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient;
}

/** A part of a time in UTC, as CEL counts: months, days of the month and of the year from 0. */
export function timePart({ nanos }: Timestamp, part: string): bigint | undefined {
  const seconds = floorDivide(nanos, SECOND);
  const date = new Date(Number(seconds) * 1000);
  const year = date.getUTCFullYear();
  switch (part) {
    case 'getFullYear':
      return BigInt(year);
    case 'getMonth':
      return BigInt(date.getUTCMonth());
    case 'getDate':
      return BigInt(date.getUTCDate());
    case 'getDayOfMonth':
      return BigInt(date.getUTCDate() - 1);
    case 'getDayOfWeek':
      return BigInt(date.getUTCDay());
    case 'getDayOfYear':
      return BigInt(Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / 86_400_000));
    case 'getHours':
      return BigInt(date.getUTCHours());
    case 'getMinutes':
      return BigInt(date.getUTCMinutes());
    case 'getSeconds':
      return BigInt(date.getUTCSeconds());
    case 'getMilliseconds':
      return (nanos - seconds * SECOND) / 1_000_000n;
    default:
      return undefined;
  }
}

/** A duration in whole units; milliseconds are those of the last second. */
export function durationPart({ nanos }: Duration, part: string): bigint | undefined {
  switch (part) {
    case 'getHours':
      return nanos / (3600n * SECOND);
    case 'getMinutes':
      return nanos / (60n * SECOND);
    case 'getSeconds':
      return nanos / SECOND;
    case 'getMilliseconds':
      return (nanos % SECOND) / 1_000_000n;
    default:
      return undefined;
  }
}
