import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineResource } from '../api/resource.ts';
import { makeCertificate } from '../http/certificate-fixture.ts';
import { rejection, sendJson } from '../http/request-fixture.ts';
import { ScriptedServer } from '../http/scripted-server-fixture.ts';
import { silentLogger } from '../observe/logger.ts';
import { Cluster } from './cluster.ts';
import type { ConnectOptions } from './connect-options.ts';

const ca = makeCertificate({ name: 'CA', ca: true });
const served = makeCertificate({ name: 'server', issuer: ca, hosts: ['127.0.0.1', 'kubernetes.test'] });
const alice = makeCertificate({ name: 'alice', issuer: ca });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const pods = defineResource({ version: 'v1', plural: 'pods', kind: 'Pod' });

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-cluster-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
  return path;
}

/** Answers with the headers that say who asks. */
function serve(secure: boolean) {
  const handler = (request: IncomingMessage, response: ServerResponse) => {
    const { authorization, 'impersonate-user': as, 'accept-encoding': encoding } = request.headers;
    sendJson(response, 200, { path: request.url, authorization, as, encoding });
  };
  return ScriptedServer.http(handler, secure ? { cert: served.certificate, key: served.key } : undefined);
}

interface Answer {
  path: string;
  authorization?: string;
  as?: string;
  encoding?: string;
}

async function whoAmI(options: ConnectOptions): Promise<Answer> {
  await using cluster = await Cluster.connect({ env: {}, logger: silentLogger, ...options });
  return (await cluster.client(pods).get('p')) as unknown as Answer;
}

const kubeconfig = (server: string, user: string, cluster = '') => `
current-context: main
contexts:
- {name: main, context: {cluster: c, user: u, namespace: team}}
- {name: other, context: {cluster: c, user: v}}
clusters:
- name: c
  cluster: {server: "${server}", certificate-authority-data: ${base64(ca.certificate)} ${cluster}}
users:
- {name: u, user: {${user}}}
- {name: v, user: {token: of-v}}
`;

