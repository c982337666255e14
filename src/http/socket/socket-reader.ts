import type { Socket } from 'node:net';
import { TidewatchError } from '../../api/tidewatch-error.ts';

/** Exactly `length` bytes from a paused socket; what comes after them stays in it. */
export function readExactly(socket: Socket, length: number): Promise<Buffer> {
  return readWith(socket, () => {
    if (length === 0) return Buffer.alloc(0);
    const bytes = socket.read(length) as Buffer | null;
    // A socket that has ended gives what is left, which is less.
    if (bytes !== null && bytes.length < length) throw new TidewatchError('proxy', 'it closed the connection');
    return bytes ?? undefined;
  });
}

/** Bytes up to and with the empty line that ends the head of an HTTP message; what comes after it stays in the socket. */
export function readHead(socket: Socket, limit = 16_384): Promise<string> {
  let seen = Buffer.alloc(0);
  return readWith(socket, () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return undefined;
    seen = Buffer.concat([seen, chunk]);
    const end = seen.indexOf('\r\n\r\n');
    if (end < 0) {
      if (seen.length > limit) throw new TidewatchError('proxy', 'its answer has no end');
      return undefined;
    }
    const rest = seen.subarray(end + 4);
    if (rest.length > 0) socket.unshift(rest);
    return seen.subarray(0, end).toString('latin1');
  });
}

/** Calls `attempt` whenever more bytes are there, until it gives a value. Errors of the socket are for its owner to hear. */
function readWith<T>(socket: Socket, attempt: () => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      socket.off('readable', onReadable).off('end', onEnd);
      act();
    };
    const onReadable = () => {
      try {
        const value = attempt();
        if (value !== undefined) settle(() => resolve(value));
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onEnd = () => settle(() => reject(new TidewatchError('proxy', 'it closed the connection')));
    socket.on('readable', onReadable).on('end', onEnd);
    onReadable();
  });
}
