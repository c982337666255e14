import type { ScalarType } from '../../api/type-schema.ts';
import type { JsonValue } from '../values/json.ts';
import { jsonText } from '../values/json-text.ts';
import type { WireWriter } from './wire-writer.ts';

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;

interface ScalarWriter {
  readonly wireType: number;
  /** Writes the value alone, without length and tag. */
  write(writer: WireWriter, value: JsonValue): void;
}

const INTEGER: ScalarWriter = { wireType: VARINT, write: (writer, value) => writer.varint(Number(value)) };

/** JSON inside a message; nothing for null. */
const EMBEDDED: ScalarWriter = {
  wireType: DELIMITED,
  write(writer, value) {
    if (value !== null) writer.textField(1, typeof value === 'object' ? jsonText(value) : JSON.stringify(value));
  },
};

/** How Go writes each kind of value; see `ScalarType` for the shapes. Null is written as the zero value. */
const SCALARS: Readonly<Record<ScalarType, ScalarWriter>> = {
  string: { wireType: DELIMITED, write: (writer, value) => writer.text(value === null ? '' : String(value)) },
  bool: { wireType: VARINT, write: (writer, value) => writer.varint(value === true ? 1 : 0) },
  int32: INTEGER,
  int64: INTEGER,
  float: { wireType: FIXED32, write: (writer, value) => writer.float(Number(value)) },
  double: { wireType: FIXED64, write: (writer, value) => writer.double(Number(value)) },
  bytes: {
    wireType: DELIMITED,
    write: (writer, value) => writer.raw(value === null ? Buffer.alloc(0) : Buffer.from(String(value), 'base64')),
  },
  Time: { wireType: DELIMITED, write: (writer, value) => writeTime(writer, value, 0) },
  MicroTime: { wireType: DELIMITED, write: (writer, value) => writeTime(writer, value, nanosOf(value)) },
  Duration: {
    wireType: DELIMITED,
    write(writer, value) {
      writer.bigVarint(nanoseconds(value === null ? '0s' : String(value)));
      writer.tag(1, VARINT);
    },
  },
  Quantity: { wireType: DELIMITED, write: (writer, value) => writer.textField(1, String(value ?? '0')) },
  IntOrString: {
    wireType: DELIMITED,
    write(writer, value) {
      const isText = typeof value === 'string';
      writer.textField(3, isText ? value : '');
      writer.varint(isText ? 0 : Number(value));
      writer.tag(2, VARINT);
      writer.varint(isText ? 1 : 0);
      writer.tag(1, VARINT);
    },
  },
  RawExtension: EMBEDDED,
  FieldsV1: EMBEDDED,
  JSON: EMBEDDED,
};

export function scalarWriter(type: ScalarType): (writer: WireWriter, field: number, value: JsonValue) => void {
  const { wireType, write } = SCALARS[type];
  if (wireType !== DELIMITED) {
    return (writer, field, value) => {
      write(writer, value);
      writer.tag(field, wireType);
    };
  }
  return (writer, field, value) => {
    const end = writer.size;
    write(writer, value);
    writer.delimit(field, end);
  };
}

/** The zero time is an empty message. */
function writeTime(writer: WireWriter, value: JsonValue, nanos: number): void {
  if (value === null) return;
  writer.varint(nanos);
  writer.tag(2, VARINT);
  writer.varint(Math.floor(Date.parse(String(value)) / 1000));
  writer.tag(1, VARINT);
}

/** Microseconds are what JSON has of them. */
function nanosOf(value: JsonValue): number {
  const fraction = /\.(\d{1,6})/.exec(String(value))?.[1] ?? '';
  return Number(fraction.padEnd(6, '0')) * 1000;
}

const UNIT_NANOSECONDS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** Go's duration text: `1h2m3.5s`. */
function nanoseconds(text: string): bigint {
  let total = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of text.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = UNIT_NANOSECONDS[unit] ?? 0;
    const part = fraction === '' ? 0 : Math.trunc(Number(`0.${fraction}`) * scale + 1e-6);
    total += BigInt(whole || '0') * BigInt(scale) + BigInt(part);
  }
  return text.startsWith('-') ? -total : total;
}
