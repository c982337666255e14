import { describe, expect, it } from 'vitest';
import { readMicroTime, readTime } from './go-time.ts';

const read = (text: string) => {
  const reading = readTime(text);
  return 'value' in reading ? reading.value : reading.problem;
};
const readMicros = (text: string) => {
  const reading = readMicroTime(text);
  return 'value' in reading ? reading.value : reading.problem;
};

describe('a time', () => {
  it.each([
    ['2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z'],
    ['2024-01-01T00:00:00.987Z', '2024-01-01T00:00:00Z'],
    ['2024-01-01T00:30:00+02:00', '2023-12-31T22:30:00Z'],
    ['2024-01-01T00:00:00-00:30', '2024-01-01T00:30:00Z'],
    ['2024-01-01T7:00:00Z', '2024-01-01T07:00:00Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z'],
  ])('is read from %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    ['x', 'cannot parse "x" as "2006"'],
    ['', 'cannot parse "" as "2006"'],
    ['2024-1-01T00:00:00Z', 'cannot parse "1-01T00:00:00Z" as "01"'],
    ['2024-01-01 00:00:00Z', 'cannot parse " 00:00:00Z" as "T"'],
    ['2024-01-01T00:00:00', 'cannot parse "" as "Z07:00"'],
    ['2024-01-01T00:00:00.Z', 'cannot parse ".Z" as "Z07:00"'],
  ])('is refused with the place that does not fit: %j', (text, problem) => {
    expect(read(text)).toBe(`parsing time ${JSON.stringify(text)} as "2006-01-02T15:04:05Z07:00": ${problem}`);
  });

  it.each([
    ['2024-13-01T00:00:00Z', 'month out of range'],
    ['2023-02-29T00:00:00Z', 'day out of range'],
    ['2024-01-00T00:00:00Z', 'day out of range'],
    ['2024-01-01T24:00:00Z', 'hour out of range'],
    ['2024-01-01T00:60:00Z', 'minute out of range'],
    ['2024-01-01T00:00:60Z', 'second out of range'],
    ['2024-01-01T00:00:00+25:00', 'time zone offset hour out of range'],
    ['2024-01-01T00:00:00+02:61', 'time zone offset minute out of range'],
    ['2024-01-01T00:00:00Zx', 'extra text: "x"'],
  ])('is refused beyond its range: %s', (text, problem) => {
    expect(read(text)).toBe(`parsing time "${text}": ${problem}`);
  });

  it.each([
    ['2024-01-01T00:00:00.123456Z', '2024-01-01T00:00:00.123456Z'],
    ['2024-01-01T00:00:00,123456Z', '2024-01-01T00:00:00.123456Z'],
    ['2024-01-01T00:00:00.000001+01:00', '2023-12-31T23:00:00.000001Z'],
  ])('in microseconds is read from %s', (text, expected) => {
    expect(readMicros(text)).toBe(expected);
  });

  it.each([
    ['2024-01-01T00:00:00Z', 'cannot parse "Z" as ".000000"'],
    ['2024-01-01T00:00:00.123Z', 'cannot parse ".123Z" as ".000000"'],
    ['2024-01-01T00:00:00.1234567Z', 'cannot parse "7Z" as "Z07:00"'],
    ['2024-01-01T00:00:00.12345xZ', 'cannot parse ".12345xZ" as ".000000"'],
  ])('in microseconds needs all six digits, not %s', (text, problem) => {
    expect(readMicros(text)).toBe(`parsing time "${text}" as "2006-01-02T15:04:05.000000Z07:00": ${problem}`);
  });
});
