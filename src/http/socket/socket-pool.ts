import type { Socket } from 'node:net';
import type { Clock } from '../../observe/clock.ts';
import { giveWay, schedulerOf } from '../../observe/scheduler.ts';
import { Http1Connection } from '../http1/http1-connection.ts';
import { ReadBuffer } from './read-buffer.ts';

/** So much earlier than the server says that it closes an idle socket, a socket is not used any more. */
const SERVER_LIMIT_MARGIN_MS = 2_000;

export interface SocketPoolOptions {
  /** Opens sockets to the server, which may read into the buffer; gives up when the signal aborts. */
  readonly connector: { connect(signal: AbortSignal, buffer: ReadBuffer): Promise<Socket> };
  /** How long an idle connection is kept. Default 30 s: below the API server's 90 s, so that we are the ones who close. */
  readonly idleMs?: number;
  /** Whose turns are waited for. Default: the machine's. */
  readonly clock?: Clock;
}

/**
 * Connections to one server, each for one request at a time, as many as there are requests. A connection comes back by itself when its
 * response was whole. Idle ones are closed after a while, and do not hold the process.
 */
export class SocketPool {
  readonly #options: SocketPoolOptions;
  /** The one that was used last, which is the least likely to have gone stale, is the last. */
  readonly #idle: Http1Connection[] = [];
  #retired = false;

  constructor(options: SocketPoolOptions) {
    this.#options = options;
  }

  /**
   * An idle connection that the server has not closed, or undefined. It is looked at after `turns` turns of the event loop, since what
   * the server did while the program was busy is only then known: after one turn most of it, after two all of it.
   */
  async takeIdle(turns: 1 | 2): Promise<Http1Connection | undefined> {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined) return undefined;
      connection.hold();
      for (let turn = 0; turn < turns; turn++) await giveWay(schedulerOf(this.#options.clock));
      if (!connection.closed) return connection;
    }
  }

  /** A new connection. */
  async open(signal: AbortSignal): Promise<Http1Connection> {
    const buffer = new ReadBuffer();
    const socket = await this.#options.connector.connect(signal, buffer);
    return new Http1Connection(socket, buffer, {
      onIdle: (connection) => this.keep(connection),
      onClosed: (connection) => this.#forget(connection),
    });
  }

  /** Takes a connection that no request runs on. */
  keep(connection: Http1Connection): void {
    const limitMs = Math.min(this.#options.idleMs ?? 30_000, connection.serverIdleLimitMs - SERVER_LIMIT_MARGIN_MS);
    if (this.#retired || limitMs <= 0) {
      connection.destroy();
      return;
    }
    connection.rest(limitMs);
    this.#idle.push(connection);
  }

  /** Ends the idle connections now and the others after their present request. */
  retire(): void {
    this.#retired = true;
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  #forget(connection: Http1Connection): void {
    const index = this.#idle.indexOf(connection);
    if (index >= 0) this.#idle.splice(index, 1);
  }
}
