import { durationText, microTimeText, timeText } from './time-text.ts';
import { LENGTH_DELIMITED, VARINT, type WireReader } from './wire-reader.ts';

/*
 * The types of Kubernetes whose JSON is not that of their fields. Each reads its message from the reader's position to
 * `end`.
 */

/** Go's zero time: the first second of the year 1. */
const ZERO_SECONDS = -62_135_596_800;
/** Up to here, days and seconds can be counted without an error. */
const MAX_SECONDS = 1e14;

const field = (number: number, wireType: number): number => (number << 3) | wireType;
const FIRST_NUMBER = field(1, VARINT);
const SECOND_NUMBER = field(2, VARINT);
const FIRST_BYTES = field(1, LENGTH_DELIMITED);
const THIRD_BYTES = field(3, LENGTH_DELIMITED);

/** A message without bytes is Go's zero time; one that says zero seconds is 1970. The fraction is not part of the type. */
export function readTime(reader: WireReader, end: number): string | null {
  if (reader.position === end) return null;
  let seconds = 0;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIRST_NUMBER) seconds = reader.int64();
    else reader.skip(tag, end);
  }
  reader.finish(end);
  checkTime(reader, seconds);
  return seconds === ZERO_SECONDS ? null : timeText(seconds);
}

export function readMicroTime(reader: WireReader, end: number): string | null {
  if (reader.position === end) return null;
  let seconds = 0;
  let nanos = 0;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIRST_NUMBER) seconds = reader.int64();
    else if (tag === SECOND_NUMBER) nanos = reader.int32();
    else reader.skip(tag, end);
  }
  reader.finish(end);
  checkTime(reader, seconds);
  return seconds === ZERO_SECONDS && Math.abs(nanos) < 1000 ? null : microTimeText(seconds, nanos);
}

function checkTime(reader: WireReader, seconds: number): void {
  if (Math.abs(seconds) > MAX_SECONDS) throw reader.malformed('a time is millions of years away', reader.position - 1);
}

export function readDuration(reader: WireReader, end: number): string {
  let nanos = 0n;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIRST_NUMBER) nanos = reader.bigInt64();
    else reader.skip(tag, end);
  }
  reader.finish(end);
  return durationText(nanos);
}

export function readQuantity(reader: WireReader, end: number): string {
  let text = '0';
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIRST_BYTES) text = reader.string(reader.lengthDelimited(end));
    else reader.skip(tag, end);
  }
  reader.finish(end);
  return text;
}

export function readIntOrString(reader: WireReader, end: number): number | string {
  let type = 0;
  let number = 0;
  let text = '';
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIRST_NUMBER) type = reader.int64();
    else if (tag === SECOND_NUMBER) number = reader.int32();
    else if (tag === THIRD_BYTES) text = reader.string(reader.lengthDelimited(end));
    else reader.skip(tag, end);
  }
  reader.finish(end);
  return type === 0 ? number : text;
}

export function readRawJson(reader: WireReader, end: number): unknown {
  let start = end;
  let valueEnd = end;
  while (reader.position < end) {
    const tag = reader.tag();
    if (tag === FIRST_BYTES) {
      valueEnd = reader.lengthDelimited(end);
      start = reader.position;
      reader.position = valueEnd;
    } else reader.skip(tag, end);
  }
  reader.finish(end);
  if (start === valueEnd) return null;
  try {
    return JSON.parse(reader.bytes.toString('utf8', start, valueEnd));
  } catch {
    throw reader.malformed('a value that should be JSON is not', start);
  }
}
