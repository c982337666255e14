import { isIP, type Socket } from 'node:net';
import type { Secret } from '../secret.ts';
import { ipv6Bytes } from './ip-address.ts';
import { readExactly } from './socket-reader.ts';

const VERSION = 5;
/** Of the exchange of user name and password, which has its own. */
const PASSWORD_VERSION = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;
const NO_LOGIN = 0;
const PASSWORD = 2;

const REPLIES: Readonly<Record<number, string>> = {
  1: 'general failure',
  2: 'not allowed by its rules',
  3: 'network unreachable',
  4: 'host unreachable',
  5: 'connection refused',
  6: 'time to live expired',
  7: 'command not supported',
  8: 'address type not supported',
};

/**
 * Asks the SOCKS5 proxy (RFC 1928, passwords by RFC 1929) at the other end of the socket to connect to the target.
 * Names are resolved by the proxy. Throws an Error that says what the proxy answered.
 */
export async function socks5Handshake(
  socket: Socket,
  target: { host: string; port: number },
  login: Secret<{ username: string; password: string }> | undefined,
): Promise<void> {
  const methods = login === undefined ? [NO_LOGIN] : [NO_LOGIN, PASSWORD];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await readExactly(socket, 2);
  if (version !== VERSION) throw new Error('it does not speak SOCKS5');
  if (method === PASSWORD && login !== undefined) await sendPassword(socket, login.reveal());
  else if (method !== NO_LOGIN) throw new Error('it wants a login that we do not have');

  socket.write(
    Buffer.concat([
      Buffer.from([VERSION, 1, 0]),
      encodeAddress(target.host),
      Buffer.from([target.port >> 8, target.port & 255]),
    ]),
  );
  const [replyVersion, reply = 1, , kind = 0] = await readExactly(socket, 4);
  if (replyVersion !== VERSION) throw new Error('it does not speak SOCKS5');
  if (reply !== 0) throw new Error(`it answered "${REPLIES[reply] ?? `code ${reply}`}"`);
  // The address that the proxy connects from, of no use to us, stands before the first byte of the server.
  await readExactly(socket, (await addressLength(socket, kind)) + 2);
}

async function addressLength(socket: Socket, kind: number): Promise<number> {
  switch (kind) {
    case IPV4:
      return 4;
    case IPV6:
      return 16;
    case NAME:
      return (await readExactly(socket, 1))[0] ?? 0;
    default:
      throw new Error('it does not speak SOCKS5');
  }
}

async function sendPassword(socket: Socket, login: { username: string; password: string }): Promise<void> {
  const username = Buffer.from(login.username);
  const password = Buffer.from(login.password);
  if (username.length > 255 || password.length > 255) throw new Error('user name and password may have 255 bytes each');
  socket.write(
    Buffer.concat([
      Buffer.from([PASSWORD_VERSION, username.length]),
      username,
      Buffer.from([password.length]),
      password,
    ]),
  );
  const [version, status] = await readExactly(socket, 2);
  if (version !== PASSWORD_VERSION || status !== 0) throw new Error('it refused user name and password');
}

function encodeAddress(host: string): Buffer {
  const version = isIP(host);
  if (version === 4) return Buffer.from([IPV4, ...host.split('.').map(Number)]);
  if (version === 6) return Buffer.from([IPV6, ...ipv6Bytes(host)]);
  const name = Buffer.from(host);
  if (name.length > 255) throw new Error('the host name is too long for SOCKS5');
  return Buffer.concat([Buffer.from([NAME, name.length]), name]);
}
