/** A resourceVersion as objects in a cache hold it: a number, which takes less memory than its text, when that is written as numbers are. */
export type KeptVersion = number | string;

/** All numbers with as many digits are exact. */
const MAX_DIGITS = 15;
const ZERO = 0x30;
const NINE = 0x39;

/** From the bytes of its text; undefined when it is to be kept as text. */
export function versionNumber(bytes: Uint8Array, start: number, end: number): number | undefined {
  // Text with a zero in front is not that of its number.
  if (end === start || end - start > MAX_DIGITS || bytes[start] === ZERO) return undefined;
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = bytes[i] as number;
    if (digit < ZERO || digit > NINE) return undefined;
    value = value * 10 + digit - ZERO;
  }
  return value;
}

/** From its text. */
export function keptVersion(text: string): KeptVersion {
  return text.length <= MAX_DIGITS && /^[1-9]\d*$/.test(text) ? Number(text) : text;
}
