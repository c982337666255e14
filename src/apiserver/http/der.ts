/** The few pieces of ASN.1 DER that an X.509 certificate needs. */

function tagged(tag: number, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...items: Uint8Array[]) => tagged(0x30, ...items);
export const setOf = (...items: Uint8Array[]) => tagged(0x31, ...items);
export const octetString = (bytes: Uint8Array) => tagged(0x04, bytes);
export const utf8String = (text: string) => tagged(0x0c, Buffer.from(text));
export const boolean = (value: boolean) => tagged(0x01, Buffer.from([value ? 0xff : 0]));
/** `unusedBits` of the last byte do not count. */
export const bitString = (bytes: Uint8Array, unusedBits = 0) => tagged(0x03, Buffer.from([unusedBits]), bytes);
/** A context-specific tag around whole items. */
export const explicit = (tag: number, ...items: Uint8Array[]) => tagged(0xa0 | tag, ...items);
/** A context-specific tag instead of a primitive one. */
export const implicit = (tag: number, bytes: Uint8Array) => tagged(0x80 | tag, bytes);

/** A non-negative integer of any length. */
export function integer(bytes: Uint8Array): Buffer {
  const padded = (bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes;
  return tagged(0x02, padded);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tagged(0x06, Buffer.from(bytes));
}

/** `20200101000000Z` */
export const generalizedTime = (text: string) => tagged(0x18, Buffer.from(text));
/** `200101000000Z`: for years before 2050. */
export const utcTime = (text: string) => tagged(0x17, Buffer.from(text));
