import type { Socket } from 'node:net';
import { deferred } from '../../api/promise-like.ts';
import { TidewatchError } from '../../api/tidewatch-error.ts';
import type { Clock, Timer } from '../../observe/clock.ts';

export interface SocketOpeningOptions {
  signal: AbortSignal;
  clock: Clock;
  /** For all steps together. */
  timeoutMs: number;
  timeoutError(): Error;
}

/**
 * Owns the sockets of one connection from the first of them until it is handed over: hears of every error and every end at any time, also
 * between two steps, and of the abort and of the time limit. After the first of these the sockets are destroyed, and every step rejects.
 */
export class SocketOpening {
  /** The later ones run through the earlier ones: TLS through a tunnel. */
  readonly #sockets: Socket[] = [];
  readonly #failure = deferred<never>();
  readonly #signal: AbortSignal;
  readonly #timer: Timer;
  #isOver = false;

  constructor({ signal, clock, timeoutMs, timeoutError }: SocketOpeningOptions) {
    // Between two steps nobody waits for it.
    this.#failure.promise.catch(() => {});
    this.#signal = signal;
    this.#timer = clock.setTimeout(() => this.fail(timeoutError()), timeoutMs, { keepAlive: false });
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener('abort', this.#onAbort);
  }

  /** Takes a socket that has just been made. */
  own<S extends Socket>(socket: S): S {
    this.#sockets.push(socket);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
    if (this.#isOver) socket.destroy();
    return socket;
  }

  /** What the work brings, unless a socket, the limit or the abort ends it first. */
  step<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.#failure.promise, work]);
  }

  /** The event of a socket, as a step. */
  opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
    return this.step(new Promise((resolve) => socket.once(event, () => resolve())));
  }

  /** The last socket, which belongs to the caller from now on. Rejects when it has failed meanwhile. */
  async handOver(): Promise<Socket> {
    const socket = this.#sockets.at(-1);
    if (this.#isOver || socket === undefined) return this.#failure.promise;
    this.#end();
    for (const one of this.#sockets) {
      // Forever: also a socket that another runs through may report what it was doing.
      one.on('error', ignore);
      one.off('error', this.#onError);
      one.off('close', this.#onClose);
    }
    return socket;
  }

  /** Ends it all, unless it has ended. */
  fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#end();
    this.#failure.reject(reason);
    for (const socket of this.#sockets) socket.destroy();
  }

  #end(): void {
    this.#isOver = true;
    this.#timer.clear();
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => this.fail(this.#signal.reason);

  /** Stays with a socket that was given up. */
  readonly #onError = (error: Error): void => this.fail(error);

  readonly #onClose = (): void => {
    this.fail(Object.assign(new TidewatchError('reset', 'the connection was closed'), { code: 'ECONNRESET' }));
  };
}

function ignore(): void {}
