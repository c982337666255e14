import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '../src/api/api-error.ts';
import type { KubernetesObject } from '../src/api/metadata.ts';
import { defineResource } from '../src/api/resource.ts';
import { TransportError } from '../src/api/transport-error.ts';
import { Cluster } from '../src/cluster/cluster.ts';
import type { ConnectOptions } from '../src/cluster/connect-options.ts';
import { makeCertificate } from '../src/http/certificate-fixture.ts';
import { silentLogger } from '../src/observe/logger.ts';
import { ControlPlane } from '../src/testing/control-plane.ts';

interface SelfSubjectReview extends KubernetesObject {
  status?: { userInfo?: { username?: string; groups?: string[]; extra?: Record<string, string[]> } };
}

const configMaps = defineResource<KubernetesObject & { data?: Record<string, string> }>({
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
});
const secrets = defineResource({ version: 'v1', plural: 'secrets', kind: 'Secret' });
const reviews = defineResource<SelfSubjectReview>({
  group: 'authentication.k8s.io',
  version: 'v1',
  plural: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  namespaced: false,
});

const NOBODY = 'token-of-somebody-without-rights';
let plane: ControlPlane;
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-login-'));
  plane = await ControlPlane.start({ clientCertificates: true, tokens: [{ token: NOBODY, user: 'nobody' }] });
});

afterAll(async () => {
  await plane?.stop();
  await rm(folder, { recursive: true });
});

async function kubeconfig(user: string, cluster: { server?: string; ca?: string } = {}): Promise<string> {
  const path = join(folder, `config-${Math.random()}`);
  const ca = Buffer.from(cluster.ca ?? plane.ca).toString('base64');
  await writeFile(
    path,
    `current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "${cluster.server ?? plane.server}", certificate-authority-data: ${ca}}}]
users:
- name: u
  user: ${user}
`,
  );
  return path;
}

async function whoAmI(options: ConnectOptions) {
  await using cluster = await Cluster.connect({ logger: silentLogger, ...options });
  const { status } = await cluster.client(reviews).create({});
  return status?.userInfo;
}

describe('logging in to a real API server', () => {
  it('by token, in a kubeconfig, in a file, or as an option', async () => {
    const admin = { username: 'tidewatch-admin' };
    expect(await whoAmI({ kubeconfig: plane.kubeconfigFile() })).toMatchObject(admin);
    await writeFile(join(folder, 'token'), `${plane.token}\n`);
    expect(await whoAmI({ kubeconfig: await kubeconfig('{tokenFile: token}') })).toMatchObject(admin);
    expect(
      await whoAmI({ server: plane.server, certificateAuthority: plane.ca, token: plane.token, env: {} }),
    ).toMatchObject(admin);
  });

  it('by client certificate, as data and as files', async () => {
    const { certificate, key } = await plane.clientCertificate('carol', ['builders']);
    const carol = { username: 'carol', groups: expect.arrayContaining(['builders']) };
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const data = `{client-certificate-data: ${base64(certificate)}, client-key-data: ${base64(key)}}`;
    expect(await whoAmI({ kubeconfig: await kubeconfig(data) })).toMatchObject(carol);
    await writeFile(join(folder, 'carol.crt'), certificate);
    await writeFile(join(folder, 'carol.key'), key);
    const files = '{client-certificate: carol.crt, client-key: carol.key}';
    expect(await whoAmI({ kubeconfig: await kubeconfig(files) })).toMatchObject(carol);
  });

  it('by an exec plugin that gives a token or a certificate, and again when its token is refused', async () => {
    const { certificate, key } = await plane.clientCertificate('dave');
    const plugin = async (name: string, body: string) => {
      const file = join(folder, name);
      await writeFile(
        file,
        `#!${process.execPath}
const { apiVersion } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const fs = require('fs');
fs.appendFileSync(__filename + '.runs', 'x');
const run = fs.readFileSync(__filename + '.runs', 'utf8').length;
const status = ${body};
console.log(JSON.stringify({ apiVersion, kind: 'ExecCredential', status }));
`,
        { mode: 0o755 },
      );
      return `{exec: {command: ./${name}, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never}}`;
    };
    const byToken = await kubeconfig(
      await plugin('token-plugin', `{ token: run === 1 ? 'stale' : ${JSON.stringify(plane.token)} }`),
    );
    expect(await whoAmI({ kubeconfig: byToken })).toMatchObject({ username: 'tidewatch-admin' });
    expect(await readFile(join(folder, 'token-plugin.runs'), 'utf8')).toBe('xx');
    const pair = JSON.stringify({ clientCertificateData: certificate, clientKeyData: key });
    const byCertificate = await kubeconfig(await plugin('certificate-plugin', pair));
    expect(await whoAmI({ kubeconfig: byCertificate })).toMatchObject({ username: 'dave' });
    await expect(whoAmI({ kubeconfig: byCertificate, exec: 'forbid' })).rejects.toThrow('does not allow it to run');
  });

  it('as somebody else', async () => {
    const user = `{token: ${plane.token}, as: jane, as-uid: u1, as-groups: [dev, ops], as-user-extra: {"example.org/Scope": [a, b]}}`;
    expect(await whoAmI({ kubeconfig: await kubeconfig(user) })).toMatchObject({
      username: 'jane',
      uid: 'u1',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { 'example.org/scope': ['a', 'b'] },
    });
  });
});

