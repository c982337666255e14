import { randomFillSync } from 'node:crypto';

/** One whole frame of a client, masked with a key that nobody can foresee, as RFC 6455 §5.3 demands. */
export function encodeFrame(opcode: number, ...parts: readonly Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const headLength = length < 126 ? 6 : length < 65_536 ? 8 : 14;
  const frame = Buffer.allocUnsafe(headLength + length);
  frame[0] = 0x80 | opcode;
  if (length < 126) {
    frame[1] = 0x80 | length;
  } else if (length < 65_536) {
    frame[1] = 0x80 | 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 0x80 | 127;
    frame.writeUInt32BE(Math.floor(length / 2 ** 32), 2);
    frame.writeUInt32BE(length >>> 0, 6);
  }
  const maskAt = headLength - 4;
  randomFillSync(frame, maskAt, 4);
  let at = headLength;
  for (const part of parts) {
    frame.set(part, at);
    at += part.length;
  }
  for (let index = 0; index < length; index++) {
    frame[headLength + index] = (frame[headLength + index] ?? 0) ^ (frame[maskAt + (index & 3)] ?? 0);
  }
  return frame;
}
