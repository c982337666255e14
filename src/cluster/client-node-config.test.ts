import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { inspect } from 'node:util';
import type { KubeConfig as KubeConfig1 } from '@kubernetes/client-node';
import type { KubeConfig as KubeConfig2 } from 'client-node-2';
import { describe, expect, it } from 'vitest';
import { defineResource } from '../api/resource.ts';
import { makeCertificate } from '../http/certificate-fixture.ts';
import { rejection, sendJson } from '../http/request-fixture.ts';
import { ScriptedServer } from '../http/scripted-server-fixture.ts';
import { silentLogger } from '../observe/logger.ts';
import type { ClientNodeConfig } from './client-node-config.ts';
import { Cluster } from './cluster.ts';

type KubeConfig = KubeConfig1 | KubeConfig2;

const ca = makeCertificate({ name: 'CA', ca: true });
const served = makeCertificate({ name: 'server', issuer: ca, hosts: ['127.0.0.1'] });
const alice = makeCertificate({ name: 'alice', issuer: ca });
const pods = defineResource({ version: 'v1', plural: 'pods', kind: 'Pod' });
const base64 = (text: string) => Buffer.from(text).toString('base64');

const versions: Array<[string, () => Promise<new () => KubeConfig>]> = [
  ['1.x', async () => (await import('@kubernetes/client-node')).KubeConfig],
  // With the undici of this package: its own does not load on Node 20, and its KubeConfig does not call it.
  ['2.x', async () => (await import('client-node-2')).KubeConfig],
];

function serve() {
  return ScriptedServer.http(
    (request: IncomingMessage, response) => {
      const { authorization, 'impersonate-user': as } = request.headers;
      const peer = (request.socket as TLSSocket).getPeerCertificate().subject?.CN;
      sendJson(response, 200, { path: request.url, authorization, as, peer });
    },
    { cert: served.certificate, key: served.key, ca: ca.certificate, requestCert: true, rejectUnauthorized: false },
  );
}

async function whoAmI(config: ClientNodeConfig): Promise<unknown> {
  await using cluster = Cluster.from(config, { logger: silentLogger });
  return await cluster.client(pods).get('p');
}

describe.each(versions)('Cluster.from a KubeConfig of client-node %s', (_version, load) => {
  const yaml = (server: string, user: string) => `
apiVersion: v1
kind: Config
current-context: main
contexts: [{name: main, context: {cluster: c, user: u, namespace: team}}]
clusters: [{name: c, cluster: {server: "${server}", certificate-authority-data: ${base64(ca.certificate)}}}]
users: [{name: u, user: {${user}}}]
`;

  it('takes cluster, namespace and login over', async () => {
    const KubeConfig = await load();
    await using server = await serve();
    const folder = await mkdtemp(join(tmpdir(), 'tidewatch-client-node-'));
    const answer = {
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      status: { token: 'of-plugin' },
    };
    await writeFile(join(folder, 'answer'), JSON.stringify(answer));
    await writeFile(join(folder, 'token'), 'of-file');
    const path = '/api/v1/namespaces/team/pods/p';
    const cases: Array<[string, object]> = [
      ['token: abc', { path, authorization: 'Bearer abc' }],
      ['username: u, password: p', { path, authorization: `Basic ${base64('u:p')}` }],
      [
        `client-certificate-data: ${base64(alice.certificate)}, client-key-data: ${base64(alice.key)}`,
        { path, peer: 'alice' },
      ],
      [
        `exec: {command: cat, args: ["${join(folder, 'answer')}"], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}`,
        { path, authorization: 'Bearer of-plugin' },
      ],
      [
        `auth-provider: {name: tokenFile, config: {tokenFile: "${join(folder, 'token')}"}}`,
        { path, authorization: 'Bearer of-file' },
      ],
      ['token: abc, as: jane', { path, authorization: 'Bearer abc', as: 'jane' }],
    ];
    for (const [user, expected] of cases) {
      const config = new KubeConfig();
      config.loadFromString(yaml(server.url, user));
      expect(await whoAmI(config), user).toEqual(expected);
    }
    await rm(folder, { recursive: true });
  });

  it('runs no command that the option exec does not allow, wherever the KubeConfig names it', async () => {
    const KubeConfig = await load();
    await using server = await serve();
    const folder = await mkdtemp(join(tmpdir(), 'tidewatch-client-node-'));
    const command = join(folder, 'aws');
    await writeFile(command, `#!/bin/sh\ntouch "${folder}/ran"\n`, { mode: 0o755 });
    const exec = `{command: ./aws, args: [], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}`;
    const before = process.cwd();
    process.chdir(folder);
    try {
      for (const user of [
        `exec: ${exec}`,
        `auth-provider: {name: exec, config: {exec: ${exec}}}`,
        `exec: ${exec}, auth-provider: {name: gcp, config: {}}`,
        `auth-provider: {name: gcp, config: {cmd-path: ./aws, expiry-key: "{.x}", token-key: "{.y}"}}`,
      ]) {
        const config = new KubeConfig();
        config.loadFromString(yaml(server.url, user));
        for (const policy of ['forbid', { allow: ['aws'] }] as const) {
          await using cluster = Cluster.from(config, { logger: silentLogger, exec: policy });
          const error = await rejection(cluster.client(pods).get('p'));
          expect(error, user).toMatchObject({ kind: 'credentials', message: expect.stringContaining('not allow') });
        }
      }
      expect(await readdir(folder)).toEqual(['aws']);
    } finally {
      process.chdir(before);
      await rm(folder, { recursive: true });
    }
  });

  it('shows no password of a URL', async () => {
    const KubeConfig = await load();
    const config = new KubeConfig();
    config.loadFromString(yaml('https://user:hunter2@127.0.0.1:1/path/', 'token: abc'));
    await using cluster = Cluster.from(config, { logger: silentLogger });
    expect(cluster.server).toBe('https://127.0.0.1:1/path');
    const error = await rejection(cluster.client(pods).get('p'));
    expect(inspect([cluster, cluster.transport, error], { depth: 10, showHidden: true })).not.toContain('hunter2');
  });

  it('leaves a login that only client-node knows to it', async () => {
    const KubeConfig = await load();
    await using server = await serve();
    const config = new KubeConfig();
    config.loadFromString(yaml(server.url, 'auth-provider: {name: custom, config: {x: y}}'));
    let asked = 0;
    config.addAuthenticator({
      isAuthProvider: (user) => (user.authProvider as { name?: string } | undefined)?.name === 'custom',
      applyAuthentication: async (_user, options) => {
        asked += 1;
        options.headers = { ...options.headers, Authorization: 'Bearer by-client-node' };
      },
    });
    expect(await whoAmI(config)).toMatchObject({ authorization: 'Bearer by-client-node' });
    expect(asked).toBe(1);
  });

  it('says that there is no cluster', async () => {
    const KubeConfig = await load();
    const config = new KubeConfig();
    config.loadFromString('clusters: []\nusers: []\ncontexts: []\ncurrent-context: x\n');
    expect(() => Cluster.from(config)).toThrow('no cluster with a server for its current context "x"');
  });
});
