import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { type MadeCertificate, makeCertificate } from '../../src/http/certificate-fixture.ts';

/** On loopback; ends with all its connections. */
export async function listening(server: Server): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/**
 * An API server without pods that shows this certificate, by hand over TLS: the sockets of Bun's node:https do not tell the
 * certificates of clients, which `seen` collects.
 */
export async function startTlsServer({ certificate, key }: MadeCertificate, options: TlsOptions = {}) {
  const seen: string[] = [];
  const body = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [] });
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const server = createTlsServer({ cert: certificate, key, ...options }, (socket) => {
    seen.push(String(socket.getPeerCertificate()?.subject?.CN));
    socket.on('error', () => {});
    socket.on('data', () => socket.write(head + body));
  });
  const address = await listening(server);
  return { ...address, url: `https://127.0.0.1:${address.port}`, seen };
}

/** A certificate for loopback, and the authority that signed it. */
export function servingCertificate(more: Partial<Parameters<typeof makeCertificate>[0]> = {}) {
  const authority = makeCertificate({ name: 'authority', ca: true });
  const certificate = makeCertificate({ name: 'server', issuer: authority, hosts: ['127.0.0.1'], ...more });
  return { authority, certificate };
}
