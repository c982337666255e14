import type { Socket } from 'node:net';
import { TidewatchError } from '../../api/tidewatch-error.ts';
import { ConnectionClosedError } from '../http1/http1-error.ts';

/** Exactly `length` bytes from a paused socket; what comes after them stays in it. */
export function readExactly(socket: Socket, length: number): Promise<Buffer> {
  return readWith(socket, () => {
    if (length === 0) return Buffer.alloc(0);
    const bytes = socket.read(length) as Buffer | null;
    // A socket that has ended gives what is left, which is less.
    if (bytes !== null && bytes.length < length) closedByProxy();
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

/**
 * Calls `attempt` whenever more bytes are there, until it gives a value, and `atEnd` when no more will come. Leaves the socket paused, with the
 * bytes that were not read still in it.
 */
export function readWith<T>(
  socket: Socket,
  attempt: () => T | undefined,
  atEnd: () => T | undefined = closedByProxy,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const settle = (read: () => T | undefined) => {
      try {
        const value = read();
        if (value === undefined) return;
        resolve(value);
      } catch (error) {
        reject(error);
      }
      socket.off('readable', onReadable).off('end', onEnd).off('error', onError).off('close', onClose);
    };
    const fail = (error: Error) =>
      settle(() => {
        throw error;
      });
    const onReadable = () => settle(attempt);
    const onEnd = () => settle(atEnd);
    const onError = (error: Error) => fail(error);
    const onClose = () => fail(new ConnectionClosedError());
    socket.on('readable', onReadable).on('end', onEnd).on('error', onError).on('close', onClose);
    onReadable();
  });
}

function closedByProxy(): never {
  throw new TidewatchError('proxy', 'it closed the connection');
}
