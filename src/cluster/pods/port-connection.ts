import { Duplex } from 'node:stream';
import { TransportError } from '../../api/transport-error.ts';
import type { WebSocketConnection } from '../../http/websocket/websocket-connection.ts';
import { type ChannelSource, openChannels } from './open-channels.ts';

const PROTOCOL = 'v4.channel.k8s.io';
const DATA = 0;
const ERROR = 1;
const MAX_WRITE_BYTES = 32 * 1024;

/** One connection to a port of a pod. */
export async function dialPort(
  source: ChannelSource,
  { path, port, signal }: { path: string; port: number; signal?: AbortSignal | undefined },
): Promise<Duplex> {
  const { socket } = await openChannels(source, { path, query: `ports=${port}`, protocols: [PROTOCOL], signal });
  return new PortConnection(socket, port, signal);
}

/** The bytes of one forwarded port: a pair of channels, on each of which the server first says which port it means. */
class PortConnection extends Duplex {
  readonly #socket: WebSocketConnection;
  readonly #port: number;
  readonly #signal: AbortSignal | undefined;
  #resume: (() => void) | undefined;

  constructor(socket: WebSocketConnection, port: number, signal: AbortSignal | undefined) {
    super();
    this.#socket = socket;
    this.#port = port;
    this.#signal = signal;
    this.#receive().then(
      () => this.push(null),
      (error: unknown) => this.destroy(error as Error),
    );
  }

  override _read(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#send(chunk).then(() => callback(), callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#resume?.();
    this.#socket.destroy();
    callback(error);
  }

  async #send(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length; at += MAX_WRITE_BYTES) {
      const sent = await this.#socket.send(Uint8Array.of(DATA), chunk.subarray(at, at + MAX_WRITE_BYTES));
      if (sent) continue;
      this.#signal?.throwIfAborted();
      throw new TransportError('reset', `the connection to port ${this.#port} of the pod has ended`);
    }
  }

  async #receive(): Promise<void> {
    const greeted = new Set<number>();
    try {
      for await (const message of this.#socket.messages()) {
        const channel = message[0] ?? -1;
        const data = message.subarray(1);
        if (!greeted.has(channel)) {
          greeted.add(channel);
          if (data.length !== 2 || data.readUInt16LE(0) !== this.#port) {
            throw new TransportError('protocol', `the server forwards another port than ${this.#port}`);
          }
        } else if (channel === ERROR && data.length > 0) {
          throw new TransportError('refused', `port ${this.#port} of the pod: ${data.toString('utf8').slice(0, 500)}`);
        } else if (channel === DATA && data.length > 0 && !this.push(data)) {
          await new Promise<void>((resolve) => {
            this.#resume = resolve;
          });
        }
      }
    } catch (error) {
      // Destroyed by its reader: nobody wants to hear of it.
      if (!this.destroyed) throw error;
    }
  }
}
