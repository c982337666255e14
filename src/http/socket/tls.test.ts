import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../api/transport-error.ts';
import { CertificateCredentials } from '../../login/certificate-credentials.ts';
import { systemClock } from '../../observe/clock.ts';
import { silentLogger } from '../../observe/logger.ts';
import { makeCertificate } from '../certificate-fixture.ts';
import { FileContent } from '../file-content.ts';
import { HttpTransport, type HttpTransportOptions } from '../http-transport.ts';
import { get, rejection, startRaw, until } from '../request-fixture.ts';
import { ScriptedServer } from '../scripted-server-fixture.ts';

const ca = makeCertificate({ name: 'test CA', ca: true });
const otherCa = makeCertificate({ name: 'other CA', ca: true });
const onLoopback = makeCertificate({ name: 'server', issuer: ca, hosts: ['127.0.0.1', 'kubernetes.test'] });
const files = { clock: systemClock, logger: silentLogger };

function serve(certificate = onLoopback, more = {}) {
  return ScriptedServer.http(
    (request: IncomingMessage, response: ServerResponse) => {
      const socket = request.socket as TLSSocket;
      response.end(JSON.stringify({ peer: socket.getPeerCertificate().subject?.CN, sni: socket.servername }));
    },
    { cert: certificate.certificate, key: certificate.key, ...more },
  );
}

async function ask(server: string, options: Partial<HttpTransportOptions>) {
  const transport = new HttpTransport({ server, logger: silentLogger, ...options });
  try {
    return JSON.parse((await get(transport)).text) as { peer?: string; sni?: string | false };
  } finally {
    await transport.close();
  }
}

describe('the check of the server', () => {
  it('accepts a certificate of the CA, for an address without SNI, and refuses it without that CA', async () => {
    await using server = await serve();
    expect((await ask(server.url, { tls: { ca: ca.certificate } })).sni).toBe(false);
    for (const tls of [{}, { ca: otherCa.certificate }]) {
      const error = await rejection(ask(server.url, { tls }));
      expect(error).toBeInstanceOf(TransportError);
      expect(error).toMatchObject({
        kind: 'tls-ca',
        message: expect.stringContaining(server.url),
        cause: expect.any(Error),
      });
    }
  });

  it('accepts a self-signed certificate that is trusted itself', async () => {
    const self = makeCertificate({ name: 'self', hosts: ['127.0.0.1'] });
    await using server = await serve(self);
    expect(await ask(server.url, { tls: { ca: self.certificate } })).toBeDefined();
  });

  it('accepts an intermediate CA that is trusted without its root', async () => {
    const between = makeCertificate({ name: 'between', issuer: ca, ca: true });
    await using server = await serve(makeCertificate({ name: 'leaf', issuer: between, hosts: ['127.0.0.1'] }));
    expect(await ask(server.url, { tls: { ca: between.certificate } })).toBeDefined();
  });

  it('tells a wrong name from a wrong CA, and follows tls-server-name', async () => {
    await using server = await serve(makeCertificate({ name: 'x', issuer: ca, hosts: ['kubernetes.test'] }));
    const tls = { ca: ca.certificate };
    const error = await rejection(ask(server.url, { tls }));
    expect(error).toMatchObject({ kind: 'tls-name', message: expect.stringContaining('tls-server-name') });
    expect((await ask(server.url, { tls: { ...tls, serverName: 'kubernetes.test' } })).sni).toBe('kubernetes.test');
  });

  it('tells an expired certificate, an expired CA and one that is not yet valid', async () => {
    const past = new Date(Date.now() - 3_600_000);
    const future = new Date(Date.now() + 3_600_000);
    const expired = makeCertificate({ name: 'x', issuer: ca, hosts: ['127.0.0.1'], notAfter: past });
    const early = makeCertificate({ name: 'x', issuer: ca, hosts: ['127.0.0.1'], notBefore: future });
    const expiredCa = makeCertificate({ name: 'old CA', ca: true, notAfter: past });
    const ofExpiredCa = makeCertificate({ name: 'x', issuer: expiredCa, hosts: ['127.0.0.1'] });
    for (const [certificate, trusted] of [
      [expired, ca],
      [early, ca],
      [ofExpiredCa, expiredCa],
    ] as const) {
      await using server = await serve(certificate);
      const error = await rejection(ask(server.url, { tls: { ca: trusted.certificate } }));
      expect(error).toMatchObject({ kind: 'tls-expired' });
    }
  });

  it('can be switched off, with one warning', async () => {
    await using server = await serve();
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
    const transport = new HttpTransport({ server: server.url, logger, tls: { insecure: true } });
    for (let i = 0; i < 3; i++) expect((await get(transport)).status).toBe(200);
    await transport.close();
    expect(warnings).toEqual([expect.stringContaining('insecure-skip-tls-verify')]);
  });

  it('reads a CA file again when it changes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidewatch-ca-'));
    const path = join(folder, 'ca.crt');
    await writeFile(path, otherCa.certificate);
    await using server = await serve();
    const transport = new HttpTransport({
      server: server.url,
      logger: silentLogger,
      tls: { ca: new FileContent(path, { ...files, purpose: 'CA file' }) },
    });
    expect(await rejection(get(transport))).toMatchObject({ kind: 'tls-ca' });
    await writeFile(path, ca.certificate);
    expect((await get(transport)).status).toBe(200);
    await transport.close();
    await rm(folder, { recursive: true });
  });

  it('says that the server does not speak TLS', async () => {
    await using server = await ScriptedServer.http((_request, response) => response.end());
    const error = await rejection(ask(server.url.replace('http:', 'https:'), {}));
    expect(error).toMatchObject({ kind: 'tls', message: expect.stringContaining('does not speak TLS') });
  });
});

