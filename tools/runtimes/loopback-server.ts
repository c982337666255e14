import type { TLSSocket, TlsOptions } from 'node:tls';
import { type MadeCertificate, makeCertificate } from '../../src/http/certificate-fixture.ts';
import { ScriptedServer } from '../../src/http/scripted-server-fixture.ts';

/**
 * An API server without pods that shows this certificate, by hand over TLS: the sockets of Bun's node:https do not tell the
 * certificates of clients, which `seen` collects.
 */
export async function startTlsServer({ certificate, key }: MadeCertificate, options: TlsOptions = {}) {
  const seen: string[] = [];
  const body = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [] });
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const server = await ScriptedServer.raw(
    (socket, _, { read }) => {
      if (read === 1) seen.push(String((socket as TLSSocket).getPeerCertificate()?.subject?.CN));
      socket.write(head + body);
    },
    { cert: certificate, key, ...options },
  );
  return Object.assign(server, { seen });
}

/** A certificate for loopback, and the authority that signed it. */
export function servingCertificate(more: Partial<Parameters<typeof makeCertificate>[0]> = {}) {
  const authority = makeCertificate({ name: 'authority', ca: true });
  const certificate = makeCertificate({ name: 'server', issuer: authority, hosts: ['127.0.0.1'], ...more });
  return { authority, certificate };
}
