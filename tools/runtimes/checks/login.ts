import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect as connectSocket, type Server as NetServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import { Cluster, SharedInformerFactory, TransportError } from 'tidewatch';
import { configMaps, pods } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';
import { type MadeCertificate, makeCertificate } from '../../../src/transport/certificate-fixture.ts';
import type { Check } from '../check.ts';
import { commandFor } from '../own-runtime.ts';
import { pod, rejection, silent, TestCluster } from '../test-cluster.ts';

async function kindOfFailure(cluster: Cluster): Promise<string> {
  const error = await rejection(cluster.client(pods).list());
  assert.ok(error instanceof TransportError, `not a TransportError: ${String(error)}`);
  return error.kind;
}

/** On loopback; ends with all its connections. */
async function listening(server: NetServer, sockets: Iterable<Socket>): Promise<AsyncDisposable & { port: number }> {
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

/** An HTTP proxy that opens tunnels, and counts them. */
function makeProxy(): { server: Server; sockets: Set<Socket>; tunnels: () => number } {
  const sockets = new Set<Socket>();
  let tunnels = 0;
  const server = createServer();
  server.on('connect', (request, client: Socket) => {
    const [host = '', port = ''] = (request.url ?? '').split(':');
    const upstream = connectSocket(Number(port), host, () => {
      tunnels++;
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      client.pipe(upstream).pipe(client);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
  });
  return { server, sockets, tunnels: () => tunnels };
}

/** Knows its clients by their certificates, and has no pods. */
function makeCertificateServer(authority: MadeCertificate): {
  server: TlsServer;
  sockets: Set<Socket>;
  seen: string[];
} {
  const { certificate, key } = makeCertificate({ name: 'server', issuer: authority, hosts: ['127.0.0.1'] });
  const trust = { ca: authority.certificate, requestCert: true, rejectUnauthorized: true };
  const sockets = new Set<Socket>();
  const seen: string[] = [];
  const body = JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [] });
  // Not with node:https, whose sockets on Bun do not show the certificate.
  const server = createTlsServer({ cert: certificate, key, ...trust }, (socket) => {
    sockets.add(socket);
    seen.push(String(socket.getPeerCertificate().subject?.CN));
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(
        `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    });
  });
  return { server, sockets, seen };
}

export const loginChecks: readonly Check[] = [
  {
    name: 'a server whose certificate is signed by another authority is refused (tls-ca)',
    async run() {
      await using test = await TestCluster.start();
      await using other = await ApiServer.start({ logger: silent });
      const cluster = await test.connect({ certificateAuthority: other.ca ?? '' });
      assert.equal(await kindOfFailure(cluster), 'tls-ca');
    },
  },
  {
    name: 'a server whose certificate is for another name is refused (tls-name)',
    async run() {
      await using test = await TestCluster.start();
      assert.equal(await kindOfFailure(await test.connect({ tlsServerName: 'elsewhere.example' })), 'tls-name');
      const named = await test.connect({ tlsServerName: 'kubernetes' });
      assert.equal((await named.client(pods).list()).items.length, 0);
    },
  },
  {
    name: 'a server that does not listen is reported as such (refused)',
    async run() {
      await using test = await TestCluster.start();
      const cluster = await test.connect();
      await test.server.stop();
      assert.equal(await kindOfFailure(cluster), 'refused');
    },
  },
  {
    name: 'a client certificate is sent',
    async run() {
      const authority = makeCertificate({ name: 'authority', ca: true });
      const jane = makeCertificate({ name: 'jane', issuer: authority });
      const { server, sockets, seen } = makeCertificateServer(authority);
      await using test = await TestCluster.start();
      await using address = await listening(server, sockets);
      const base64 = (text: string) => Buffer.from(text).toString('base64');
      const kubeconfig = test.kubeconfig({
        'client-certificate-data': base64(jane.certificate),
        'client-key-data': base64(jane.key),
      });
      const cluster = await test.connect({
        kubeconfig,
        server: `https://127.0.0.1:${address.port}`,
        certificateAuthority: authority.certificate,
      });
      await cluster.client(pods).list();
      assert.deepEqual(seen, ['jane']);
    },
  },
  {
    name: 'an exec plugin is run for its token',
    async run() {
      await using test = await TestCluster.start();
      const plugin = join(test.folder, 'plugin.mjs');
      const status = { token: test.server.token };
      const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status };
      writeFileSync(plugin, `console.log(${JSON.stringify(JSON.stringify(credential))});\n`);
      const exec = { apiVersion: credential.apiVersion, ...commandFor(plugin), interactiveMode: 'Never' };
      const cluster = await test.connect({ kubeconfig: test.kubeconfig({ exec }) });
      assert.equal((await cluster.client(pods).list()).items.length, 0);
    },
  },
  {
    name: 'HTTPS goes through the tunnel of an HTTP proxy',
    async run() {
      await using test = await TestCluster.start();
      const { server, sockets, tunnels } = makeProxy();
      await using proxy = await listening(server, sockets);
      const client = (await test.connect({ proxyUrl: `http://127.0.0.1:${proxy.port}` })).client(pods);
      await client.create(pod('a'));
      assert.equal((await client.list()).items.length, 1);
      assert.ok(tunnels() > 0, 'nothing went through the proxy');
    },
  },
  {
    name: 'an informer works over plain HTTP, also with a long list',
    async run() {
      await using server = await ApiServer.start({ http: true, logger: silent });
      await using cluster = await Cluster.connect({
        server: server.url,
        disableCompression: true,
        env: {},
        logger: silent,
      });
      const client = cluster.client(configMaps);
      const text = 'x'.repeat(10_000);
      const names = Array.from({ length: 100 }, (_, index) => `settings-${index}`);
      await Promise.all(names.map((name) => client.create({ metadata: { name }, data: { text, name } })));
      await using factory = new SharedInformerFactory(cluster, { logger: silent, watchList: false });
      const configMapInformer = factory.for(configMaps);
      configMapInformer.informer();
      factory.start();
      await factory.waitForCacheSync({ timeoutMs: 20_000 });
      await configMapInformer.informer().waitFor(await client.create({ metadata: { name: 'last' } }));
      for (const name of names) {
        assert.deepEqual(configMapInformer.lister().get(`default/${name}`)?.data, { text, name });
      }
      assert.equal(configMapInformer.lister().list().length, 101);
    },
  },
  {
    name: 'many requests at a time have connections of their own',
    async run() {
      await using test = await TestCluster.start();
      const client = (await test.connect()).client(pods);
      const names = Array.from({ length: 40 }, (_, index) => `pod-${index}`);
      await Promise.all(names.map((name) => client.create(pod(name))));
      const read = await Promise.all(names.map((name) => client.get(name)));
      assert.deepEqual(
        read.map(({ metadata }) => metadata?.name),
        names,
      );
    },
  },
];
