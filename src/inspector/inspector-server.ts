import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { messageOf } from '../observe/guarded.ts';
import type { Logger } from '../observe/logger.ts';
import { type Answer, json, plain, send } from './answer.ts';
import type { PageFiles } from './page-files.ts';
import { RequestGuard } from './request-guard.ts';
import { Sessions } from './sessions.ts';

/** Of the request line and the headers together. */
const MAX_HEAD_BYTES = 8 * 1024;
/** A token is 43 bytes long. */
const MAX_BODY_BYTES = 256;
/** Eight pages with the six connections that a browser opens, and some that are being refused. */
const MAX_CONNECTIONS = 64;
const REQUEST_TIMEOUT_MS = 10_000;
/** A connection on which nothing moves, neither a request nor its answer. */
const IDLE_TIMEOUT_MS = 30_000;

/** What lies behind the token. */
export interface InspectorContent {
  /** An answer to the page: `rows`, `object`. Undefined: there is no such thing. Throws a `RequestError` for what cannot be answered. */
  answer(what: string, query: URLSearchParams): Promise<unknown>;
  /** Begins a stream, and answers for the response from now on. Undefined when it has; else why not. */
  stream(response: ServerResponse): Answer | undefined;
}

export interface InspectorServerOptions {
  port: number;
  host: string;
  files: PageFiles;
  content: InspectorContent;
  logger: Logger;
}

/** Something that the page asked for and that cannot be answered: its message is for the one who typed it. */
export class RequestError extends TypeError {}

/**
 * Serves the page, trades the token, and passes on what the page asks for. Nothing behind the token is read before the name of the server,
 * the origin, and the session have been checked, in this order.
 */
export class InspectorServer {
  readonly #options: InspectorServerOptions;
  readonly #sessions = new Sessions();
  readonly #server: Server;
  readonly #files: ReadonlyMap<string, Answer>;
  #guard: RequestGuard;
  #port: number;

  constructor(options: InspectorServerOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#guard = new RequestGuard(options.host, options.port);
    const { html, script, style, icon } = options.files;
    this.#files = new Map([
      ['/', file('text/html; charset=utf-8', html)],
      ['/inspector.js', file('text/javascript; charset=utf-8', script)],
      ['/inspector.css', file('text/css; charset=utf-8', style)],
      ['/icon.svg', file('image/svg+xml', icon)],
    ]);
    this.#server = createServer(
      { maxHeaderSize: MAX_HEAD_BYTES, headersTimeout: REQUEST_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
      (request, response) => void this.#respond(request, response),
    );
    this.#server.maxConnections = MAX_CONNECTIONS;
    this.#server.timeout = IDLE_TIMEOUT_MS;
    // The program ends when its own work does, whoever looks at it.
    this.#server.on('connection', (socket) => socket.unref());
    // Nobody is asked to continue, or to change to another protocol.
    this.#server.on('checkContinue', (request, response) => void this.#respond(request, response));
    this.#server.on('upgrade', (_request, socket) => socket.destroy());
    this.#server.on('connect', (_request, socket) => socket.destroy());
  }

  get port(): number {
    return this.#port;
  }

  get token(): string {
    return this.#sessions.token;
  }

  /** Resolves when it listens; rejects when it cannot. */
  async start(): Promise<void> {
    const { host } = this.#options;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#server.once('error', reject);
        this.#server.listen(this.#port, host, () => {
          this.#server.off('error', reject);
          resolve();
        });
      });
    } catch (error) {
      throw new TidewatchError('misuse', unableToListen(host, this.#port, error), { cause: error });
    }
    this.#server.unref();
    this.#server.on('error', (error) => this.#options.logger.warn(`The inspector has a problem: ${error.message}`));
    this.#port = (this.#server.address() as AddressInfo).port;
    this.#guard = new RequestGuard(host, this.#port);
  }

  /** Ends all connections. Idempotent. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const answer = await this.#answer(request, response);
      if (answer !== undefined) send(response, answer);
    } catch (thrown) {
      if (!(thrown instanceof RequestError)) {
        this.#options.logger.error(`The inspector could not answer a request: ${messageOf(thrown)}`);
      }
      send(response, thrown instanceof RequestError ? plain(400, thrown.message) : plain(500, 'It could not be read.'));
    }
  }

  /** Undefined when the response is a stream by now. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<Answer | undefined> {
    const { method, url = '' } = request;
    const refused = this.#guard.refusal(request);
    if (refused) return plain(refused.code, refused.text);
    const [path = '', query = ''] = url.split('?', 2);
    if (path === '/session') return this.#trade(request);
    if (method !== 'GET') return plain(405, 'Only GET is allowed.', { allow: 'GET' });
    if (hasBody(request)) return plain(413, 'Whoever asks for something sends nothing.');
    const [, s, session, what, ...rest] = path.split('/');
    const found = this.#files.get(path);
    if (found) return found;
    if (s !== 's' || session === undefined || what === undefined || rest.length > 0) return plain(404, 'Not found.');
    if (!this.#sessions.has(session, request.headers.cookie)) {
      return plain(401, 'This page has no session. Open the address that the program printed.');
    }
    if (what === 'stream') return this.#options.content.stream(response);
    const value = await this.#options.content.answer(what, new URLSearchParams(query));
    return value === undefined ? plain(404, 'Not found.') : json(value);
  }

  async #trade(request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'POST') return plain(405, 'Only POST is allowed.', { allow: 'POST' });
    const body = await limitedBody(request);
    if (body === undefined) return plain(413, 'That is longer than a token.');
    const session = this.#sessions.trade(body);
    if (session === undefined) return plain(401, 'That is not the token. Open the address that the program printed.');
    return json({ base: session.base }, { 'set-cookie': session.cookie });
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) !== 0 || headers['transfer-encoding'] !== undefined;
}

/** Undefined when there is more of it than a token has; the rest is not read. */
async function limitedBody(request: IncomingMessage): Promise<string | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1');
}

function file(type: string, text: string): Answer {
  return { code: 200, type, body: Buffer.from(text) };
}

function unableToListen(host: string, port: number, error: unknown): string {
  const code = (error as { code?: unknown }).code;
  const what = `the inspector cannot listen on ${host}:${port}`;
  if (code === 'EADDRINUSE')
    return `${what}, because the port is taken. Stop what listens there, or choose another port; 0 is any free one`;
  if (code === 'EACCES') return `${what}, because this user may not. Choose a port above 1023`;
  return `${what}: ${messageOf(error)}`;
}
