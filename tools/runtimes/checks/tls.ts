import assert from 'node:assert/strict';
import { Cluster, type ConnectOptions, TransportError } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';
import { makeCertificate } from '../../../src/http/certificate-fixture.ts';
import { ScriptedServer } from '../../../src/http/scripted-server-fixture.ts';
import type { Check } from '../check.ts';
import { servingCertificate, startTlsServer } from '../loopback-server.ts';
import { silent, TestCluster } from '../test-cluster.ts';

const DAY_MS = 86_400_000;

/** Of the error that a list of pods fails with; `none` when there is no error. */
async function failureOf(options: ConnectOptions): Promise<string> {
  await using cluster = await Cluster.connect({ env: {}, logger: silent, ...options });
  try {
    await cluster.client(pods).list();
    return 'none';
  } catch (error) {
    return error instanceof TransportError ? error.kind : `not a TransportError: ${String(error)}`;
  }
}

async function failureWithExpiredCertificate(): Promise<string> {
  const old = { notBefore: new Date(Date.now() - 3 * DAY_MS), notAfter: new Date(Date.now() - DAY_MS) };
  const { authority, certificate } = servingCertificate(old);
  await using server = await startTlsServer(certificate);
  return await failureOf({ server: server.url, certificateAuthority: authority.certificate });
}

export const tlsChecks: readonly Check[] = [
  {
    name: 'a server whose certificate is signed by another authority is refused (tls-ca)',
    async run() {
      await using server = await ApiServer.start({ logger: silent });
      await using other = await ApiServer.start({ logger: silent });
      const { url, token = '', ca = '' } = server;
      assert.equal(await failureOf({ server: url, token, certificateAuthority: other.ca ?? '' }), 'tls-ca');
      assert.equal(await failureOf({ server: url, token }), 'tls-ca');
      assert.equal(await failureOf({ server: url, token, certificateAuthority: ca }), 'none');
      assert.equal(await failureOf({ server: url, token, insecureSkipTlsVerify: true }), 'none');
    },
  },
  {
    name: 'a server whose certificate is for another name is refused (tls-name)',
    async run() {
      await using server = await ApiServer.start({ logger: silent });
      const { url, token = '', ca: certificateAuthority = '' } = server;
      const options = { server: url, token, certificateAuthority };
      assert.equal(await failureOf({ ...options, tlsServerName: 'elsewhere.example' }), 'tls-name');
      assert.equal(await failureOf({ ...options, tlsServerName: 'kubernetes' }), 'none');
    },
  },
  {
    name: 'a server whose certificate has expired is refused',
    async run() {
      assert.notEqual(await failureWithExpiredCertificate(), 'none');
    },
  },
  {
    name: 'the error tells that a certificate has expired (tls-expired)',
    async run() {
      assert.equal(await failureWithExpiredCertificate(), 'tls-expired');
    },
  },
  {
    name: 'an intermediate authority is trusted without the root above it',
    async run() {
      const root = makeCertificate({ name: 'root', ca: true });
      const issuer = makeCertificate({ name: 'intermediate', ca: true, issuer: root });
      const { certificate } = servingCertificate({ issuer });
      await using server = await startTlsServer(certificate);
      assert.equal(await failureOf({ server: server.url, certificateAuthority: issuer.certificate }), 'none');
    },
  },
  {
    name: 'a server without TLS, one that is away and one without an address are told apart',
    async run() {
      const plain = await ScriptedServer.raw((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'));
      const server = `https://127.0.0.1:${plain.port}`;
      assert.equal(await failureOf({ server }), 'tls');
      await plain[Symbol.asyncDispose]();
      assert.equal(await failureOf({ server }), 'refused');
      assert.equal(await failureOf({ server: 'https://tidewatch.invalid' }), 'dns');
    },
  },
  {
    name: 'a client certificate is sent',
    async run() {
      const { authority, certificate } = servingCertificate();
      const jane = makeCertificate({ name: 'jane', issuer: authority });
      const certificateAuthority = authority.certificate;
      await using server = await startTlsServer(certificate, {
        ca: certificateAuthority,
        requestCert: true,
        rejectUnauthorized: true,
      });
      await using test = await TestCluster.start();
      const base64 = (text: string) => Buffer.from(text).toString('base64');
      const user = { 'client-certificate-data': base64(jane.certificate), 'client-key-data': base64(jane.key) };
      const options = { server: server.url, certificateAuthority };
      assert.equal(await failureOf({ ...options, kubeconfig: test.kubeconfig(user) }), 'none');
      assert.deepEqual(server.seen, ['jane']);
      assert.notEqual(await failureOf({ ...options, kubeconfig: test.kubeconfig({}) }), 'none');
    },
  },
];
