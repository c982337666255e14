import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Kubeconfig } from '../src/login/kubeconfig.ts';
import { loadKubeconfig } from '../src/login/kubeconfig-loader.ts';
import { findProgram } from '../src/testing/control-plane/assets.ts';

const kubectl = findKubectl();

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-merge-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Each case: the files, by name, in the order of KUBECONFIG; names that begin with "-" are written but not listed. */
const cases: Record<string, Record<string, string>> = {
  'one file': {
    a: 'current-context: x\nclusters:\n- {name: c, cluster: {server: "https://s:6443"}}\ncontexts:\n- {name: x, context: {cluster: c, user: u, namespace: ns}}\nusers:\n- {name: u, user: {token: t}}\n',
  },
  'the first definition of a name wins whole': {
    a: 'users:\n- {name: red, user: {token: a}}\nclusters:\n- {name: c, cluster: {server: a}}\n',
    b: 'users:\n- {name: red, user: {username: b, password: b}}\n- {name: blue, user: {token: b}}\nclusters:\n- {name: c, cluster: {server: b, tls-server-name: b}}\n',
  },
  'the first current-context that is set wins, also when its context comes from elsewhere': {
    a: 'current-context: ""\n',
    b: 'current-context: of-b\n',
    c: 'current-context: of-c\ncontexts:\n- {name: of-b, context: {cluster: x, user: u}}\n',
  },
  'missing, empty and blank files are skipped': {
    a: '',
    'missing-1': '\0',
    b: '# only a comment\n',
    c: '\n\n',
    d: 'current-context: d\n',
  },
  'an empty definition still wins': {
    a: 'clusters:\n- name: c\nusers:\n- {name: u, user: null}\n',
    b: 'clusters:\n- {name: c, cluster: {server: b}}\nusers:\n- {name: u, user: {token: b}}\n',
  },
  'an entry without a name': {
    a: 'clusters:\n- cluster: {server: nameless}\n',
    b: 'clusters:\n- cluster: {server: other}\n',
  },
  'relative paths belong to their file': {
    'one/config':
      'clusters:\n- {name: c, cluster: {server: s, certificate-authority: pki/ca.crt}}\nusers:\n- {name: u, user: {client-certificate: ../u.crt, client-key: ./u.key, tokenFile: tok}}\n',
    'two/config':
      'users:\n- {name: e, user: {exec: {command: bin/x, apiVersion: client.authentication.k8s.io/v1beta1}}}\n- {name: f, user: {exec: {command: x, apiVersion: client.authentication.k8s.io/v1, interactiveMode: Never, args: [a], env: [{name: A, value: b}], installHint: get it, provideClusterInfo: true}}}\n',
    '-one/pki/ca.crt': 'CA',
    '-u.crt': 'CRT',
    '-one/u.key': 'KEY',
  },
  'data stays data': {
    a: 'clusters:\n- {name: c, cluster: {server: s, certificate-authority-data: Q0E=}}\nusers:\n- {name: u, user: {client-certificate-data: "Q1JU", client-key-data: "S0\\nVZ"}}\n',
  },
  'every field of a user and of a cluster': {
    a: 'users:\n- {name: u, user: {as: a, as-uid: b, as-groups: [c, d], as-user-extra: {e: [f, g]}, username: h, password: i, token: j, auth-provider: {name: oidc, config: {k: l}}}}\nclusters:\n- {name: c, cluster: {server: s, tls-server-name: t, insecure-skip-tls-verify: true, proxy-url: "http://p", disable-compression: true}}\n',
  },
  'extensions and preferences': {
    a: 'preferences: {colors: true}\nextensions:\n- {name: e, extension: {a: 1}}\n',
    b: 'preferences: {colors: false, extensions: [{name: p, extension: {x: y}}]}\nextensions:\n- {name: e, extension: {b: 2}}\n- {name: f, extension: [1, two, null]}\nclusters:\n- {name: c, cluster: {server: s, extensions: [{name: client.authentication.k8s.io/exec, extension: {audience: z}}]}}\ncontexts:\n- {name: x, context: {cluster: c, user: "", extensions: [{name: g, extension: {h: i}}]}}\n',
  },
  'unknown fields, also in another case, are dropped': {
    a: 'unknown: 1\nCurrent-Context: no\nclusters:\n- {name: c, cluster: {server: s, Server: t, more: {}}}\n',
  },
  'YAML of the old kind': {
    a: 'base: &b {server: x, insecure-skip-tls-verify: yes}\nclusters:\n- {name: a, cluster: {<<: *b, tls-server-name: 2020-01-01}}\n- {name: b, cluster: {server: 12:30, disable-compression: Off}}\nusers:\n- name: "yes"\n  user:\n    token: >-\n      folded\n      text\n',
  },
  'a key that appears twice': { a: 'clusters:\n- {name: a, cluster: {server: first, server: second}}\n' },
  'only the first document counts': { a: 'current-context: a\n---\ncurrent-context: b\n' },
  JSON: { a: '{"current-context":"j","clusters":[{"name":"c","cluster":{"server":"s"}}]}' },
  'nulls everywhere': { a: 'clusters: null\nusers: ~\ncontexts: []\ncurrent-context: ~\npreferences: null\n' },
  'names that JavaScript does not like': {
    a: 'clusters:\n- {name: __proto__, cluster: {server: a}}\n- {name: constructor, cluster: {server: b}}\n',
  },
  'the same file twice': { a: 'current-context: a\n', b: 'users:\n- {name: u, user: {token: t}}\n' },
};

