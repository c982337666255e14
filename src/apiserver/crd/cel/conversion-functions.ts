import { goNumber } from '../../table/go-number.ts';
import { CelError } from './cel-error.ts';
import type { FunctionTable } from './function-table.ts';
import { int64, uint64 } from './operators.ts';
import { durationPart, durationText, parseDuration, parseTimestamp, timePart, timestampText } from './time.ts';
import {
  type CelValue,
  Duration,
  ListValue,
  MapValue,
  Optional,
  Timestamp,
  TypeName,
  typeNameOf,
  Uint,
} from './values.ts';

/** Conversions between types, times, and optional values. */
export const conversionFunctions: FunctionTable = {
  size: sizeOf,
  '.size': sizeOf,
  dyn: (value) => value,
  type: (value = null) => new TypeName(typeNameOf(value)),
  int: (value = null) => toInt(value),
  uint: (value = null) => toUint(value),
  double: (value = null) => toDouble(value),
  string: (value = null) => toText(value),
  bool: (value = null) => toBool(value),
  bytes: (value = null) => {
    if (typeof value === 'string') return Buffer.from(value);
    return value instanceof Uint8Array ? value : undefined;
  },
  timestamp: (value = null) => {
    if (value instanceof Timestamp) return value;
    if (typeof value === 'bigint') return new Timestamp(value * 1_000_000_000n);
    if (typeof value !== 'string') return undefined;
    const parsed = parseTimestamp(value);
    if (parsed === undefined) throw unconvertible('google.protobuf.Timestamp');
    return parsed;
  },
  duration: (value = null) => {
    if (value instanceof Duration) return value;
    if (typeof value !== 'string') return undefined;
    const parsed = parseDuration(value);
    if (parsed === undefined) throw unconvertible('google.protobuf.Duration');
    return parsed;
  },
  ...Object.fromEntries(
    'getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds getMilliseconds'
      .split(' ')
      .map((part) => [`.${part}`, timeFunction(part)]),
  ),
  'optional.of': (value) => (value === undefined ? undefined : new Optional(value)),
  'optional.none': () => new Optional(undefined),
  'optional.ofNonZeroValue': (value = null) => new Optional(isZero(value) ? undefined : value),
  '.hasValue': (value) => (value instanceof Optional ? value.value !== undefined : undefined),
  '.value': (value) => {
    if (!(value instanceof Optional)) return undefined;
    if (value.value === undefined) throw new CelError('optional.none() dereference');
    return value.value;
  },
  '.or': (value, other) => {
    if (!(value instanceof Optional && other instanceof Optional)) return undefined;
    return value.value === undefined ? other : value;
  },
  '.orValue': (value, other) => (value instanceof Optional ? (value.value ?? other) : undefined),
};

function sizeOf(value?: CelValue): CelValue | undefined {
  if (typeof value === 'string') return BigInt([...value].length);
  if (value instanceof Uint8Array) return BigInt(value.length);
  if (value instanceof ListValue) return BigInt(value.items.length);
  return value instanceof MapValue ? BigInt(value.entries.size) : undefined;
}

/** Times are read in UTC; another zone may be named by its offset. */
function timeFunction(part: string) {
  return (value?: CelValue, zone?: CelValue): CelValue | undefined => {
    if (value instanceof Duration && zone === undefined) return durationPart(value, part);
    if (!(value instanceof Timestamp)) return undefined;
    if (zone === undefined || zone === 'UTC') return timePart(value, part);
    const [, sign, hours, minutes] = (typeof zone === 'string' && /^([+-]?)(\d{2}):(\d{2})$/.exec(zone)) || [];
    if (hours === undefined) throw new CelError(`unknown time zone ${String(zone)}`);
    const offset = BigInt(Number(hours) * 60 + Number(minutes)) * 60_000_000_000n;
    return timePart(new Timestamp(value.nanos + (sign === '-' ? -offset : offset)), part);
  };
}

/** A text that is not one of the type's. */
function unconvertible(type: string): CelError {
  return new CelError(`type conversion error from 'string' to '${type}'`);
}

function isZero(value: CelValue): boolean {
  if (value === null || value === '' || value === 0 || value === 0n || value === false) return true;
  return sizeOf(value) === 0n;
}

function toInt(value: CelValue): CelValue | undefined {
  if (typeof value === 'bigint') return value;
  if (value instanceof Uint) return int64(value.value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) throw new CelError('integer overflow');
    return BigInt(Math.trunc(value));
  }
  if (value instanceof Timestamp) return value.nanos / 1_000_000_000n;
  if (typeof value !== 'string') return undefined;
  const parsed = /^[-+]?\d{1,40}$/.test(value) ? BigInt(value.replace('+', '')) : undefined;
  if (parsed === undefined || BigInt.asIntN(64, parsed) !== parsed) throw unconvertible('int');
  return parsed;
}

function toUint(value: CelValue): CelValue | undefined {
  if (value instanceof Uint) return value;
  if (typeof value === 'bigint') return new Uint(uint64(value));
  if (typeof value === 'number') return new Uint(uint64(BigInt(Math.trunc(value))));
  if (typeof value !== 'string') return undefined;
  const parsed = /^\d{1,40}$/.test(value) ? BigInt(value) : undefined;
  if (parsed === undefined || BigInt.asUintN(64, parsed) !== parsed) throw unconvertible('uint');
  return new Uint(parsed);
}

function toDouble(value: CelValue): CelValue | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value !== 'string') return undefined;
  const parsed = value.trim() === '' ? Number.NaN : Number(value);
  if (Number.isNaN(parsed)) throw unconvertible('double');
  return parsed;
}

function toBool(value: CelValue): CelValue | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(value)) return false;
  throw unconvertible('bool');
}

export function toText(value: CelValue): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return goNumber(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Timestamp) return timestampText(value);
  return value instanceof Duration ? durationText(value) : undefined;
}
