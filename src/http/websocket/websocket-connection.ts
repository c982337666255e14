import type { Duplex } from 'node:stream';
import type { RequestClock } from '../../api/transport.ts';
import { TransportError } from '../../api/transport-error.ts';
import { StallLimit } from '../../observe/stall-limit.ts';
import { connectionError } from '../connection-error.ts';
import { FrameReader } from './frame-reader.ts';
import { encodeFrame } from './frame-writer.ts';
import { CLOSE, type Frame, FrameError, OPCODE } from './websocket.ts';

export interface WebSocketOptions {
  /** What messages call the other side. */
  server: string;
  /** Of one message. Default 4 MiB. */
  maxMessageBytes?: number;
  clock: RequestClock;
}

/** How often the server is asked for a sign of life while somebody waits for a message, as client-go does. */
const PING_MS = 5_000;
/** How long it may send nothing then, before the connection counts as broken, as with client-go. */
const SILENCE_MS = 61_000;
/** How long the last words may take. */
const GOODBYE_MS = 1_000;

/** Codes that a server may send, by RFC 6455 §7.4. */
const isCloseCode = (code: number) =>
  (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);

/**
 * A WebSocket after its handshake. Binary messages alone. Reads no further than its reader does. Ends when its reader leaves, when the
 * server closes it, when it breaks, and by `destroy`; then its socket is gone.
 */
export class WebSocketConnection {
  readonly #socket: Duplex;
  readonly #options: WebSocketOptions;
  readonly #maxBytes: number;
  readonly #limit: StallLimit;
  #pings: { clear(): void } | undefined;
  #goodbye: { clear(): void } | undefined;
  #isClosing = false;