/** What kubectl refuses, we must refuse. */
const refused: Record<string, string> = {
  'not YAML': 'current-context: [\n',
  'plain text': 'hello world\n',
  'another version': 'apiVersion: v2\nkind: Config\n',
  'another kind': 'apiVersion: v1\nkind: Pod\n',
  'a number for a name': 'users:\n- {name: 123, user: {token: a}}\n',
  'a number for a token': 'users:\n- {name: a, user: {token: 123}}\n',
  'a boolean for a name': 'users:\n- {name: yes, user: {token: a}}\n',
  'two entries with one name': 'clusters:\n- {name: a, cluster: {server: b}}\n- {name: a, cluster: {server: c}}\n',
  'a bare y': 'contexts:\n- {name: a, context: {cluster: x, user: y}}\n',
  'a mapping for a list': 'clusters: {}\n',
  'broken base64': 'clusters:\n- {name: a, cluster: {server: b, certificate-authority-data: "!!!"}}\n',
  'base64 without padding': 'clusters:\n- {name: a, cluster: {server: b, certificate-authority-data: YQ}}\n',
  'a number among arguments': 'users:\n- {name: a, user: {exec: {command: b, apiVersion: c, args: [1]}}}\n',
};

/** That of the control plane, else the machine's. */
function findKubectl(): string {
  try {
    return findProgram('kubectl');
  } catch {
    return 'kubectl';
  }
}

async function kubectlView(env: Record<string, string>): Promise<unknown> {
  const args = ['config', 'view', '--merge', '--flatten', '--raw', '-o', 'json'];
  const { stdout } = await promisify(execFile)(kubectl, args, { env: { ...process.env, ...env }, cwd: folder });
  return withoutEmpty(JSON.parse(stdout));
}

/** Versions of kubectl differ in how they print what is not there. */
function withoutEmpty(value: unknown): unknown {
  const config = value as Record<string, unknown>;
  const { preferences, extensions, kind: _, apiVersion: __, ...rest } = config;
  return {
    ...rest,
    ...(preferences && Object.keys(preferences).length > 0 ? { preferences } : {}),
    ...(extensions ? { extensions } : {}),
  };
}

