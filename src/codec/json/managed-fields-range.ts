import {
  BACKSLASH,
  BRACE_CLOSE,
  BRACE_OPEN,
  BRACKET_CLOSE,
  BRACKET_OPEN,
  COMMA,
  QUOTE,
  skipString,
  skipValue,
} from './json-bytes.ts';

const METADATA_KEY = Buffer.from('"metadata":');
const MANAGED_FIELDS_KEY = Buffer.from('"managedFields":');

/** A stretch of bytes. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds `metadata.managedFields` in the bytes of one object, with the comma that parts it from its neighbours, so that
 * what remains is the object without it. Half of an object's bytes are managedFields, and the slower half to parse.
 * Knows the compact form only, as servers write it: undefined otherwise, or when the object has none.
 */
export function locateManagedFields(bytes: Buffer, start: number, end: number): ByteRange | undefined {
  const guess = bytes.subarray(start, end).indexOf(MANAGED_FIELDS_KEY);
  if (guess < 0 || !isFieldOfMetadata(bytes, start, start + guess)) return undefined;
  const keyStart = start + guess;
  const valueStart = keyStart + MANAGED_FIELDS_KEY.length;
  if (bytes[valueStart] !== BRACKET_OPEN) return undefined;
  const valueEnd = skipValue(bytes, valueStart, end);
  if (valueEnd < 0) return undefined;
  if (bytes[keyStart - 1] === COMMA) return { start: keyStart - 1, end: valueEnd };
  return { start: keyStart, end: bytes[valueEnd] === COMMA ? valueEnd + 1 : valueEnd };
}

/** Whether `position` lies between the fields of the object that is the `metadata` of the one beginning at `start`. */
function isFieldOfMetadata(bytes: Buffer, start: number, position: number): boolean {
  let depth = 0;
  let metadataDepth = -1;
  let i = start;
  while (i < position) {
    const byte = bytes[i++];
    if (byte === QUOTE) {
      i = skipString(bytes, i - 1, position);
      if (i < 0) return false;
    } else if (byte === BRACE_OPEN || byte === BRACKET_OPEN) {
      depth++;
      if (depth === 2 && endsWith(bytes, start, i - 1, METADATA_KEY)) metadataDepth = depth;
    } else if (byte === BRACE_CLOSE || byte === BRACKET_CLOSE) {
      if (depth === metadataDepth) return false;
      depth--;
    }
  }
  return depth === metadataDepth;
}

/**
 * Whether the bytes before `position` are this key. A quote inside a string has a backslash before it, so a key that
 * merely ends like this one is told apart by the byte before its first quote.
 */
function endsWith(bytes: Buffer, start: number, position: number, key: Buffer): boolean {
  const keyStart = position - key.length;
  if (keyStart <= start || bytes[keyStart - 1] === BACKSLASH) return false;
  return bytes.compare(key, 0, key.length, keyStart, position) === 0;
}
