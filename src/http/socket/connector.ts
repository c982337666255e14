import { connect, isIP, type Socket } from 'node:net';
import { TransportError } from '../../api/transport-error.ts';
import type { Clock } from '../../observe/clock.ts';
import { connectionError } from '../connection-error.ts';
import { connectTunnel, proxyAuthorization } from './http-tunnel.ts';
import { bareHost, type ProxyServer } from './proxy.ts';
import type { ReadBuffer } from './read-buffer.ts';
import { SocketOpening } from './socket-opening.ts';
import { socks5Handshake } from './socks5.ts';
import { TlsSession } from './tls-session.ts';
import type { TlsContexts, TlsSettings } from './tls-trust.ts';

/** When the kernel begins to probe a silent peer; a half-open connection then breaks within a few minutes. */
const KEEP_ALIVE_MS = 30_000;
/** Deno (2.9.6) loses the end of a long body when a socket with TLS reads into memory that it was given. */
const TLS_READS_INTO_MEMORY = !('deno' in process.versions);

export interface ConnectorOptions {
  server: URL;
  proxy: ProxyServer | undefined;
  tls: TlsContexts;
  timeoutMs: number;
  clock: Clock;
}

/**
 * Opens sockets to the server: through the proxy if there is one, with TLS if the server's scheme asks for it. Fails
 * with a `TransportError` that says which step failed, or with the reason of the signal.
 */
export class Connector {
  readonly #options: ConnectorOptions;
  readonly #proxySession = new TlsSession();

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  /** What needs no server, done now. Never rejects: what is wrong shows when a socket is opened. */
  async prepare(): Promise<void> {
    const { server, tls } = this.#options;
    if (server.protocol === 'https:') await tls.settings(bareHost(server)).catch(() => {});
  }

  /** A socket to the server itself reads into `buffer`; one through a proxy does not. */
  async connect(signal: AbortSignal, buffer?: ReadBuffer): Promise<Socket> {
    const { server, clock, timeoutMs } = this.#options;
    const opening = new SocketOpening({ signal, clock, timeoutMs, timeoutError: () => this.#timeout() });
    try {
      await this.#open(opening, buffer);
      return await opening.handOver();
    } catch (error) {
      opening.fail(error);
      signal.throwIfAborted();
      throw connectionError(error, { server: server.origin, connecting: true });
    }
  }

  async #open(opening: SocketOpening, buffer: ReadBuffer | undefined): Promise<void> {
    const { server, proxy, tls } = this.#options;
    const secure = server.protocol === 'https:';
    const host = bareHost(server);
    const port = Number(server.port || (secure ? 443 : 80));
    // Before anything is open, since it may read files: while nobody reads from a tunnel, nobody notices its end.
    const settings = secure ? await opening.step(tls.settings(host)) : undefined;
    if (proxy === undefined) {
      const into = buffer && (!secure || TLS_READS_INTO_MEMORY) ? { onread: buffer.onread } : {};
      if (settings) await this.#secure(opening, settings, { port, ...into });
      else await this.#plain(opening, { host, port, ...into });
      return;
    }
    const tunnel = await this.#throughProxy(opening, proxy, { host, port }, secure);
    if (settings) await this.#secure(opening, settings, { socket: tunnel });
  }

  async #plain(
    opening: SocketOpening,
    to: { host: string; port: number; onread?: ReadBuffer['onread'] },
  ): Promise<Socket> {
    const socket = opening.own(
      connect({ ...to, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }),
    );
    await opening.opened(socket, 'connect');
    return socket;
  }

  async #secure(
    opening: SocketOpening,
    { connect: connectTls, options, session }: TlsSettings,
    via: { port: number; onread?: ReadBuffer['onread'] } | { socket: Socket },
  ): Promise<Socket> {
    const socket = opening.own(connectTls({ ...options, ...session.offer(), ...via }));
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    const following = session.follow(socket);
    try {
      await opening.opened(socket, 'secureConnect');
    } catch (error) {
      session.forget();
      throw error;
    }
    following.verified();
    return socket;
  }

  /** A socket on which the server itself answers, or, for plain HTTP through an HTTP proxy, the proxy on its behalf. */
  async #throughProxy(
    opening: SocketOpening,
    proxy: ProxyServer,
    target: { host: string; port: number },
    secure: boolean,
  ): Promise<Socket> {
    const { scheme, host, port } = proxy;
    try {
      const socket =
        scheme === 'https'
          ? await this.#secure(opening, await opening.step(proxySettings(host, this.#proxySession)), { port })
          : await this.#plain(opening, { host, port });
      if (scheme === 'socks5') await opening.step(socks5Handshake(socket, target, proxy.login));
      else if (secure) await opening.step(connectTunnel(socket, target, proxyAuthorization(proxy)));
      return socket;
    } catch (cause) {
      if (cause instanceof TransportError) throw cause;
      const said = cause instanceof Error ? cause.message : String(cause);
      const server = this.#options.server.origin;
      const message = `${server} cannot be reached through the proxy ${scheme}://${host}:${port}: ${said}`;
      throw new TransportError('proxy', message, { cause, server });
    }
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

/** A proxy is trusted by the certificates that Node trusts: the kubeconfig's CA is for the server. It is always verified. */
async function proxySettings(host: string, session: TlsSession): Promise<TlsSettings> {
  const { connect: connectTls } = await import('node:tls');
  const servername = isIP(host) ? '' : host;
  return {
    connect: connectTls,
    options: { host, servername, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] },
    session,
  };
}