  constructor(socket: Duplex, options: WebSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#maxBytes = options.maxMessageBytes ?? 4 * 1024 * 1024;
    this.#limit = new StallLimit(options.clock, () => this.#socket.destroy(this.#silent()));
    // Whoever reads or writes hears of it; an error with nobody there must not end the process.
    socket.on('error', () => {});
    socket.once('close', () => this.#stopTimers());
  }

  /** Resolves when the socket has room again; false when the connection has ended, and nothing was sent. */
  async send(...parts: readonly Uint8Array[]): Promise<boolean> {
    if (this.#isClosing || !this.#socket.writable) return false;
    if (this.#socket.write(encodeFrame(OPCODE.binary, ...parts))) return true;
    await new Promise<void>((resolve) => {
      const settle = () => {
        this.#socket.off('drain', settle).off('close', settle);
        resolve();
      };
      this.#socket.once('drain', settle).once('close', settle);
    });
    return !this.#socket.destroyed;
  }

  /** The payload of each message. Once. Ends after a normal close; a broken connection, and a close for a reason, throw. */
  async *messages(): AsyncGenerator<Buffer, void, undefined> {
    const reader = new FrameReader(this.#maxBytes);
    const pieces: Buffer[] = [];
    this.#schedulePing();
    try {
      const chunks = this.#socket[Symbol.asyncIterator]();
      for (;;) {
        this.#limit.wait(SILENCE_MS);
        const { done, value } = await chunks.next();
        this.#limit.rest();
        if (done)
          throw this.#broken(
            new TransportError('reset', `${this.#options.server} closed the connection without a word`),
          );
        reader.push(value as Buffer);
        for (let frame = reader.next(); frame !== undefined; frame = reader.next()) {
          const message = this.#received(frame, pieces);
          if (message === 'closed') return;
          if (message !== undefined) yield message;
        }
      }
    } catch (error) {
      throw this.#broken(error);
    } finally {
      this.#leave(CLOSE.normal);
    }
  }

  /** Ends it at once; whoever waits for a message gets the reason. */
  destroy(reason?: Error): void {
    this.#stopTimers();
    this.#socket.destroy(reason);
  }

  /** A whole message, if the frame ends one. */
  #received(frame: Frame, pieces: Buffer[]): Buffer | 'closed' | undefined {
    const { opcode, fin, payload } = frame;
    if (opcode === OPCODE.ping) {
      if (this.#socket.writable && !this.#isClosing) this.#socket.write(encodeFrame(OPCODE.pong, payload));
      return undefined;
    }
    if (opcode === OPCODE.pong) return undefined;
    if (opcode === OPCODE.close) return this.#closedByServer(payload);
    if (opcode === OPCODE.text) throw new FrameError(CLOSE.unsupported, 'a message is text; binary was agreed on');
    if ((opcode === OPCODE.continuation) !== pieces.length > 0) {
      throw new FrameError(CLOSE.protocolError, 'the pieces of a message are out of order');
    }
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, payload.length);
    if (bytes > this.#maxBytes) {
      throw new FrameError(CLOSE.tooBig, `a message has more than the ${this.#maxBytes} bytes that are accepted`);
    }
    if (!fin) {
      pieces.push(payload);
      return undefined;
    }
    return pieces.length === 0 ? payload : Buffer.concat([...pieces.splice(0), payload]);
  }

  #closedByServer(payload: Buffer): 'closed' {
    if (payload.length === 1) throw new FrameError(CLOSE.protocolError, 'a close frame has half a code');
    const code = payload.length === 0 ? CLOSE.normal : payload.readUInt16BE(0);
    if (!isCloseCode(code)) throw new FrameError(CLOSE.protocolError, `a close frame has the code ${code}`);
    this.#leave(code);
    if (code === CLOSE.normal) return 'closed';
    const why = payload.subarray(2).toString('utf8').slice(0, 123);
    const said = why === '' ? '' : `: ${why}`;
    throw new TransportError('reset', `${this.#options.server} closed the connection with the code ${code}${said}`);
  }

  /** Says goodbye, once, and lets the socket go. */
  #leave(code: number): void {
    this.#stopTimers();
    if (this.#isClosing) return;
    this.#isClosing = true;
    if (!this.#socket.writable) {
      this.#socket.destroy();
      return;
    }
    const body = Buffer.alloc(2);
    body.writeUInt16BE(code);
    const goodbye = encodeFrame(OPCODE.close, body);
    if (code === CLOSE.protocolError || code === CLOSE.unsupported || code === CLOSE.tooBig) {
      this.#socket.write(goodbye);
      this.#socket.destroy();
      return;
    }
    // The server need not answer; one that does not even read is not waited for.
    this.#goodbye = this.#options.clock.setTimeout(() => this.#socket.destroy(), GOODBYE_MS, { keepAlive: false });
    this.#socket.end(goodbye, () => this.#socket.destroy());
  }

  #broken(error: unknown): unknown {
    if (!(error instanceof FrameError)) return error instanceof TransportError ? error : this.#wrapped(error);
    this.#leave(error.code);
    return new TransportError('protocol', `${this.#options.server} broke the rules of WebSocket: ${error.message}`);
  }

  /** An abort destroys the socket with its reason, which is passed on as it is. */
  #wrapped(error: unknown): unknown {
    const { code } = Object(error) as { code?: unknown };
    return typeof code === 'string' ? connectionError(error, { server: this.#options.server }) : error;
  }

  #silent(): TransportError {
    const { server } = this.#options;
    return new TransportError(
      'timeout',
      `${server} has sent nothing for ${SILENCE_MS} ms, not even an answer to a ping`,
    );
  }

  #schedulePing(): void {
    const { clock } = this.#options;
    if (this.#socket.destroyed) return;
    const ping = () => {
      if (this.#isClosing || !this.#socket.writable) return;
      this.#socket.write(encodeFrame(OPCODE.ping));
      this.#pings = clock.setTimeout(ping, PING_MS, { keepAlive: false });
    };
    this.#pings = clock.setTimeout(ping, PING_MS, { keepAlive: false });
  }

  #stopTimers(): void {
    this.#limit.stop();
    this.#pings?.clear();
    this.#goodbye?.clear();
  }
}
