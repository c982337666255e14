import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';

/** A server on loopback that knows all its sockets, so that a test can look at them, cut them and leave none behind. */
export interface TestServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
  /** How many connections there have been. */
  readonly connections: () => number;
  /** Of a server with TLS: from now on it knows only the sessions that these keys open. */
  setTicketKeys(keys: Buffer): void;
}

export async function startServer(handler: RequestListener, tls?: ServerOptions): Promise<TestServer> {
  const server = tls === undefined ? createServer(handler) : createSecureServer(tls, handler);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    sockets,
    connections: () => connections,
    setTicketKeys: (keys) => (server as TlsServer).setTicketKeys(keys),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export async function textOf(response: TransportResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

export async function get(
  transport: Transport,
  path = '/',
  more: Partial<TransportRequest> = {},
): Promise<{ status: number; text: string }> {
  const response = await transport.request({ method: 'GET', path, ...more });
  return { status: response.status, text: await textOf(response) };
}

/** Resolves once the condition holds; looks again with each turn of the event loop, so it fails by the test's timeout alone. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise<void>((resolve) => setTimeout(resolve, 1));
}

/** What a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`expected a rejection, got ${String(value)}`);
    },
    (error: unknown) => error,
  );
}
