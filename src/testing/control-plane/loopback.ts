import { randomInt } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createServer } from 'node:net';
import { ControlPlaneError } from './control-plane-error.ts';

/**
 * A port of 127.0.0.1 that was free a moment ago. It lies below the range from which systems take the local ports of
 * outgoing connections: while a server is down for a restart, a client that keeps dialling its port could otherwise be
 * given that very port, connect to itself and hold it.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(20_000, 30_000);
    if (await canListen(port)) return port;
  }
  throw new ControlPlaneError('start', 'there is no free port on 127.0.0.1 between 20000 and 29999');
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

export interface LoopbackRequest {
  method?: string;
  body?: string;
  ca?: string;
  token?: string;
  /** Of silence, after which the request fails; a paused server accepts connections and never answers. Default 5000. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/** One request on a connection of its own, with the whole answer as text. */
export function askLoopback(url: string, options: LoopbackRequest = {}): Promise<{ status: number; body: string }> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        agent: false,
        method: options.method ?? 'GET',
        headers: options.token === undefined ? {} : { authorization: `Bearer ${options.token}` },
        ...(options.ca === undefined ? {} : { ca: options.ca }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (answer) => {
        let body = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => {
          body += chunk;
        });
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, body }));
        answer.once('error', reject);
      },
    );
    outgoing.setTimeout(options.timeoutMs ?? 5_000, () =>
      outgoing.destroy(new Error(`${url} has not answered in ${options.timeoutMs ?? 5_000} ms`)),
    );
    outgoing.once('error', reject);
    outgoing.end(options.body);
  });
}
