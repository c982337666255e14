import {
  createServer as createHttpServer,
  type IncomingMessage,
  type ServerResponse as NodeResponse,
  type Server,
  STATUS_CODES,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { createGzip, gzip } from 'node:zlib';
import type { Logger } from '../../observe/logger.ts';
import { MAX_BODY_BYTES } from '../request/body.ts';
import { jsonResponse, type ServerRequest, type ServerResponse } from '../request/request.ts';
import { forbiddenPath } from '../request/status-error.ts';
import type { ServingCertificate } from './certificate.ts';
import { ConnectionLost } from './connection-lost.ts';
import { foreignRequest } from './host-guard.ts';

const GZIP_FROM_BYTES = 128 * 1024;
const gzipAll = promisify(gzip);

export interface HttpFrontOptions {
  /** Unset: plain HTTP. */
  certificate?: ServingCertificate;
  port: number;
  /** Over plain HTTP: names beside those of loopback that requests may address the server by. */
  allowedHosts: readonly string[];
  handle(request: ServerRequest): Promise<ServerResponse>;
  logger: Logger;
}

/** The socket side of the server: bytes to requests and back, with TLS, compression and backpressure. */
export class HttpFront {
  readonly #server: Server;
  readonly #options: HttpFrontOptions;
  /** Connections that have left HTTP, or are about to. */
  readonly #upgraded = new Set<Duplex>();
  #port = 0;

  private constructor(options: HttpFrontOptions) {
    this.#options = options;
    const { certificate } = options;
    const listener = (incoming: IncomingMessage, outgoing: NodeResponse) => {
      this.#serve(incoming, outgoing).catch((error: unknown) => this.#lost(outgoing, error));
    };
    this.#server = certificate
      ? createHttpsServer({ cert: certificate.certificate, key: certificate.key }, listener)
      : createHttpServer(listener);
    this.#server.keepAliveTimeout = 90_000;
    // A watch may last for hours, and a client may take its time to send a body.
    this.#server.requestTimeout = 0;
    this.#server.on('upgrade', (incoming, socket, head) => {
      this.#upgrade(incoming, socket, head).catch((error: unknown) => {
        if (!(error instanceof ConnectionLost))
          this.#options.logger.error('A connection could not be upgraded.', error);
        socket.destroy();
      });
    });
    // As Go does. A client that speaks TLS here learns from it that the server does not.
    this.#server.on('clientError', (_error, socket: Socket) => {
      if (socket.writable) socket.write('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      socket.destroySoon();
    });
  }

  static async listen(options: HttpFrontOptions): Promise<HttpFront> {
    const front = new HttpFront(options);
    await new Promise<void>((resolve, reject) => {
      front.#server.once('error', reject);
      front.#server.listen(options.port, '127.0.0.1', () => {
        front.#server.off('error', reject);
        resolve();
      });
    });
    front.#port = (front.#server.address() as AddressInfo).port;
    return front;
  }

  get port(): number {
    return this.#port;
  }

  /** Closes every connection, also those of running requests. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    for (const socket of this.#upgraded) socket.destroy();
    await closed;
  }

  /** A connection that may leave HTTP; one that is not let closes with the answer. */
  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#upgraded.add(socket);
    const gone = new AbortController();
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#upgraded.delete(socket);
      gone.abort(new ConnectionLost('the client has gone'));
    });
    const foreign = this.#foreign(incoming);
    const request = { ...requestOf(incoming, new Uint8Array(), gone.signal), canUpgrade: true };
    const response =
      foreign === undefined ? await this.#options.handle(request) : jsonResponse(403, forbiddenPath(foreign).status);
    const lines = response.headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    if (response.upgraded) {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n`);
      if (head.length > 0) socket.unshift(head);
      response.upgraded(socket);
      return;
    }
    const chunks: Uint8Array[] = [];
    if (response.body instanceof Uint8Array) chunks.push(response.body);
    else for await (const chunk of response.body) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { status } = response;
    socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}\r\n${lines}`);
    socket.end(Buffer.concat([Buffer.from(`content-length: ${body.length}\r\nconnection: close\r\n\r\n`), body]));
  }

  /** Why a request is not for this server. */
  #foreign(incoming: IncomingMessage): string | undefined {
    const { certificate, allowedHosts } = this.#options;
    // With TLS, the certificate holds for the names of this server alone.
    return certificate ? undefined : foreignRequest(incoming.headers, allowedHosts);
  }

  async #serve(incoming: IncomingMessage, outgoing: NodeResponse): Promise<void> {
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort(new ConnectionLost('the client has gone')));
    const foreign = this.#foreign(incoming);
    const body = foreign === undefined ? await readBody(incoming) : new Uint8Array();
    const request = requestOf(incoming, body, gone.signal);
    if (foreign !== undefined) outgoing.setHeader('connection', 'close');
    const response =
      foreign === undefined ? await this.#options.handle(request) : jsonResponse(403, forbiddenPath(foreign).status);
    await this.#write(request, response, outgoing);
  }

  async #write(request: ServerRequest, response: ServerResponse, outgoing: NodeResponse): Promise<void> {
    const headers = new Map<string, string | string[]>([['cache-control', 'no-cache, private']]);
    for (const [name, value] of response.headers) {
      if (name === 'warning') headers.set(name, [...(headers.get(name) ?? []), value]);
      else headers.set(name, value);
    }
    outgoing.statusCode = response.status;
    for (const [name, value] of headers) outgoing.setHeader(name, value);
    if (request.method === 'HEAD') {
      outgoing.end();
      return;
    }
    const compress = !response.streaming && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    if (response.body instanceof Uint8Array) await sendWhole(outgoing, response.body, compress);
    else if (compress) await sendCompressed(outgoing, response.body, request.signal);
    else {
      // The client of a watch is told at once that it has been opened.
      if (response.streaming) outgoing.flushHeaders();
      await sendStream(outgoing, response.body, request.signal);
    }
  }

  #lost(outgoing: NodeResponse, error: unknown): void {
    if (!(error instanceof ConnectionLost)) this.#options.logger.error('A response could not be written.', error);
    outgoing.socket?.destroy();
  }
}