describe('what goes wrong', () => {
  /** One request and its error, with everything that the server saw counted by the transport. */
  async function failure(options: ConnectOptions): Promise<{ error: unknown; requests: number }> {
    let requests = 0;
    const counting = {
      add: () => {
        requests += 1;
      },
    };
    const nothing = { add: () => {}, set: () => {}, observe: () => {} };
    const metrics = { counter: () => counting, gauge: () => nothing, histogram: () => nothing };
    await using cluster = await Cluster.connect({ logger: silentLogger, metrics, ...options });
    const error: unknown = await cluster
      .client(secrets)
      .list()
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    return { error, requests };
  }

  it('is told apart and readable, and is not tried again', async () => {
    const other = makeCertificate({ name: 'another CA', ca: true });
    const token = `{token: ${plane.token}}`;

    const wrongCa = await failure({ kubeconfig: await kubeconfig(token, { ca: other.certificate }) });
    expect(wrongCa.error).toBeInstanceOf(TransportError);
    expect(wrongCa.error).toMatchObject({ kind: 'tls-ca', message: expect.stringContaining('certificate-authority') });

    const wrongName = await failure({ kubeconfig: await kubeconfig(token), tlsServerName: 'elsewhere.example.com' });
    expect(wrongName.error).toMatchObject({
      kind: 'tls-name',
      message: expect.stringContaining('elsewhere.example.com'),
    });

    const refused = await failure({ kubeconfig: await kubeconfig(token, { server: 'https://127.0.0.1:1' }) });
    expect(refused.error).toMatchObject({ kind: 'refused', message: expect.stringContaining('nothing listens there') });

    const unauthorized = await failure({ kubeconfig: await kubeconfig('{token: wrong}') });
    expect(unauthorized.error).toMatchObject({ code: 401, reason: 'Unauthorized' });

    const forbidden = await failure({ kubeconfig: await kubeconfig(`{token: ${NOBODY}}`) });
    expect(forbidden.error).toBeInstanceOf(ApiError);
    expect(forbidden.error).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: expect.stringContaining('User "nobody" cannot list resource "secrets"'),
    });

    const attempts = [wrongCa, wrongName, refused, unauthorized, forbidden];
    expect(attempts.map((one) => one.requests)).toEqual([1, 1, 1, 1, 1]);
    const messages = attempts.map((one) => (one.error as Error).message);
    expect(new Set(messages).size).toBe(messages.length);
    for (const message of messages) expect(message).not.toContain(plane.token);
  });

  it('includes a server whose certificate, or whose CA, has expired', async () => {
    const past = { notBefore: new Date(Date.now() - 7_200_000), notAfter: new Date(Date.now() - 3_600_000) };
    const expiredCa = makeCertificate({ name: 'old CA', ca: true, ...past });
    const ofExpiredCa = makeCertificate({ name: 'server', issuer: expiredCa, hosts: ['127.0.0.1'] });
    await writeFile(join(folder, 'expired.crt'), ofExpiredCa.certificate);
    await writeFile(join(folder, 'expired.key'), ofExpiredCa.key);
    await using old = await ControlPlane.start({
      flags: {
        apiserver: [`--tls-sni-cert-key=${join(folder, 'expired.crt')},${join(folder, 'expired.key')}:old.test`],
      },
    });
    const kubeconfigOf = await kubeconfig(`{token: ${old.token}}`, { server: old.server, ca: expiredCa.certificate });
    await writeFile(
      kubeconfigOf,
      (await readFile(kubeconfigOf, 'utf8')).replace('server:', 'tls-server-name: old.test, server:'),
    );
    const { error, requests } = await failure({ kubeconfig: kubeconfigOf });
    expect(error).toMatchObject({ kind: 'tls-expired', message: expect.stringContaining('expired') });
    expect(requests).toBe(1);
  });
});

