import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rejection } from '../http/request-fixture.ts';
import { KubeconfigError } from './kubeconfig.ts';
import { loadKubeconfig } from './kubeconfig-loader.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidewatch-kubeconfig-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, text);
  return path;
}

const fromEnv = (...files: string[]) => loadKubeconfig({ env: { KUBECONFIG: files.join(delimiter) } });

describe('loadKubeconfig', () => {
  it('merges several files: the first to define a name wins, whole', async () => {
    const a = await file(
      'a',
      `
clusters:
- {name: one, cluster: {server: https://one.a}}
users:
- {name: red, user: {token: from-a}}
`,
    );
    const b = await file(
      'b',
      `
current-context: from-b
clusters:
- {name: one, cluster: {server: https://one.b, tls-server-name: of-b}}
- {name: two, cluster: {server: https://two.b}}
users:
- {name: red, user: {username: of-b}}
contexts:
- {name: from-b, context: {cluster: two, user: red, namespace: ns}}
`,
    );
    const c = await file('c', 'current-context: from-c\n');
    const config = await fromEnv(a, b, c);
    expect(config.currentContext).toBe('from-b');
    expect(config.currentContextFile).toBe(b);
    expect(config.files).toEqual([a, b, c]);
    expect(config.clusters.get('one')).toMatchObject({ file: a, server: 'https://one.a', tlsServerName: '' });
    expect(config.clusters.get('two')).toMatchObject({ file: b, server: 'https://two.b' });
    expect(config.users.get('red')).toMatchObject({ file: a, username: '' });
    expect(config.users.get('red')?.token?.reveal()).toBe('from-a');
    expect(config.contexts.get('from-b')).toMatchObject({ cluster: 'two', user: 'red', namespace: 'ns' });
  });

  it('skips files in KUBECONFIG that are missing or empty, and empty names', async () => {
    const empty = await file('empty', '');
    const good = await file('good', 'current-context: x\n');
    expect((await fromEnv(join(folder, 'missing'), '', empty, good, good)).currentContext).toBe('x');
    expect((await fromEnv(join(folder, 'missing'))).files).toEqual([]);
  });

  it('refuses a named file that is missing', async () => {
    const path = join(folder, 'missing');
    expect(await rejection(loadKubeconfig({ paths: [path], env: {} }))).toMatchObject({
      name: 'KubeconfigError',
      file: path,
      message: `the kubeconfig ${path} cannot be used: it does not exist`,
    });
  });

  it('looks only at the named files when there are any', async () => {
    const named = await file('named', 'current-context: named\n');
    const other = await file('other', 'current-context: other\n');
    const config = await loadKubeconfig({ paths: [named], env: { KUBECONFIG: other } });
    expect(config.currentContext).toBe('named');
  });

  it('finds ~/.kube/config by HOME, else by USERPROFILE, and only without KUBECONFIG', async () => {
    await file('home/.kube/config', 'current-context: home\n');
    await file('profile/.kube/config', 'current-context: profile\n');
    const home = join(folder, 'home');
    const profile = join(folder, 'profile');
    const current = async (env: Record<string, string>) => (await loadKubeconfig({ env })).currentContext;
    expect(await current({ HOME: home, USERPROFILE: profile })).toBe('home');
    expect(await current({ USERPROFILE: profile })).toBe('profile');
    expect(await current({})).toBe('');
    expect(await current({ HOME: home, KUBECONFIG: join(folder, 'missing') })).toBe('');
    expect(await current({ HOME: home, KUBECONFIG: '' })).toBe('home');
  });

  it('resolves paths against their own file', async () => {
    const path = await file(
      'deep/config',
      `
clusters:
- {name: c, cluster: {server: s, certificate-authority: ../ca.crt}}
users:
- name: files
  user: {client-certificate: ./u.crt, client-key: /abs/u.key, tokenFile: token}
- {name: path, user: {exec: {command: bin/login, apiVersion: client.authentication.k8s.io/v1beta1}}}
- {name: bare, user: {exec: {command: login, apiVersion: client.authentication.k8s.io/v1}}}
`,
    );
    const { clusters, users } = await fromEnv(path);
    expect(clusters.get('c')?.certificateAuthority).toBe(join(folder, 'ca.crt'));
    expect(users.get('files')).toMatchObject({
      clientCertificate: join(folder, 'deep/u.crt'),
      clientKey: '/abs/u.key',
      tokenFile: join(folder, 'deep/token'),
    });
    expect(users.get('path')?.exec).toMatchObject({
      command: join(folder, 'deep/bin/login'),
      interactiveMode: 'IfAvailable',
    });
    expect(users.get('bare')?.exec).toMatchObject({ command: 'login', interactiveMode: '' });
  });

  it('keeps names that JavaScript objects do not like', async () => {
    const path = await file(
      'f',
      'clusters:\n- {name: __proto__, cluster: {server: a}}\n- {name: constructor, cluster: {server: b}}\n',
    );
    const { clusters } = await fromEnv(path);
    expect([...clusters.keys()]).toEqual(['__proto__', 'constructor']);
    expect(clusters.get('__proto__')?.server).toBe('a');
  });

  it('reads YAML as Go does: merge keys, yes and no, the first document alone, a BOM', async () => {
    const path = await file(
      'f',
      '\uFEFFbase: &b {server: x, disable-compression: on}\nclusters:\n- name: a\n  cluster: {<<: *b, tls-server-name: 2020-01-01}\n---\nclusters: nonsense\n',
    );
    expect((await fromEnv(path)).clusters.get('a')).toMatchObject({
      server: 'x',
      disableCompression: true,
      tlsServerName: '2020-01-01',
    });
  });

  it.each([
    ['current-context: [\n', 'is not YAML: .* at line \\d+, column \\d+'],
    ['\tx: 1\n', 'is not YAML: .* at line 1, column \\d'],
    ['just some text', 'is not a kubeconfig: it holds plain text'],
    ['- a\n- b\n', 'is not a kubeconfig: it holds a list'],
    ['apiVersion: v2\nkind: Config\n', 'is not a kubeconfig: it is of kind "Config", apiVersion "v2"'],
    ['kind: Pod\napiVersion: v1\n', 'is not a kubeconfig: it is of kind "Pod"'],
    ['clusters: {}\n', ': clusters should be a list but is a mapping'],
    ['users:\n- name: 123\n', ': users\\[0\\].name should be a string but is a number \\(quote it\\)'],
    ['users:\n- name: a\n  user: {token: 0x10}\n', ': users\\[0\\].user.token should be a string but is a number'],
    ['users:\n- name: a\n  user: [hunter2]\n', ': users\\[0\\].user should be a mapping but is a list'],
    [
      'clusters:\n- {name: a, cluster: {insecure-skip-tls-verify: "yes"}}\n',
      'insecure-skip-tls-verify should be true or false but is plain text',
    ],
    ['users:\n- {name: a, user: {client-key-data: "!hunter2"}}\n', ': users\\[0\\].user.client-key-data is not base64'],
    ['users:\n- {name: a, user: {client-key-data: "YQ"}}\n', 'is not base64'],
    ['users:\n- name: a\n- name: a\n', ': users has two entries with the name "a"'],
    ['users:\n- {name: a, user: {exec: {args: [1]}}}\n', ': users\\[0\\].user.exec.args\\[0\\] should be a string'],
    ['x: *unknown\n', 'is not (usable )?YAML'],
  ])('says in one sentence what is wrong with %j', async (text, pattern) => {
    const path = await file('broken', text);
    const error = (await rejection(fromEnv(path))) as KubeconfigError;
    expect(error).toBeInstanceOf(KubeconfigError);
    expect(error.file).toBe(path);
    expect(error.message.startsWith(path)).toBe(true);
    expect(error.message).toMatch(new RegExp(pattern));
    expect(error.message).not.toContain('\n');
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain('hunter2');
  });

  it('never shows the text of a file that is not YAML', async () => {
    const path = await file('broken', 'users:\n- name: a\n  user:\n    token: hunter2\n   password: hunter2: [\n');
    const error = await rejection(fromEnv(path));
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain('hunter2');
  });

  it('shows no secret when the configuration is printed or serialised', async () => {
    const base64 = Buffer.from('hunter2').toString('base64');
    const path = await file(
      'f',
      `
clusters:
- {name: c, cluster: {server: s, proxy-url: "http://u:hunter2@p"}}
users:
- name: u
  user:
    token: hunter2
    username: u
    password: hunter2
    client-key-data: ${base64}
    client-certificate-data: ${base64}
    auth-provider: {name: oidc, config: {refresh-token: hunter2}}
    exec: {command: c, args: [hunter2], env: [{name: A, value: hunter2}]}
`,
    );
    const config = await fromEnv(path);
    const printed = inspect(config, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true });
    const plain = JSON.stringify([...config.users.values(), ...config.clusters.values()]);
    for (const text of [printed, plain]) {
      expect(text).toContain('[secret]');
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain(base64);
      expect(text).not.toContain(Buffer.from('hunter2').toString('hex'));
      expect(text).not.toContain('68 75 6e 74 65 72 32');
    }
  });

  it('writes nothing', async () => {
    const path = await file('f', 'current-context: x\n');
    const before = await readdir(folder, { recursive: true });
    await fromEnv(path, join(folder, 'missing'));
    expect(await readdir(folder, { recursive: true })).toEqual(before);
  });
});