function requestOf(incoming: IncomingMessage, body: Uint8Array, signal: AbortSignal): ServerRequest {
  const url = incoming.url ?? '/';
  const mark = url.indexOf('?');
  return {
    method: incoming.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)),
    headers: flatHeaders(incoming),
    body,
    signal,
  };
}

/** Reads at most one byte more than is allowed; the rest is not kept. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (length > MAX_BODY_BYTES) continue;
    length += chunk.length;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function flatHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(',') : value;
  }
  return headers;
}

async function sendWhole(outgoing: NodeResponse, body: Uint8Array, compress: boolean): Promise<void> {
  if (!compress || body.length <= GZIP_FROM_BYTES) {
    outgoing.setHeader('content-length', body.length);
    outgoing.end(body);
    return;
  }
  const packed = await gzipAll(body, { level: 1 });
  outgoing.setHeader('content-encoding', 'gzip');
  outgoing.setHeader('vary', 'Accept-Encoding');
  outgoing.end(packed);
}

/** Compresses once the body turns out to be long. */
async function sendCompressed(
  outgoing: NodeResponse,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const iterator = body[Symbol.asyncIterator]();
  const held: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= GZIP_FROM_BYTES) {
    const { done, value } = await iterator.next();
    if (done) {
      await sendWhole(outgoing, Buffer.concat(held), false);
      return;
    }
    held.push(value);
    bytes += value.length;
  }
  outgoing.setHeader('content-encoding', 'gzip');
  outgoing.setHeader('vary', 'Accept-Encoding');
  const packer = createGzip({ level: 1 });
  packer.pipe(outgoing);
  const rest: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => iterator };
  for (const chunk of held) packer.write(chunk);
  for await (const chunk of rest) {
    if (signal.aborted) break;
    if (!packer.write(chunk)) await drained(packer, signal);
  }
  packer.end();
}

async function sendStream(outgoing: NodeResponse, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  const iterator = body[Symbol.asyncIterator]();
  const leave = () => void iterator.return?.();
  signal.addEventListener('abort', leave, { once: true });
  try {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done || signal.aborted) break;
      if (!outgoing.write(value)) await drained(outgoing, signal);
    }
  } finally {
    signal.removeEventListener('abort', leave);
    if (signal.aborted) leave();
  }
  outgoing.end();
}

function drained(stream: NodeJS.WritableStream, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    stream.on('drain', done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}