/** Our reading in the form in which `kubectl config view --flatten --raw` prints its own. */
async function view(config: Kubeconfig): Promise<unknown> {
  const data = async (path: string, bytes: Buffer | undefined) =>
    (path === '' ? bytes : await readFile(path))?.toString('base64');
  const named = async <T>(map: ReadonlyMap<string, T>, key: string, show: (value: T) => unknown) =>
    map.size === 0
      ? null
      : Promise.all([...map.keys()].sort().map(async (name) => ({ name, [key]: await show(map.get(name) as T) })));
  const extensions = async (map: ReadonlyMap<string, unknown>) =>
    map.size === 0 ? undefined : named(map, 'extension', (one) => one);
  const preferences = {
    colors: config.preferences.colors || undefined,
    extensions: await extensions(config.preferences.extensions),
  };
  const shown = {
    preferences,
    clusters: await named(config.clusters, 'cluster', async (one) => ({
      server: one.server,
      'tls-server-name': one.tlsServerName || undefined,
      'insecure-skip-tls-verify': one.insecureSkipTlsVerify || undefined,
      'certificate-authority-data': await data(one.certificateAuthority, one.certificateAuthorityData),
      'proxy-url': one.proxyUrl?.reveal(),
      'disable-compression': one.disableCompression || undefined,
      extensions: await extensions(one.extensions),
    })),
    users: await named(config.users, 'user', async (one) => ({
      'client-certificate-data': await data(one.clientCertificate, one.clientCertificateData?.reveal()),
      'client-key-data': await data(one.clientKey, one.clientKeyData?.reveal()),
      token: one.token?.reveal(),
      tokenFile: asWritten(one.tokenFile, one.file) || undefined,
      as: one.as || undefined,
      'as-uid': one.asUid || undefined,
      'as-groups': one.asGroups.length > 0 ? one.asGroups : undefined,
      'as-user-extra': one.asUserExtra.size > 0 ? Object.fromEntries(one.asUserExtra) : undefined,
      username: one.username || undefined,
      password: one.password?.reveal(),
      'auth-provider': one.authProvider && {
        name: one.authProvider.name,
        config: Object.fromEntries(one.authProvider.config.reveal()),
      },
      exec: one.exec && {
        command: asWritten(one.exec.command, one.file),
        args: one.exec.args.reveal().length > 0 ? one.exec.args.reveal() : null,
        env: one.exec.env.reveal().length > 0 ? one.exec.env.reveal() : null,
        apiVersion: one.exec.apiVersion,
        installHint: one.exec.installHint || undefined,
        provideClusterInfo: one.exec.provideClusterInfo,
        interactiveMode: one.exec.interactiveMode || undefined,
      },
      extensions: await extensions(one.extensions),
    })),
    contexts: await named(config.contexts, 'context', async (one) => ({
      cluster: one.cluster,
      user: one.user,
      namespace: one.namespace || undefined,
      extensions: await extensions(one.extensions),
    })),
    'current-context': config.currentContext,
    extensions: await extensions(config.extensions),
  };
  return withoutEmpty(JSON.parse(JSON.stringify(shown)));
}

/** `config view` leaves these two relative; kubectl resolves them, as we do, when it uses them. */
function asWritten(path: string, file: string): string {
  return isAbsolute(path) ? relative(dirname(file), path) : path;
}

async function write(files: Record<string, string>): Promise<string[]> {
  const listed: string[] = [];
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name.replace(/^-/, ''));
    if (!name.startsWith('-')) listed.push(path);
    if (text === '\0') continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return listed;
}

describe('kubeconfigs are merged as kubectl merges them', () => {
  it.each(Object.entries(cases))('%s', async (name, files) => {
    const listed = await write(files);
    if (name === 'the same file twice') listed.push(...listed, '');
    const env = { KUBECONFIG: listed.join(delimiter), HOME: folder };
    expect(await view(await loadKubeconfig({ env }))).toEqual(await kubectlView(env));
  });

  it('in the home folder', async () => {
    await write({ '.kube/config': 'current-context: home\n' });
    const env = { KUBECONFIG: '', HOME: folder };
    expect(await view(await loadKubeconfig({ env }))).toEqual(await kubectlView(env));
  });
});

describe('what kubectl refuses is refused', () => {
  it.each(Object.entries(refused))('%s', async (_name, text) => {
    const [path = ''] = await write({ broken: text });
    const env = { KUBECONFIG: path, HOME: folder };
    await expect(kubectlView(env)).rejects.toThrow();
    await expect(loadKubeconfig({ env })).rejects.toThrow(path);
  });
});
