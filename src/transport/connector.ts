import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { TransportError } from '../api/transport-error.ts';
import type { Clock } from '../observe/clock.ts';
import { connectionError } from './connection-error.ts';
import { bareHost, type ProxyServer } from './proxy.ts';
import type { ReadBuffer } from './read-buffer.ts';
import { readHead } from './socket-reader.ts';
import { socks5Handshake } from './socks5.ts';
import type { TlsContexts } from './tls-trust.ts';

/** When the kernel begins to probe a silent peer; a half-open connection then breaks within a few minutes. */
const KEEP_ALIVE_MS = 30_000;

export interface ConnectorOptions {
  server: URL;
  proxy: ProxyServer | undefined;
  tls: TlsContexts;
  timeoutMs: number;
  clock: Clock;
}

/**
 * Opens sockets to the server: through the proxy if there is one, with TLS if the server's scheme asks for it. Fails
 * with a `TransportError` that says which step failed.
 */
export class Connector {
  readonly #options: ConnectorOptions;

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  /** A plain socket to the server itself reads into `buffer`; one with TLS cannot, as it reads on for a while when it is paused. */
  async connect(signal: AbortSignal, buffer: ReadBuffer): Promise<Socket> {
    const { server, proxy } = this.#options;
    const secure = server.protocol === 'https:';
    const host = bareHost(server);
    const port = Number(server.port || (secure ? 443 : 80));
    let socket: Socket | undefined;
    const abandon = () => socket?.destroy();
    const deadline = this.#deadline(abandon);
    signal.addEventListener('abort', abandon, { once: true });
    const track = (next: Socket): Socket => {
      socket = next;
      if (signal.aborted) next.destroy();
      return next;
    };
    try {
      if (proxy === undefined) {
        if (secure) await this.#secure(host, { port }, track);
        else await this.#plain({ host, port, onread: buffer.onread }, track);
      } else {
        const tunnel = await this.#throughProxy(proxy, { host, port }, secure, track);
        if (secure) await this.#secure(host, { socket: tunnel }, track);
      }
    } catch (error) {
      socket?.destroy();
      throw deadline.passed ? this.#timeout() : connectionError(error, { server: server.origin, connecting: true });
    } finally {
      deadline.clear();
      signal.removeEventListener('abort', abandon);
    }
    if (socket === undefined) throw new TransportError('other', `no connection to ${server.origin}`);
    // Whoever takes over sets its own listeners; until then an error must not end the process.
    socket.on('error', () => {});
    return socket;
  }

  async #plain(
    to: { host: string; port: number; onread?: ReadBuffer['onread'] },
    track: (socket: Socket) => Socket,
  ): Promise<Socket> {
    const { connect } = await import('node:net');
    const socket = track(connect({ ...to, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }));
    await opened(socket, 'connect');
    return socket;
  }

  async #secure(
    host: string,
    via: { port: number } | { socket: Socket },
    track: (socket: Socket) => Socket,
  ): Promise<TLSSocket> {
    const { connect } = await import('node:tls');
    const socket = connect({ ...(await this.#options.tls.options(host)), ...via });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    track(socket);
    await opened(socket, 'secureConnect');
    return socket;
  }

  /** A socket on which the server itself answers, or, for plain HTTP through an HTTP proxy, the proxy on its behalf. */
  async #throughProxy(
    proxy: ProxyServer,
    target: { host: string; port: number },
    secure: boolean,
    track: (socket: Socket) => Socket,
  ): Promise<Socket> {
    const name = `the proxy ${proxy.scheme}://${proxy.host}:${proxy.port}`;
    try {
      const socket =
        proxy.scheme === 'https'
          ? await this.#secureProxy(proxy, track)
          : await this.#plain({ host: proxy.host, port: proxy.port }, track);
      if (proxy.scheme === 'socks5') await socks5Handshake(socket, target, proxy.login);
      else if (secure) await connectTunnel(socket, target, proxyAuthorization(proxy));
      return socket;
    } catch (cause) {
      const said = cause instanceof Error ? cause.message : String(cause);
      const server = this.#options.server.origin;
      throw new TransportError('proxy', `${server} cannot be reached through ${name}: ${said}`, { cause, server });
    }
  }

  /** A proxy is trusted by the certificates that Node trusts: the kubeconfig's CA is for the server. */
  async #secureProxy(proxy: ProxyServer, track: (socket: Socket) => Socket): Promise<Socket> {
    const { connect } = await import('node:tls');
    const { isIP } = await import('node:net');
    const { host, port } = proxy;
    const socket = connect({ host, port, servername: isIP(host) ? '' : host, ALPNProtocols: ['http/1.1'] });
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    track(socket);
    await opened(socket, 'secureConnect');
    return socket;
  }

  #deadline(expire: () => void): { passed: boolean; clear(): void } {
    const { clock, timeoutMs } = this.#options;
    const timer = clock.setTimeout(
      () => {
        state.passed = true;
        expire();
      },
      timeoutMs,
      { keepAlive: false },
    );
    const state = { passed: false, clear: () => timer.clear() };
    return state;
  }

  #timeout(): TransportError {
    const server = this.#options.server.origin;
    return new TransportError(
      'timeout',
      `no connection to ${server} within ${this.#options.timeoutMs} ms; check the address, firewalls and proxies`,
      { server },
    );
  }
}

/** The header that a proxy wants, or undefined. */
export function proxyAuthorization(proxy: ProxyServer): string | undefined {
  if (proxy.login === undefined) return undefined;
  const { username, password } = proxy.login.reveal();
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function connectTunnel(
  socket: Socket,
  target: { host: string; port: number },
  authorization: string | undefined,
): Promise<void> {
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const login = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${login}\r\n`);
  const [status = ''] = (await readHead(socket)).split('\r\n');
  const code = /^HTTP\/1\.[01] (\d{3})/.exec(status)?.[1];
  if (code === undefined) throw new Error('it does not speak HTTP');
  if (!code.startsWith('2')) throw new Error(`it answered ${status.slice(9, 100)}`);
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      socket.off(event, onOpen).off('error', onError).off('close', onClose);
      act();
    };
    const onOpen = () => settle(resolve);
    const onError = (error: Error) => {
      settle(() => reject(error));
      // A socket that is given up may still report what it was doing.
      socket.on('error', () => {});
    };
    const onClose = () => onError(Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' }));
    socket.on(event, onOpen).on('error', onError).on('close', onClose);
  });
}
