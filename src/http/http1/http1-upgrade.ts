import type { Socket } from 'node:net';
import { readWith } from '../socket/socket-reader.ts';
import type { Http1Head } from './http1-head.ts';
import type { EncodedRequest } from './http1-request.ts';
import { Http1ResponseParser } from './http1-response-parser.ts';

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
export async function requestUpgrade(socket: Socket, request: EncodedRequest): Promise<UpgradeAnswer> {
  const body: Buffer[] = [];
  let bodyBytes = 0;
  let head: Http1Head | undefined;
  const onHead = (found: Http1Head) => {
    head = found;
  };
  const onData = (bytes: Buffer) => {
    body.push(bytes);
    bodyBytes += bytes.length;
  };
  const parser = new Http1ResponseParser('GET', { onHead, onData }, true);
  const answer = () => {
    if (head === undefined || (!parser.ended && bodyBytes < MAX_BODY_BYTES)) return undefined;
    return { status: head.status, headers: head.headers, body: Buffer.concat(body) };
  };
  const read = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return undefined;
    const rest = chunk.subarray(parser.write(chunk));
    if (parser.ended && rest.length > 0) socket.unshift(rest);
    return answer();
  };
  socket.write(request.head, 'latin1');
  return readWith(socket, read, () => {
    parser.close();
    return answer();
  });
}
