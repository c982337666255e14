import type { Socket } from 'node:net';
import { TidewatchError } from '../../api/tidewatch-error.ts';
import type { ReadBuffer } from '../socket/read-buffer.ts';
import { ConnectionClosedError } from './http1-error.ts';
import type { Http1Head } from './http1-head.ts';
import type { EncodedRequest } from './http1-request.ts';
import { Http1ResponseParser, type ResponseSink } from './http1-response-parser.ts';

/** Hears of one response; last of all of its end or of its failure, exactly once. */
export interface ResponseReceiver extends ResponseSink {
  onEnd(): void;
  /** @param untouched not one byte of a response had come. */
  onFailure(error: Error, untouched: boolean): void;
}

export interface Http1ConnectionOptions {
  /** The response was whole, and the connection waits for another request; not called for one that is closed with its response. */
  onIdle(connection: Http1Connection): void;
  /** Once. The connection is of no use any more. */
  onClosed(connection: Http1Connection): void;
}

/**
 * One socket on which one request runs at a time. While none runs the socket does not hold the process, and it is closed at the first
 * thing that the server does: whatever comes then does not answer any request.
 */
export class Http1Connection implements ResponseSink {
  readonly #socket: Socket;
  readonly #buffer: ReadBuffer;
  readonly #options: Http1ConnectionOptions;
  /** Of the response to the request that runs. */
  #parser: Http1ResponseParser | undefined;
  #receiver: ResponseReceiver | undefined;
  #head: Http1Head | undefined;
  #touched = false;
  #closed = false;
  #serverIdleLimitMs = Number.POSITIVE_INFINITY;

  /**
   * @param socket one that is open, with no bytes in it that are not for us; it is ours from now on.
   * @param buffer what the socket reads into, if it is used.
   */
  constructor(socket: Socket, buffer: ReadBuffer, options: Http1ConnectionOptions) {
    this.#socket = socket;
    this.#buffer = buffer;
    this.#options = options;
    if (!buffer.isUsed) socket.on('data', (bytes: Buffer) => this.#onBytes(bytes));
    else if (!buffer.receive((bytes) => this.#onBytes(bytes))) socket.destroy();
    // What was read before comes before.
    const last = (act: () => void) => {
      buffer.handOn();
      act();
    };
    socket.on('end', () => last(() => this.#onEnd()));
    socket.on('error', (error) => last(() => this.#fail(error)));
    socket.on('close', () => last(() => this.#fail(new ConnectionClosedError())));
    socket.on('timeout', () => this.destroy());
    // It may have been read from by hand before, which leaves it paused.
    socket.resume();
    if (socket.destroyed) this.#closed = true;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Whether the data that were handed out last stay as they are only until `resume`. */
  get reusesMemory(): boolean {
    return this.#buffer.isLent;
  }

  /** How long the server keeps the connection when nobody uses it, by its own word. */
  get serverIdleLimitMs(): number {
    return this.#serverIdleLimitMs;
  }

  /** Only when no request runs. On a closed connection it fails at once. */
  send(request: EncodedRequest, receiver: ResponseReceiver): void {
    if (this.#receiver) throw new TidewatchError('misuse', 'a request runs on this connection');
    if (this.#closed) {
      receiver.onFailure(new ConnectionClosedError(), true);
      return;
    }
    this.#parser = new Http1ResponseParser(request.method, this);
    this.#receiver = receiver;
    this.#head = undefined;
    this.#touched = false;
    this.hold();
    const socket = this.#socket;
    // Head and body in one packet, if they fit.
    socket.cork();
    socket.write(request.head, 'latin1');
    if (request.body) socket.write(request.body);
    socket.uncork();
  }

  /** No more data soon; what the socket has read already still comes. */
  pause(): void {
    this.#socket.pause();
  }

  /** Whoever got data is done with them, and wants more. */
  resume(): void {
    this.#buffer.done();
    this.#socket.resume();
  }

  /** Makes the socket hold the process although no request runs yet, and forgets what `rest` said. */
  hold(): void {
    this.#socket.ref().setTimeout(0);
  }

  /**
   * Makes the socket hold the process no longer, and closes it unless it is used within the time. By the socket's own timer: this is about
   * the patience of real servers, also in a program whose clock is a fake.
   */
  rest(limitMs: number): void {
    this.#socket.unref().setTimeout(limitMs);
  }

  /** Closes the connection; the receiver of a response that has not ended hears nothing more. */
  destroy(): void {
    this.#forgetRequest();
    if (this.#closed) return;
    this.#closed = true;
    this.#socket.destroy();
    this.#options.onClosed(this);
  }

  onHead(head: Http1Head): void {
    this.#head = head;
    this.#receiver?.onHead(head);
  }

  onData(bytes: Buffer): void {
    // Bytes that came in one piece are parsed to their end, also when the connection was destroyed meanwhile.
    this.#receiver?.onData(bytes);
  }

  #forgetRequest(): void {
    this.#parser = undefined;
    this.#receiver = undefined;
  }

  #noteIdleLimit(head: Http1Head): void {
    const seconds = /(?:^|[,\s])timeout=(\d+)/i.exec(head.headers.get('keep-alive') ?? '')?.[1];
    this.#serverIdleLimitMs = seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds) * 1000;
  }

  #onBytes(bytes: Buffer): void {
    const parser = this.#parser;
    if (!parser) {
      this.destroy();
      return;
    }
    this.#touched = true;
    try {
      const used = parser.write(bytes);
      if (parser.ended) this.#finish(used === bytes.length);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #onEnd(): void {
    const parser = this.#parser;
    if (!parser) {
      this.destroy();
      return;
    }
    try {
      parser.close();
      this.#finish(false);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** @param exact nothing came after the response. */
  #finish(exact: boolean): void {
    const receiver = this.#receiver;
    // It was destroyed from within a callback.
    if (!receiver) return;
    // A server that answers before it has read the request may never read the rest.
    if (exact && this.#head?.persistent && this.#socket.writableLength === 0) {
      this.#forgetRequest();
      this.#noteIdleLimit(this.#head);
      // The reader may not be done with the bytes when the connection serves another request.
      this.#buffer.giveUp();
      // It may be paused, and then neither the end of the connection nor another response would be noticed.
      this.#socket.resume();
      this.#options.onIdle(this);
    } else {
      this.destroy();
    }
    receiver.onEnd();
  }

  #fail(error: Error): void {
    const receiver = this.#receiver;
    this.destroy();
    receiver?.onFailure(error, !this.#touched);
  }
}