describe('Cluster.connect', () => {
  it('takes server, CA, login and namespace from the current context', async () => {
    await using server = await serve(true);
    const path = await file('config', kubeconfig(server.url, 'token: of-u'));
    expect(await whoAmI({ env: { KUBECONFIG: path } })).toEqual({
      path: '/api/v1/namespaces/team/pods/p',
      authorization: 'Bearer of-u',
      encoding: 'gzip',
    });
  });

  it('lets options choose context, user and namespace', async () => {
    await using server = await serve(true);
    const path = await file('config', kubeconfig(server.url, 'token: of-u'));
    expect(await whoAmI({ kubeconfig: path, context: 'other' })).toMatchObject({
      path: '/api/v1/namespaces/default/pods/p',
      authorization: 'Bearer of-v',
    });
    expect(await whoAmI({ kubeconfig: [path], user: 'v', namespace: 'ns' })).toMatchObject({
      path: '/api/v1/namespaces/ns/pods/p',
      authorization: 'Bearer of-v',
    });
    expect(await whoAmI({ kubeconfig: path, token: 'mine', impersonate: { user: 'jane' } })).toMatchObject({
      authorization: 'Bearer mine',
      as: 'jane',
    });
  });

  it('follows disable-compression, tls-server-name and insecure-skip-tls-verify', async () => {
    await using server = await serve(true);
    const more = ', disable-compression: true, tls-server-name: kubernetes.test';
    const path = await file('config', kubeconfig(server.url, 'token: t', more));
    expect((await whoAmI({ kubeconfig: path })).encoding).toBeUndefined();
    const wrong = await file('wrong', kubeconfig(server.url, 'token: t', ', tls-server-name: elsewhere.test'));
    expect(await rejection(whoAmI({ kubeconfig: wrong }))).toMatchObject({ kind: 'tls-name' });
    expect(await whoAmI({ kubeconfig: wrong, tlsServerName: 'kubernetes.test' })).toBeDefined();
    // As kubectl: another server makes the name of the old one meaningless.
    expect(await whoAmI({ kubeconfig: wrong, server: server.url })).toBeDefined();
    const insecure = kubeconfig(server.url, 'token: t').replace(
      /certificate-authority-data: \S+/,
      'insecure-skip-tls-verify: true',
    );
    expect(await whoAmI({ kubeconfig: await file('insecure', insecure) })).toBeDefined();
    expect(await whoAmI({ kubeconfig: path, insecureSkipTlsVerify: true })).toBeDefined();
    expect(
      await whoAmI({ kubeconfig: await file('i2', insecure), certificateAuthority: ca.certificate }),
    ).toBeDefined();
  });

  it('connects to a server without kubeconfig and without login, and keeps the login of a kubeconfig off plain HTTP', async () => {
    await using plain = await serve(false);
    expect(await whoAmI({ server: plain.url })).toEqual({
      path: '/api/v1/namespaces/default/pods/p',
      encoding: 'gzip',
    });
    const path = await file('config', kubeconfig('https://127.0.0.1:1', 'token: of-u, as: jane'));
    expect(await whoAmI({ kubeconfig: path, server: plain.url })).toEqual({
      path: '/api/v1/namespaces/team/pods/p',
      as: 'jane',
      encoding: 'gzip',
    });
    expect((await whoAmI({ server: plain.url, token: 'mine' })).authorization).toBe('Bearer mine');
    expect(await whoAmI({ server: plain.url.replace('http://', '') })).toBeDefined();
  });

  it('logs in by token file, password and certificate', async () => {
    await using server = await serve(true);
    await file('token', 'from-file\n');
    const cases: Array<[string, string | undefined]> = [
      ['tokenFile: token', 'Bearer from-file'],
      ['token: inline, tokenFile: token', 'Bearer from-file'],
      ['username: u, password: p', `Basic ${base64('u:p')}`],
      [`client-certificate-data: ${base64(alice.certificate)}, client-key-data: ${base64(alice.key)}`, undefined],
    ];
    for (const [user, authorization] of cases) {
      const path = await file('config', kubeconfig(server.url, user));
      expect((await whoAmI({ kubeconfig: path })).authorization, user).toBe(authorization);
    }
  });

  it('runs an exec plugin only when there is no other login, and obeys the option exec', async () => {
    await using server = await serve(true);
    const answer = JSON.stringify({
      kind: 'ExecCredential',
      apiVersion: 'client.authentication.k8s.io/v1',
      status: { token: 'of-plugin' },
    });
    await file('answer', answer);
    const exec = `exec: {command: cat, args: ["${join(folder, 'answer')}"], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}`;
    const env = { PATH: process.env.PATH };
    const path = await file('config', kubeconfig(server.url, exec));
    expect((await whoAmI({ kubeconfig: path, env })).authorization).toBe('Bearer of-plugin');
    expect(await rejection(whoAmI({ kubeconfig: path, env, exec: 'forbid' }))).toMatchObject({ kind: 'credentials' });
    const both = await file('both', kubeconfig(server.url, `token: t, ${exec}`));
    expect((await whoAmI({ kubeconfig: both, env, exec: 'forbid' })).authorization).toBe('Bearer t');
  });

  it('uses the service account of a pod when nothing else is there, and reads token and CA as they rotate', async () => {
    await using server = await serve(true);
    await file('sa/token', 'first');
    await file('sa/ca.crt', ca.certificate);
    await file('sa/namespace', 'pod-ns\n');
    const { port } = server;
    const env = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: String(port), HOME: folder };
    const serviceAccountFolder = join(folder, 'sa');
    await using cluster = await Cluster.connect({ env, serviceAccountFolder, logger: silentLogger });
    expect(cluster).toMatchObject({ server: `https://127.0.0.1:${port}`, namespace: 'pod-ns' });
    const ask = async () => ((await cluster.client(pods).get('p')) as unknown as Answer).authorization;
    expect(await ask()).toBe('Bearer first');
    await file('sa/token', 'second');
    expect(await ask()).toBe('Bearer second');
    const named = await Cluster.connect({ env: { ...env, POD_NAMESPACE: 'given' }, serviceAccountFolder });
    expect(named.namespace).toBe('given');
    const path = await file('.kube/config', kubeconfig('https://elsewhere.test', 'token: x'));
    const ofFile = await Cluster.connect({ env, serviceAccountFolder });
    expect(ofFile.server, path).toBe('https://elsewhere.test');
  });

  it('keeps a path in the address of the server', async () => {
    await using plain = await serve(false);
    expect((await whoAmI({ server: `${plain.url}/k8s/clusters/c-1/` })).path).toBe(
      '/k8s/clusters/c-1/api/v1/namespaces/default/pods/p',
    );
  });

  it.each([
    [
      'context: nope',
      {},
      'current-context',
      /the context "nope", named by current-context of .*config, is not defined in .*config \(under contexts there are: "main", "other"\)/,
    ],
    ['', { context: 'nope' }, 'option', /the context "nope", named by the option `context`, is not defined/],
    ['', { cluster: 'nope' }, 'option', /the cluster "nope", named by the option `cluster`, is not defined/],
    ['', { user: 'nope' }, 'option', /the user "nope", named by the option `user`, is not defined/],
  ])('says in one sentence which name leads nowhere (%s %j)', async (current, options, _what, pattern) => {
    const text = kubeconfig('https://s', 'token: t');
    const path = await file(
      'config',
      current === '' ? text : text.replace('current-context: main', 'current-context: nope'),
    );
    const error = (await rejection(Cluster.connect({ kubeconfig: path, env: {}, ...options }))) as Error;
    expect(error.message).toMatch(pattern);
  });

  it('says in one sentence what is wrong with the chosen context, cluster or user', async () => {
    const good = kubeconfig('https://s', 'token: t');
    const cases: Array<[string, RegExp]> = [
      [
        good.replace('cluster: c, user: u', 'cluster: d, user: u'),
        /the cluster "d", named by cluster of the context "main" in .*config, is not defined/,
      ],
      [
        good.replace('cluster: c, user: u', 'cluster: c, user: w'),
        /the user "w", named by user of the context "main" in .*config, is not defined/,
      ],
      [good.replace('cluster: c, user: u', 'user: u'), /config: the context "main" names no cluster/],
      [good.replace('server: "https://s",', ''), /config: the cluster "c" has no server/],
      [
        good.replace('https://s', 'ftp://s'),
        /config: server must be a URL that begins with http:\/\/ or https:\/\/, and is "ftp:\/\/s"/,
      ],
      [
        good.replace('server: "https://s",', 'server: "https://s", proxy-url: "ftp://p",'),
        /config: proxy-url of the cluster "c" must be a URL/,
      ],
      [
        good.replace('server: "https://s",', 'server: "https://s", insecure-skip-tls-verify: true,'),
        /config: the cluster "c" has both a certificate authority and insecure-skip-tls-verify/,
      ],
      [
        good.replace(/certificate-authority-data: \S+/, 'certificate-authority: missing.crt'),
        /config: certificate-authority of the cluster "c" is .*missing.crt, which cannot be read/,
      ],
      [good.replace('token: t', 'token: t, username: x'), /config: the user "u" has both a token and a username/],
      [
        good.replace('token: t', 'client-certificate: x'),
        /config: the user "u" has a client certificate without client-key/,
      ],
      [
        good.replace('token: t', 'as-groups: [x]'),
        /config: the user "u" has as-uid, as-groups or as-user-extra without as/,
      ],
      [
        good.replace('token: t', 'exec: {command: x, apiVersion: client.authentication.k8s.io/v1}'),
        /the user "u" has an exec without interactiveMode/,
      ],
      [
        good.replace('token: t', 'auth-provider: {name: gcp}'),
        /the auth-provider "gcp" of the user "u" in .*config is not supported/,
      ],
      ['clusters: []\n', /no cluster to connect to: .*config has no current-context/],
    ];
    for (const [text, pattern] of cases) {
      const path = await file('config', text);
      const error = (await rejection(Cluster.connect({ kubeconfig: path, env: {} }))) as Error;
      expect(error.name).toBe('KubeconfigError');
      expect(error.message).toMatch(pattern);
      expect(error.message).not.toContain('\n');
    }
  });

  it('says where it looked when there is nothing', async () => {
    const missing = join(folder, 'missing');
    for (const env of [{}, { HOME: folder }, { KUBECONFIG: [missing, ''].join(delimiter) }]) {
      const error = (await rejection(Cluster.connect({ env, serviceAccountFolder: folder }))) as Error;
      expect(error.message).toMatch(
        /^no cluster to connect to: there is no kubeconfig \(looked for .*\) and this is not a pod/,
      );
    }
  });
});

