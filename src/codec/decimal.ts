/** Longer numbers may be too large to be told apart. */
const MAX_DIGITS = 15;
const ZERO = 0x30;

/**
 * The number that the bytes from `start` to `end` are the text of. Undefined when there is none, or one whose text would be
 * another: versions that are numbers can be held as such, in no memory of their own.
 */
export function decimalAt(bytes: Buffer, start: number, end: number): number | undefined {
  const length = end - start;
  if (length === 0 || length > MAX_DIGITS || (length > 1 && bytes[start] === ZERO)) return undefined;
  let value = 0;
  for (let i = start; i < end; i++) {
    const digit = (bytes[i] as number) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}
