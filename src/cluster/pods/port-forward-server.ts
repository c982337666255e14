import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream';
import { messageOf } from '../../observe/guarded.ts';
import { onAbort } from '../../observe/interruption.ts';
import type { Logger } from '../../observe/logger.ts';
import type { PortForward } from './pod-options.ts';

export interface PortForwardParts {
  /** `default/web-0:8080`, for messages. */
  target: string;
  dial(signal: AbortSignal): Promise<Duplex>;
  logger: Logger;
  signal?: AbortSignal | undefined;
  /** Aborts when the cluster is closed. */
  closed: AbortSignal | undefined;
  localPort: number;
  address: string;
}

/** Listens, and dials the pod for each connection. */
export class PortForwardServer implements PortForward {
  readonly #server: Server;
  readonly #parts: PortForwardParts;
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Socket>();
  #forgetSignals: () => void = () => {};

  private constructor(parts: PortForwardParts) {
    this.#parts = parts;
    this.#server = createServer({ pauseOnConnect: true }, (socket) => void this.#serve(socket));
  }

  static async listen(parts: PortForwardParts): Promise<PortForwardServer> {
    parts.signal?.throwIfAborted();
    const forward = new PortForwardServer(parts);
    await new Promise<void>((resolve, reject) => {
      forward.#server.once('error', reject);
      forward.#server.listen(parts.localPort, parts.address, () => {
        forward.#server.off('error', reject);
        resolve();
      });
    });
    if (parts.signal?.aborted) {
      await forward.close();
      throw parts.signal.reason;
    }
    const forgetters = [parts.signal, parts.closed].map((signal) => onAbort(signal, () => void forward.close()));
    forward.#forgetSignals = () => {
      for (const forget of forgetters) forget();
    };
    return forward;
  }

  get localPort(): number {
    return (this.#server.address() as AddressInfo | null)?.port ?? 0;
  }

  get address(): string {
    return this.#parts.address;
  }

  async close(): Promise<void> {
    this.#forgetSignals();
    this.#closing.abort();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #serve(socket: Socket): Promise<void> {
    const { target, dial, logger } = this.#parts;
    this.#sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => this.#sockets.delete(socket));
    try {
      const remote = await dial(this.#closing.signal);
      if (socket.destroyed) {
        remote.destroy();
        return;
      }
      const report = (error: NodeJS.ErrnoException | null) => {
        // A side that goes away early is what connections do.
        if (error && error.code !== 'ERR_STREAM_PREMATURE_CLOSE' && !this.#closing.signal.aborted) {
          logger.warn(`A connection to ${target} has failed: ${error.message}`);
        }
        socket.destroy();
        remote.destroy();
      };
      pipeline(socket, remote, socket, report);
    } catch (error) {
      if (!this.#closing.signal.aborted) logger.warn(`${target} cannot be reached: ${messageOf(error)}`);
      socket.destroy();
    }
  }
}
