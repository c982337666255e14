import { connect as connectSocket, type Socket } from 'node:net';
import { ApiServer } from '../apiserver/apiserver.ts';
import { Cluster } from '../cluster/cluster.ts';
import { SharedInformerFactory, type SharedInformerFactoryOptions } from '../informer/shared-informer-factory.ts';
import { silentLogger } from '../observe/logger.ts';
import { type Inspector, serveInspector } from './inspector.ts';
import type { InspectorOptions } from './inspector-options.ts';
import type { Tick } from './protocol.ts';

/** An answer, with its headers in lower case. */
export interface RawAnswer {
  readonly code: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface RawRequest {
  method?: string;
  path: string;
  /** Default: what a browser would send. null: none. */
  host?: string | null;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** In place of the body: as it is sent, for a request that says so in its headers. */
  chunks?: string;
}

/** A request as bytes, so that nothing is put right on the way. Resolves when the other side has closed the connection. */
export function rawRequest(port: number, request: RawRequest): Promise<RawAnswer> {
  const { method = 'GET', path, host = `127.0.0.1:${port}`, headers = {}, body = '', chunks = '' } = request;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    ...(host === null ? [] : [`Host: ${host}`]),
    'Connection: close',
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return new Promise((resolve, reject) => {
    const socket = connectSocket(port, '127.0.0.1', () =>
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}${chunks}`),
    );
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may close before it has read all.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    socket.on('close', () => resolve(parsed(Buffer.concat(received).toString('utf8'))));
  });
}

function parsed(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [status = '', ...fields] = head.split('\r\n');
  const headers = new Map(
    fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 2)]),
  );
  return { code: Number(status.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') };
}

export function tokenOf({ url }: Inspector): string {
  return url.slice(url.indexOf('#token=') + '#token='.length);
}

/** What a page has for its token. */
export interface PageSession {
  readonly base: string;
  readonly cookie: string;
}

export async function openSession(inspector: Inspector): Promise<PageSession> {
  const { port } = inspector;
  const origin = `http://127.0.0.1:${port}`;
  const answer = await rawRequest(port, {
    method: 'POST',
    path: '/session',
    headers: { Origin: origin },
    body: tokenOf(inspector),
  });
  const { base } = JSON.parse(answer.body) as { base: string };
  return { base, cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
}

/** A page as far as its server can tell: it reads the stream, and asks for rows and objects. */
export class FakePage {
  readonly session: PageSession;
  readonly #port: number;
  readonly #socket: Socket;
  #text = '';
  #wake = () => {};
  #isOver = false;

  private constructor(port: number, session: PageSession, socket: Socket) {
    this.#port = port;
    this.session = session;
    this.#socket = socket;
    socket.on('data', (chunk) => {
      this.#text += chunk.toString('utf8');
      this.#wake();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  static async open(inspector: Inspector): Promise<FakePage> {
    const session = await openSession(inspector);
    const { port } = inspector;
    const socket = connectSocket(port, '127.0.0.1');
    const page = new FakePage(port, session, socket);
    socket.write(
      `GET ${session.base}stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nCookie: ${session.cookie}\r\nOrigin: http://127.0.0.1:${port}\r\n\r\n`,
    );
    await page.until((text) => text.includes('\r\n\r\n'));
    return page;
  }

  /** All that has come on the stream. */
  get received(): string {
    return this.#text;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get ticks(): Tick[] {
    return [...this.#text.matchAll(/data: (.*)\n\n/g)].map(([, text = '']) => JSON.parse(text) as Tick);
  }

  /** The first tick that is as wanted. */
  async tick(wanted: (tick: Tick) => boolean): Promise<Tick> {
    let found: Tick | undefined;
    await this.until(() => {
      found = this.ticks.find(wanted);
      return found !== undefined;
    });
    return found as Tick;
  }

  async until(isSo: (text: string) => boolean): Promise<void> {
    while (!isSo(this.#text)) {
      if (this.#isOver) throw new Error(`the stream has ended: ${this.#text.slice(0, 300)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async untilOver(): Promise<void> {
    while (!this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Reads nothing from now on. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  async get(what: string, query: Readonly<Record<string, string>>): Promise<RawAnswer> {
    return rawRequest(this.#port, {
      path: `${this.session.base}${what}?${new URLSearchParams(query)}`,
      headers: { Cookie: this.session.cookie },
    });
  }

  async json<A>(what: string, query: Readonly<Record<string, string>>): Promise<A> {
    const { code, body } = await this.get(what, query);
    if (code !== 200) throw new Error(`${code}: ${body}`);
    return JSON.parse(body) as A;
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** A server, a factory on it, and an inspector that shows the factory. */
export interface InspectedFactory extends AsyncDisposable {
  readonly server: ApiServer;
  readonly cluster: Cluster;
  readonly factory: SharedInformerFactory;
  readonly inspector: Inspector;
}

export async function inspectedFactory(
  options: Partial<InspectorOptions> = {},
  factoryOptions: SharedInformerFactoryOptions = {},
): Promise<InspectedFactory> {
  const server = await ApiServer.start({ listen: false, logger: silentLogger });
  const cluster = Cluster.over(server.transport(), { logger: silentLogger });
  const factory = new SharedInformerFactory(cluster, { logger: silentLogger, ...factoryOptions });
  const inspector = await serveInspector({ factories: [factory], port: 0, logger: silentLogger, ...options });
  return {
    server,
    cluster,
    factory,
    inspector,
    async [Symbol.asyncDispose]() {
      await inspector.stop();
      await factory.shutdown();
      await cluster.close();
      await server.stop();
    },
  };
}
