import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { aFunction, aLogger, anything, aText, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { messageOf } from '../observe/guarded.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';

/** One thing that must be well. */
export interface Check {
  /** Part of a URL: `/readyz/caches`. */
  readonly name: string;
  readonly ok: boolean;
  /** Why it is not well. Anybody who reaches the port reads it. */
  readonly message?: string | undefined;
}

/** Options of `HealthServer`. */
export interface HealthServerOptions {
  /** 0: any free one; see `port`. */
  port: number;
  /** Default 127.0.0.1: nobody else can ask. In a pod, the kubelet needs `0.0.0.0` or `::`. */
  host?: string | undefined;
  /** Whether the process should go on; when it fails, a kubelet starts the container again. */
  healthz: () => readonly Check[];
  /** Whether it does its work. */
  readyz: () => readonly Check[];
  /** What `/debug/status` answers as JSON. Anybody who reaches the port reads it. Unset: there is no such page. */
  status?: (() => unknown) | undefined;
  /** The text for Prometheus. Unset: there is no `/metrics`. */
  metrics?: (() => string | Promise<string>) | undefined;
  /** Hears of checks that throw. Default: the console. */
  logger?: Logger | undefined;
}

const CHECKS: OptionChecks<HealthServerOptions> = {
  port: anything, // has a message of its own
  host: aText,
  healthz: aFunction,
  readyz: aFunction,
  status: aFunction,
  metrics: aFunction,
  logger: aLogger,
};

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly type?: string;
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const NOT_FOUND: Answer = { code: 404, text: '404 page not found\n' };

/**
 * `/healthz` and `/readyz` in the text form of Kubernetes' own components: `ok`, or the list of checks and a 500; the list always with
 * `?verbose`, without the checks of `?exclude=NAME`; `/readyz/NAME` is one check. And `/metrics`, and `/debug/status`. Reads nothing but the request line.
 */
export class HealthServer {
  readonly #options: HealthServerOptions;
  readonly #logger: Logger;
  #server: Server | undefined;
  #port: number;

  constructor(options: HealthServerOptions) {
    checkedOptions('HealthServer', options, CHECKS, ['port', 'healthz', 'readyz']);
    const { port } = options;
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new TypeError(`${port} cannot be the port of the health server: it must be a whole number from 0 to 65535`);
    }
    this.#options = options;
    this.#logger = safeLogger(options.logger);
    this.#port = port;
  }

  /** The one that it listens on; before `start`, the one that was asked for. */
  get port(): number {
    return this.#port;
  }

  /** Resolves when it listens; rejects when it cannot. */
  async start(): Promise<void> {
    if (this.#server !== undefined) throw new TidewatchError('misuse', 'the health server has been started already');
    const server = createServer((request, response) => void this.#respond(request, response));
    this.#server = server;
    const { host = '127.0.0.1' } = this.#options;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(this.#port, host, () => {
          server.off('error', reject);
          resolve();
        });
      });
    } catch (error) {
      this.#server = undefined;
      throw new TidewatchError('misuse', unableToListen(host, this.#port, error), { cause: error });
    }
    server.on('error', (error) => this.#logger.warn(`The health server has a problem: ${error.message}`));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Ends all connections, also those that wait for an answer. Idempotent. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { code, text, type = 'text/plain; charset=utf-8' } = await this.#answer(request);
    const body = Buffer.from(text);
    response.writeHead(code, {
      'content-type': type,
      'content-length': body.length,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache, private',
      ...(code === 405 && { allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** Never rejects. */
  async #answer({ method, url = '/' }: IncomingMessage): Promise<Answer> {
    if (method !== 'GET' && method !== 'HEAD') return { code: 405, text: 'Only GET and HEAD are allowed.\n' };
    const [path = '', query = ''] = url.split('?', 2);
    const [, door, name, ...rest] = path.split('/');
    if (rest.length > 0) return NOT_FOUND;
    try {
      if (door === 'healthz') return report('healthz', this.#options.healthz(), name, query);
      if (door === 'readyz') return report('readyz', this.#options.readyz(), name, query);
      const { metrics, status } = this.#options;
      if (path === '/debug/status' && status) {
        return { code: 200, text: `${JSON.stringify(status())}\n`, type: 'application/json' };
      }
      if (door !== 'metrics' || name !== undefined || metrics === undefined) return NOT_FOUND;
      return { code: 200, text: String(await metrics()), type: METRICS_TYPE };
    } catch (thrown) {
      this.#logger.error(`The health server could not answer /${door}: ${messageOf(thrown)}`);
      return { code: 500, text: 'internal server error\n' };
    }
  }
}

function report(door: string, checks: readonly Check[], name: string | undefined, query: string): Answer {
  if (name !== undefined && name !== '') return one(checks, name);
  const parameters = new URLSearchParams(query);
  const excluded = new Set(parameters.getAll('exclude'));
  const failed = checks.filter(({ ok, name }) => !ok && !excluded.has(name));
  if (failed.length === 0 && !parameters.has('verbose')) return { code: 200, text: 'ok' };
  const lines = checks.map(({ name, ok, message }) => {
    if (excluded.has(name)) return `[+]${name} excluded: ok\n`;
    return ok ? `[+]${name} ok\n` : `[-]${name} failed: ${reasonOf(message)}\n`;
  });
  const verdict = failed.length === 0 ? 'passed' : 'failed';
  return { code: failed.length === 0 ? 200 : 500, text: `${lines.join('')}${door} check ${verdict}\n` };
}

function one(checks: readonly Check[], name: string): Answer {
  const check = checks.find((one) => one.name === decoded(name));
  if (check === undefined) return NOT_FOUND;
  return check.ok
    ? { code: 200, text: 'ok' }
    : { code: 500, text: `internal server error: ${reasonOf(check.message)}\n` };
}

/** A check is one line. */
function reasonOf(message: string | undefined): string {
  return message === undefined || message === '' ? 'no reason given' : message.replace(/\s+/g, ' ');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function unableToListen(host: string, port: number, error: unknown): string {
  const code = (error as { code?: unknown }).code;
  const what = `the health server cannot listen on ${host}:${port}`;
  if (code === 'EADDRINUSE')
    return `${what}, because the port is taken. Stop what listens there, or choose another port`;
  if (code === 'EACCES') return `${what}, because this user may not. Choose a port above 1023`;
  return `${what}: ${messageOf(error)}`;
}
