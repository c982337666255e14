import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions, type Server as TlsServer } from 'node:tls';

/** What a server does with the bytes of one read. Connections of a server, and reads of a connection, are counted from 1 on. */
export type RawScript = (socket: Socket, data: Buffer, count: { connection: number; read: number }) => unknown;

/**
 * A server on loopback that does what a test says: `http` answers requests, `raw` says whatever bytes it likes, or nothing. It knows
 * all its connections, so that a test can look at them, cut them and leave none behind.
 */
export class ScriptedServer implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #connections = 0;
  readonly port: number;
  readonly url: string;

  private constructor(server: Server, scheme: string) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    this.url = `${scheme}://127.0.0.1:${this.port}`;
    server.on('connection', (socket: Socket) => {
      this.#connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.on('tlsClientError', () => {});
  }

  static async #listen(server: Server, tls: object | undefined): Promise<ScriptedServer> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ScriptedServer(server, tls === undefined ? 'http' : 'https');
  }

  /** @param onConnect what it does with CONNECT. */
  static http(
    script: RequestListener,
    tls?: ServerOptions,
    onConnect?: (request: IncomingMessage, socket: Socket) => unknown,
  ): Promise<ScriptedServer> {
    const server = tls === undefined ? createHttpServer(script) : createHttpsServer(tls, script);
    if (onConnect !== undefined) server.on('connect', onConnect);
    return ScriptedServer.#listen(server, tls);
  }

  static raw(script: RawScript = () => {}, tls?: TlsOptions): Promise<ScriptedServer> {
    let connections = 0;
    const serve = (socket: Socket) => {
      const connection = ++connections;
      let read = 0;
      socket.on('error', () => {});
      socket.on('data', (data) => script(socket, data, { connection, read: ++read }));
    };
    return ScriptedServer.#listen(tls === undefined ? createNetServer(serve) : createTlsServer(tls, serve), tls);
  }

  /** One that nobody listens on at this moment. */
  static async unusedPort(): Promise<number> {
    await using server = await ScriptedServer.raw();
    return server.port;
  }

  get sockets(): ReadonlySet<Socket> {
    return this.#sockets;
  }

  /** How many connections there have been. */
  get connections(): number {
    return this.#connections;
  }

  /** Of a server with TLS: from now on it knows only the sessions that these keys open. */
  setTicketKeys(keys: Buffer): void {
    (this.#server as TlsServer).setTicketKeys(keys);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
