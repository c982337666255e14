import { Client } from 'undici';
import type { Connector } from './connector.ts';

/** Below the idle timeout of the API server (90 s), so that we are the ones who close. */
const IDLE_SOCKET_MS = 30_000;

/** One undici `Client`, which is one socket at a time, opened with its first request. */
export interface PooledSocket {
  readonly client: Client;
  /** Ends the opening of the socket. */
  readonly opening: AbortController;
}

/**
 * Sockets to one server, each for one request at a time, as many as there are requests. undici's own `Pool` is not used because
 * it opens a new connection after each request that is aborted, only to find that nobody wants it.
 */
export class SocketPool {
  readonly #origin: string;
  readonly #connector: Connector;
  readonly #idle: PooledSocket[] = [];
  readonly #busy = new Set<PooledSocket>();
  #retired = false;

  constructor(origin: string, connector: Connector) {
    this.#origin = origin;
    this.#connector = connector;
  }

  /** The socket that was used last, which is the least likely to have gone stale, or a new one. */
  acquire(): PooledSocket {
    const socket = this.#idle.pop() ?? this.#open();
    this.#busy.add(socket);
    return socket;
  }

  /** The request is over; the socket can serve another. */
  release(socket: PooledSocket): void {
    this.#busy.delete(socket);
    if (this.#retired) this.#end(socket);
    else this.#idle.push(socket);
  }

  /** The socket is of no use any more, or its request is not wanted any more. */
  discard(socket: PooledSocket): void {
    this.#busy.delete(socket);
    const index = this.#idle.indexOf(socket);
    if (index >= 0) this.#idle.splice(index, 1);
    this.#end(socket);
  }

  /** Ends the idle sockets now and the others after their present request. */
  retire(): void {
    this.#retired = true;
    for (const socket of this.#idle.splice(0)) this.#end(socket);
  }

  #end(socket: PooledSocket): void {
    socket.opening.abort();
    // The callback form: there is nobody to wait for it, nor anything that could go wrong.
    socket.client.destroy(() => {});
  }

  #open(): PooledSocket {
    const opening = new AbortController();
    const client = new Client(this.#origin, {
      connect: (_options, callback) => {
        this.#connector.connect(opening.signal).then(
          (socket) => callback(null, socket),
          (error: Error) => callback(error, null),
        );
      },
      pipelining: 1,
      keepAliveTimeout: IDLE_SOCKET_MS,
      keepAliveMaxTimeout: IDLE_SOCKET_MS,
      maxHeaderSize: 65_536,
    });
    const socket = { client, opening };
    client.on('disconnect', () => {
      if (!this.#busy.has(socket)) this.discard(socket);
    });
    return socket;
  }
}
