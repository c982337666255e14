/**
 * Copies the bytes from `start` to `end` of `from` to `at` in `to`, where they have room. As `Buffer.copy`, without its checks, which take as
 * long as the copy itself where every object that arrives is copied.
 */
export function copyBytes(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  to.set(new Uint8Array(from.buffer, from.byteOffset + start, end - start), at);
}