describe('Cluster', () => {
  it('works over any transport', async () => {
    const cluster = Cluster.over({
      request: async () => ({
        status: 200,
        headers: new Map(),
        body: (async function* () {
          yield Buffer.from('{"kind":"Pod"}');
        })(),
      }),
      close: async () => {},
    });
    expect(cluster).toMatchObject({ server: 'in process', namespace: 'default' });
    expect(await cluster.client(pods).get('p')).toEqual({ kind: 'Pod' });
    await cluster[Symbol.asyncDispose]();
  });

  it('shows no password of a URL that cannot be used', async () => {
    for (const server of ['ftp://u:hunter2@x', 'https://u:hunt/er2@[x', 'http://u:hunt@er2@:x', 'u:hunter2@[x']) {
      const error = await rejection(Cluster.connect({ server, env: {} }));
      expect(String(error)).toContain('must be a URL');
      expect(inspect(error)).not.toMatch(/hunt|er2/);
    }
    const transport = { request: () => Promise.reject(new Error('no')), close: async () => {} };
    expect(Cluster.over(transport, { server: 'https://u:hunter2@x.test/' }).server).toBe('https://x.test');
  });

  it('shows no secret, however it is printed, nor do the errors of its requests', async () => {
    const secret = 'hunter2';
    await using server = await ScriptedServer.http((_request, response) => response.destroy());
    const users = [
      `token: ${secret}`,
      `username: u, password: ${secret}`,
      `exec: {command: sh, args: ["-c", "echo ${secret}; exit 1"], env: [{name: A, value: ${secret}}], apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}`,
      `auth-provider: {name: oidc, config: {idp-issuer-url: "http://127.0.0.1:1", client-id: x, client-secret: ${secret}, refresh-token: ${secret}}}`,
      `client-certificate-data: ${base64(alice.certificate)}, client-key-data: ${base64(secret)}`,
    ];
    for (const user of users) {
      const path = await file(
        'config',
        kubeconfig(server.url.replace('http:', 'https:'), user, `, proxy-url: "http://u:${secret}@127.0.0.1:1"`),
      );
      const lines: unknown[] = [];
      const log = (...args: unknown[]) => void lines.push(args);
      await using cluster = await Cluster.connect({
        kubeconfig: path,
        env: { PATH: process.env.PATH },
        logger: { debug: log, info: log, warn: log, error: log },
      });
      const error = await rejection(cluster.client(pods).list());
      const options = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true, showProxy: true };
      const printed = [
        inspect([cluster, cluster.transport, error, lines], options),
        JSON.stringify([cluster, cluster.transport, error, lines]),
        String(error),
        (error as Error).stack,
      ].join('\n');
      for (const form of [
        secret,
        base64(secret),
        base64(`u:${secret}`),
        '68 75 6e 74 65 72 32',
        alice.key.slice(40, 80),
      ]) {
        expect(printed, user).not.toContain(form);
      }
    }
  });
});
