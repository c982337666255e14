import type { Socket } from 'node:net';
import type { ProxyServer } from './proxy.ts';
import { readHead } from './socket-reader.ts';

/** The header that a proxy wants, or undefined. */
export function proxyAuthorization(proxy: ProxyServer): string | undefined {
  if (proxy.login === undefined) return undefined;
  const { username, password } = proxy.login.reveal();
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Asks the HTTP proxy at the other end of the socket to connect to the target. Throws an Error that says what the proxy answered. */
export async function connectTunnel(
  socket: Socket,
  target: { host: string; port: number },
  authorization: string | undefined,
): Promise<void> {
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const login = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`);
  const [status = ''] = (await readHead(socket)).split('\r\n');
  const code = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(status)?.[1];
  if (code === undefined) throw new Error('it does not speak HTTP');
  if (!code.startsWith('2')) throw new Error(`it answered ${status.slice(9, 100)}`);
  // In TLS it is for us to speak first: whatever came already is not from the server.
  if (socket.readableLength > 0) throw new Error('it sent more than its answer');
}