describe('a client of a real API server', () => {
  it('creates, reads, changes, applies, lists in pages, watches and deletes', async () => {
    await using cluster = await Cluster.connect({ kubeconfig: plane.kubeconfigFile(), logger: silentLogger });
    const client = cluster.client(configMaps, { fieldManager: 'of the client' });
    const made = await client.create({ metadata: { name: 'one', labels: { test: 'client' } } });
    expect(made).toMatchObject({ kind: 'ConfigMap', metadata: { namespace: 'default' } });
    await client.update({ ...made, metadata: { ...made.metadata, labels: { test: 'client', updated: 'yes' } } });
    await expect(client.update(made)).rejects.toMatchObject({ code: 409 });
    await client.patch('one', { metadata: { annotations: { merge: 'yes' } } });
    await client.patch('one', [{ op: 'add', path: '/metadata/annotations/json', value: 'yes' }], { type: 'json' });
    await client.patch('one', { metadata: { annotations: { strategic: 'yes' } } }, { type: 'strategic' });
    const applied = await client.apply(
      { metadata: { name: 'one', annotations: { applied: 'yes' } } },
      { fieldManager: 'test' },
    );
    expect(applied.metadata?.annotations).toEqual({ merge: 'yes', json: 'yes', strategic: 'yes', applied: 'yes' });
    await client.apply({ metadata: { name: 'two', labels: { test: 'client' } } });
    await client.apply({ metadata: { name: 'three', labels: { test: 'client' } } }, { dryRun: true });
    const names: Array<string | undefined> = [];
    let pages = 0;
    for await (const page of client.listPages({ labelSelector: 'test=client', limit: 1 })) {
      pages += 1;
      names.push(...page.items.map((item) => `${item.kind} ${item.metadata?.name}`));
    }
    expect(names).toEqual(['ConfigMap one', 'ConfigMap two']);
    expect(pages).toBeGreaterThan(1);

    const start = await client.list({ labelSelector: 'test=client' });
    const events: string[] = [];
    const watch = client.watch({
      labelSelector: 'test=client',
      resourceVersion: start.metadata?.resourceVersion ?? '',
    });
    const next = watch.next();
    await client.delete('two', { preconditions: { uid: start.items[1]?.metadata?.uid ?? '' } });
    const first = await next;
    if (!first.done) events.push(first.value.type);
    await watch.return();
    expect(events).toEqual(['DELETED']);

    await client.deleteCollection({ labelSelector: 'test=client' });
    expect((await client.list({ labelSelector: 'test=client' })).items).toEqual([]);
    await expect(client.get('one')).rejects.toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it('keeps the fields of two managers of one object, and sends the manager with every write', async () => {
    const connect = (fieldManager: string) =>
      Cluster.connect({ kubeconfig: plane.kubeconfigFile(), logger: silentLogger, fieldManager });
    await using first = await connect('one');
    await using second = await connect('two');
    const [one, two] = [first.client(configMaps), second.client(configMaps)];
    const metadata = { name: 'shared', labels: { test: 'managers' } };
    await one.apply({ metadata, data: { a: '1' } });
    await two.apply({ metadata, data: { b: '2' } });
    const both = await one.apply({ metadata, data: { a: '3' } });
    expect(both.data).toEqual({ a: '3', b: '2' });
    await expect(two.apply({ metadata, data: { a: '4' } })).rejects.toMatchObject({ code: 409 });
    await two.patch('shared', { data: { c: '5' } });
    const managers = (await one.get('shared')).metadata?.managedFields?.map(
      ({ manager, operation }) => `${manager} ${operation}`,
    );
    expect(managers?.sort()).toEqual(['one Apply', 'two Apply', 'two Update']);
    await expect(one.create({ metadata: { name: 'long' } }, { fieldManager: 'é'.repeat(65) })).rejects.toThrow(
      TypeError,
    );
    expect((await one.create({ metadata: { name: 'odd' } }, { fieldManager: `${'é'.repeat(60)} (潮)` })).kind).toBe(
      'ConfigMap',
    );
    await one.delete('shared');
    await one.delete('odd');
  });

  it('reads a compressed list', async () => {
    await using cluster = await Cluster.connect({ kubeconfig: plane.kubeconfigFile(), logger: silentLogger });
    const client = cluster.client(configMaps);
    const filler = 'abcdefghij'.repeat(10_000);
    for (let i = 0; i < 4; i++) {
      await client.create({ metadata: { name: `big-${i}`, annotations: { filler } } });
    }
    const response = await cluster.transport.request({ method: 'GET', path: '/api/v1/configmaps' });
    let bytes = 0;
    for await (const chunk of response.body) bytes += chunk.length;
    expect(bytes).toBeGreaterThan(400_000);
    const list = await client.list();
    expect(list.items.find((item) => item.metadata?.name === 'big-3')?.metadata?.annotations?.filler).toBe(filler);
  });

  it('finds every resource that kubectl finds', async () => {
    await using cluster = await Cluster.connect({ kubeconfig: plane.kubeconfigFile(), logger: silentLogger });
    const { stdout } = await plane.kubectl(['api-resources', '-o', 'name']);
    const expected = stdout.trim().split('\n').sort();
    const found = await cluster.discovery.preferredResources();
    expect(found.map((one) => (one.group === '' ? one.plural : `${one.plural}.${one.group}`)).sort()).toEqual(expected);
    expect(await cluster.discovery.find('deploy')).toMatchObject({
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      namespaced: true,
    });
    expect(await cluster.discovery.find('ns')).toMatchObject({ plural: 'namespaces', namespaced: false });
  });
});
