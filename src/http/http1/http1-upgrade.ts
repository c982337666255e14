import type { Socket } from 'node:net';
import { ConnectionClosedError, MalformedResponseError } from './http1-error.ts';
import { type Http1Head, Http1HeadBuilder } from './http1-head.ts';
import type { EncodedRequest } from './http1-request.ts';
import { Http1ResponseParser } from './http1-response-parser.ts';

const MAX_HEAD_BYTES = 65_536;
/** Of an explanation why not. */
const MAX_BODY_BYTES = 1024 * 1024;

export interface UpgradeAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Empty after a 101: what follows is in the socket. */
  readonly body: Buffer;
}

/**
 * Asks the server to leave HTTP on this socket. After a 101 the socket is paused, and what the server has sent since is still in it. Any
 * other answer is read whole, and the socket is of no use any more. Whoever owns the socket destroys it to end the waiting.
 */
export function requestUpgrade(socket: Socket, request: EncodedRequest): Promise<UpgradeAnswer> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const settle = (act: () => void) => {
      socket.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      socket.pause();
      act();
    };
    const onData = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      try {
        const answer = readAnswer(seen, false);
        if (answer === undefined) return;
        settle(() => {
          if (answer.rest.length > 0) socket.unshift(answer.rest);
          resolve(answer);
        });
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onEnd = () => {
      try {
        const answer = readAnswer(seen, true);
        settle(() => (answer === undefined ? reject(new ConnectionClosedError()) : resolve(answer)));
      } catch (error) {
        settle(() => reject(error));
      }
    };
    const onError = (error: Error) => settle(() => reject(error));
    const onClose = () => settle(() => reject(new ConnectionClosedError()));
    socket.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    socket.resume();
    socket.write(request.head, 'latin1');
  });
}

/** Undefined while it is not there as a whole. */
function readAnswer(seen: Buffer, ended: boolean): (UpgradeAnswer & { rest: Buffer }) | undefined {
  const end = seen.indexOf('\r\n\r\n');
  if (end < 0) {
    if (seen.length > MAX_HEAD_BYTES) throw new MalformedResponseError('its head has no end');
    return undefined;
  }
  if (/^HTTP\/1\.1 101[ \r]/.test(seen.toString('latin1', 0, 14))) return switched(seen, end);
  const body: Buffer[] = [];
  let head: Http1Head | undefined;
  const parser = new Http1ResponseParser('GET', {
    onHead: (found) => {
      head = found;
    },
    onData: (bytes) => body.push(Buffer.from(bytes)),
  });
  parser.write(seen);
  if (ended && !parser.ended) parser.close();
  if (head === undefined || (!parser.ended && seen.length < MAX_BODY_BYTES)) return undefined;
  return { status: head.status, headers: head.headers, body: Buffer.concat(body), rest: Buffer.alloc(0) };
}

function switched(seen: Buffer, end: number): UpgradeAnswer & { rest: Buffer } {
  const head = new Http1HeadBuilder('GET');
  for (const line of seen.toString('latin1', 0, end).split('\r\n')) head.add(line);
  const headers = head.add('')?.headers ?? new Map<string, string>();
  return { status: 101, headers, body: Buffer.alloc(0), rest: seen.subarray(end + 4) };
}
