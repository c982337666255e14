import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** The server's answer to a key. */
export function acceptKey(key: string): string {
  return createHash('sha1').update(`${key}${GUID}`).digest('base64');
}

/** The server's side of a WebSocket: just enough for the subresources of pods. */
export class ServerSocket {
  readonly #connection: Duplex;

  constructor(connection: Duplex) {
    this.#connection = connection;
    connection.on('error', () => {});
  }

  /** Resolves when there is room again. */
  async send(channel: number, data: Uint8Array): Promise<void> {
    await this.#write(2, Buffer.concat([Uint8Array.of(channel), data]));
  }

  async close(code = 1000): Promise<void> {
    const body = Buffer.alloc(2);
    body.writeUInt16BE(code);
    await this.#write(8, body);
    this.#connection.end();
  }

  destroy(): void {
    this.#connection.destroy();
  }

  /** The messages of the client, until it closes or goes. */
  async *messages(): AsyncGenerator<Buffer, void, undefined> {
    let seen: Buffer = Buffer.alloc(0);
    let message: Buffer[] = [];
    try {
      for await (const chunk of this.#connection as AsyncIterable<Buffer>) {
        seen = Buffer.concat([seen, chunk]);
        for (let frame = cutFrame(seen); frame !== undefined; frame = cutFrame(seen)) {
          seen = frame.rest;
          if (frame.opcode === 8) {
            await this.close();
            return;
          }
          if (frame.opcode === 9) await this.#write(10, frame.payload);
          if (frame.opcode > 2) continue;
          message.push(frame.payload);
          if (!frame.fin) continue;
          const whole = Buffer.concat(message);
          message = [];
          yield whole;
        }
        if (seen.length > MAX_MESSAGE_BYTES) return this.destroy();
      }
    } catch {
      // The client has gone.
    }
  }

  async #write(opcode: number, payload: Buffer): Promise<void> {
    if (!this.#connection.writable) return;
    const { length } = payload;
    const head = length < 126 ? Buffer.alloc(2) : length < 65_536 ? Buffer.alloc(4) : Buffer.alloc(10);
    head[0] = 0x80 | opcode;
    head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
    if (head.length === 4) head.writeUInt16BE(length, 2);
    if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
    if (this.#connection.write(Buffer.concat([head, payload]))) return;
    await new Promise<void>((resolve) => {
      const settle = () => {
        this.#connection.off('drain', settle).off('close', settle);
        resolve();
      };
      this.#connection.on('drain', settle).on('close', settle);
    });
  }
}

interface CutFrame {
  opcode: number;
  fin: boolean;
  payload: Buffer;
  rest: Buffer;
}

function cutFrame(seen: Buffer): CutFrame | undefined {
  if (seen.length < 2) return undefined;
  const [first = 0, second = 0] = seen;
  const short = second & 0x7f;
  const headLength = (short < 126 ? 2 : short === 126 ? 4 : 10) + 4;
  if (seen.length < headLength) return undefined;
  const length = short < 126 ? short : short === 126 ? seen.readUInt16BE(2) : Number(seen.readBigUInt64BE(2));
  if (seen.length < headLength + length) return undefined;
  const mask = seen.subarray(headLength - 4, headLength);
  const payload = Buffer.from(seen.subarray(headLength, headLength + length));
  for (let index = 0; index < length; index++) payload[index] = (payload[index] ?? 0) ^ (mask[index & 3] ?? 0);
  return { opcode: first & 0x0f, fin: (first & 0x80) !== 0, payload, rest: seen.subarray(headLength + length) };
}
