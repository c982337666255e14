import { Http1ChunkedBody } from './http1-chunked-body.ts';
import { ConnectionClosedError, MalformedResponseError } from './http1-error.ts';
import { type Http1Head, Http1HeadBuilder, STATUS_LINE_START } from './http1-head.ts';
import { Http1LineReader } from './http1-line-reader.ts';

/** With the interim responses before it. */
const MAX_HEAD_BYTES = 65_536;

export interface ResponseSink {
  /** Once, before any data. */
  onHead(head: Http1Head): void;
  /** A part of the body, never empty: a view of the bytes that were written to the parser, whose memory may be used again. */
  onData(bytes: Buffer): void;
}

type State = 'head' | 'length' | 'chunked' | 'close' | 'ended';

/**
 * Reads one response of HTTP/1.1 from bytes that come in pieces of any size. Does no I/O and copies nothing of the body. Interim
 * responses (1xx) are skipped. Throws `MalformedResponseError` for whatever is not exactly as RFC 9112 has it; it is of no use after
 * that.
 */
export class Http1ResponseParser {
  readonly #method: string;
  readonly #sink: ResponseSink;
  readonly #lines = new Http1LineReader(MAX_HEAD_BYTES);
  readonly #chunks: Http1ChunkedBody;
  #head: Http1HeadBuilder;
  #state: State = 'head';
  /** Of a body whose length was announced. */
  #missing = 0;

  /** @param method of the request. */
  constructor(method: string, sink: ResponseSink) {
    this.#method = method;
    this.#sink = sink;
    this.#head = new Http1HeadBuilder(method);
    this.#chunks = new Http1ChunkedBody((bytes) => sink.onData(bytes));
  }

  /** Whether the response is whole. */
  get ended(): boolean {
    return this.#state === 'ended';
  }

  /** Takes the next bytes, and says how many of them belong to the response: all of them, unless it ended among them. */
  write(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && this.#state !== 'ended') at = this.#read(bytes, at);
    return at;
  }

  /** The connection has been closed. Throws `ConnectionClosedError` unless that was how the response had to end. */
  close(): void {
    if (this.#state !== 'close' && this.#state !== 'ended') throw new ConnectionClosedError();
    this.#state = 'ended';
  }

  #read(bytes: Buffer, from: number): number {
    switch (this.#state) {
      case 'length': {
        const end = Math.min(from + this.#missing, bytes.length);
        this.#missing -= end - from;
        if (this.#missing === 0) this.#state = 'ended';
        this.#sink.onData(bytes.subarray(from, end));
        return end;
      }
      case 'chunked': {
        const end = this.#chunks.read(bytes, from);
        if (this.#chunks.ended) this.#state = 'ended';
        return end;
      }
      case 'close':
        this.#sink.onData(bytes.subarray(from));
        return bytes.length;
      default:
        return this.#readHeadLine(bytes, from);
    }
  }

  #readHeadLine(bytes: Buffer, from: number): number {
    const line = this.#lines.next(bytes, from);
    if (line !== undefined) {
      const head = this.#head.add(line);
      if (head) this.#onHead(head);
    } else if (
      !this.#head.begun &&
      !STATUS_LINE_START.startsWith(this.#lines.partial.slice(0, STATUS_LINE_START.length))
    ) {
      // Another protocol may never send the end of a line.
      throw new MalformedResponseError('it does not begin with a status line');
    }
    return this.#lines.position;
  }

  #onHead(head: Http1Head): void {
    if (head.status === 101) throw new MalformedResponseError('it switches to another protocol');
    if (head.status < 200) {
      this.#head = new Http1HeadBuilder(this.#method);
      return;
    }
    if (head.framing.kind === 'length') this.#missing = head.framing.bytes;
    this.#state = head.framing.kind === 'none' ? 'ended' : head.framing.kind;
    this.#sink.onHead(head);
  }
}
