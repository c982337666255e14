import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { Transport, TransportRequest, TransportResponse } from '../api/transport.ts';
import { silentLogger } from '../observe/logger.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';
import { ScriptedServer } from './scripted-server-fixture.ts';

export type RawServer = Awaited<ReturnType<typeof startRaw>>;

/**
 * A raw server that is called once for the head of each request, and a transport to it. `requests` has one line for each: the number
 * of its connection, its method and its path.
 */
export async function startRaw(
  answer: (socket: Socket, request: string, head: string) => unknown,
  options: Partial<HttpTransportOptions> = {},
  tls?: TlsOptions,
) {
  const requests: string[] = [];
  const server = await ScriptedServer.raw((socket, data, { connection }) => {
    const head = data.toString('latin1');
    const line = /^([A-Z]+ \S+) HTTP\/1\.1\r\n/.exec(head)?.[1];
    if (line === undefined) return;
    const request = `${connection} ${line}`;
    requests.push(request);
    answer(socket, request, head);
  }, tls);
  const { port, url, sockets } = server;
  const transport = new HttpTransport({ server: url, logger: silentLogger, ...options });
  return {
    port,
    url,
    sockets,
    requests,
    transport,
    async [Symbol.asyncDispose]() {
      await transport.close();
      await server[Symbol.asyncDispose]();
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