describe('client certificates', () => {
  const alice = makeCertificate({ name: 'alice', issuer: ca });
  const bob = makeCertificate({ name: 'bob', issuer: ca });
  const wantsOne = { ca: ca.certificate, requestCert: true, rejectUnauthorized: true };
  const tls = { ca: ca.certificate };

  it('are shown to the server, and a refusal says so', async () => {
    await using server = await serve(onLoopback, wantsOne);
    const pem = (text: string) => ({ path: text });
    const folder = await mkdtemp(join(tmpdir(), 'tidewatch-cert-'));
    await writeFile(join(folder, 'crt'), alice.certificate);
    await writeFile(join(folder, 'key'), alice.key);
    const credentials = new CertificateCredentials(pem(join(folder, 'crt')), pem(join(folder, 'key')), files);
    expect((await ask(server.url, { tls, credentials })).peer).toBe('alice');
    expect(await rejection(ask(server.url, { tls }))).toMatchObject({ kind: expect.stringMatching(/^(tls|reset)$/) });
    await rm(folder, { recursive: true });
  });

  it('are read again when the files change, and a new connection shows the new one', async () => {
    await using server = await serve(onLoopback, wantsOne);
    const folder = await mkdtemp(join(tmpdir(), 'tidewatch-cert-'));
    const [crt, key] = [join(folder, 'crt'), join(folder, 'key')];
    const write = async (who: typeof alice) => {
      await writeFile(crt, who.certificate);
      await writeFile(key, who.key);
    };
    await write(alice);
    const credentials = new CertificateCredentials({ path: crt }, { path: key }, files);
    const transport = new HttpTransport({ server: server.url, logger: silentLogger, tls, credentials });
    const peer = async () => (JSON.parse((await get(transport)).text) as { peer: string }).peer;
    expect([await peer(), await peer()]).toEqual(['alice', 'alice']);
    expect(server.connections).toBe(1);
    await write(bob);
    expect([await peer(), await peer()]).toEqual(['bob', 'bob']);
    expect(server.connections).toBe(2);
    await transport.close();
    await rm(folder, { recursive: true });
  });

  it('that do not fit their key, or are not PEM, are a readable error without the key', async () => {
    await using server = await serve();
    const folder = await mkdtemp(join(tmpdir(), 'tidewatch-cert-'));
    await writeFile(join(folder, 'crt'), alice.certificate);
    await writeFile(join(folder, 'key'), bob.key);
    await writeFile(join(folder, 'bad'), 'nonsense');
    for (const key of ['key', 'bad']) {
      const credentials = new CertificateCredentials({ path: join(folder, 'crt') }, { path: join(folder, key) }, files);
      const error = await rejection(ask(server.url, { tls, credentials }));
      expect(error).toMatchObject({ kind: 'tls', message: expect.stringContaining('belong together') });
    }
    await rm(folder, { recursive: true });
  });
});

