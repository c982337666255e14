import { type AddressInfo, createServer, type Socket } from 'node:net';
import { silentLogger } from '../observe/logger.ts';
import { HttpTransport, type HttpTransportOptions } from './http-transport.ts';

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly transport: HttpTransport;
  readonly sockets: ReadonlySet<Socket>;
  /** One line for each request: the number of its connection, its method and its path. */
  readonly requests: string[];
}

/** A server that answers with whatever bytes the test says, and a transport to it. The answer is called once for the head of each request. */
export async function startRaw(
  answer: (socket: Socket, request: string) => unknown,
  options: Partial<HttpTransportOptions> = {},
): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const connection = connections;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (data) => {
      const line = /^([A-Z]+ \S+) HTTP\/1\.1\r\n/.exec(data.toString('latin1'))?.[1];
      if (line === undefined) return;
      requests.push(`${connection} ${line}`);
      answer(socket, requests.at(-1) ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const transport = new HttpTransport({ server: url, logger: silentLogger, ...options });
  return {
    port,
    url,
    transport,
    sockets,
    requests,
    async [Symbol.asyncDispose]() {
      await transport.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