describe('errors of a connection', () => {
  it('say that nobody listens', async () => {
    const port = await ScriptedServer.unusedPort();
    const error = await rejection(ask(`http://127.0.0.1:${port}`, {}));
    expect(error).toMatchObject({
      kind: 'refused',
      server: `http://127.0.0.1:${port}`,
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('say that a name has no address', async () => {
    expect(await rejection(ask('http://no-such-host.invalid', {}))).toMatchObject({ kind: 'dns' });
  });

  it('say that the connection was reset, or that what came is not HTTP', async () => {
    await using server = await startRaw((socket, request) => {
      if (request.endsWith('GET /garbage')) socket.end('secret-object-bytes\r\n\r\n');
      else socket.resetAndDestroy();
    });
    expect(await rejection(get(server.transport, '/reset'))).toMatchObject({ kind: 'reset' });
    const error = await rejection(get(server.transport, '/garbage'));
    expect(error).toMatchObject({ kind: 'protocol' });
    expect(Object.keys((error as Error).cause as object)).not.toContain('data');
  });
});

describe('TLS sessions', () => {
  /** Whether each connection was resumed, in the order in which they were made. */
  async function resumable(more: object = {}) {
    const resumed: boolean[] = [];
    const server = await ScriptedServer.http(
      (request: IncomingMessage, response: ServerResponse) => {
        resumed.push((request.socket as TLSSocket).isSessionReused());
        response.end('{}');
      },
      { cert: onLoopback.certificate, key: onLoopback.key, ...more },
    );
    const cut = async () => {
      for (const socket of server.sockets) socket.destroy();
      await until(() => server.sockets.size === 0);
    };
    return Object.assign(server, { resumed, cut });
  }

  it.each(['TLSv1.3', 'TLSv1.2'])('are resumed when a connection has been cut, with %s', async (version) => {
    await using server = await resumable({ minVersion: version, maxVersion: version });
    const transport = new HttpTransport({ server: server.url, logger: silentLogger, tls: { ca: ca.certificate } });
    for (let i = 0; i < 3; i++) {
      await get(transport);
      await server.cut();
    }
    expect(server.resumed).toEqual([false, true, true]);
    await transport.close();
  });

  it('are not resumed once another CA is trusted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidewatch-tls-'));
    const path = join(folder, 'ca');
    await writeFile(path, ca.certificate);
    await using server = await resumable();
    const caFile = new FileContent(path, { ...files, purpose: 'CA file' });
    const transport = new HttpTransport({ server: server.url, logger: silentLogger, tls: { ca: caFile } });
    await get(transport);
    await server.cut();
    await writeFile(path, otherCa.certificate);
    expect(await rejection(get(transport))).toMatchObject({ kind: 'tls-ca' });
    await writeFile(path, `${otherCa.certificate}${ca.certificate}`);
    await get(transport);
    expect(server.resumed).toEqual([false, false]);
    await transport.close();
    await rm(folder, { recursive: true });
  });

  it('are kept of verified connections only', async () => {
    await using server = await resumable();
    const wrong = { ca: ca.certificate, serverName: 'other.test' };
    const transport = new HttpTransport({ server: server.url, logger: silentLogger, tls: wrong });
    for (let i = 0; i < 3; i++) expect(await rejection(get(transport))).toMatchObject({ kind: 'tls-name' });
    expect(server.resumed).toEqual([]);
    await transport.close();
  });

  it('are given up when the server cannot go on with them', async () => {
    let ticketKeys = Buffer.alloc(48, 1);
    await using server = await resumable({ ticketKeys });
    const transport = new HttpTransport({ server: server.url, logger: silentLogger, tls: { ca: ca.certificate } });
    await get(transport);
    await server.cut();
    ticketKeys = Buffer.alloc(48, 2);
    server.setTicketKeys(ticketKeys);
    await get(transport);
    await server.cut();
    await get(transport);
    expect(server.resumed).toEqual([false, false, true]);
    await transport.close();
  });
});
