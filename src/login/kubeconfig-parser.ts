import { isAbsolute, join, sep } from 'node:path';
import { Secret } from '../http/secret.ts';
import {
  type ExecInteractiveMode,
  type Kubeconfig,
  type KubeconfigAuthProvider,
  type KubeconfigCluster,
  type KubeconfigContext,
  KubeconfigError,
  type KubeconfigExec,
  type KubeconfigUser,
} from './kubeconfig.ts';
import { KubeconfigFields } from './kubeconfig-fields.ts';
import { parseYaml } from './yaml-reader.ts';

/**
 * Reads one kubeconfig file's text as kubectl does: YAML 1.1 or JSON, the first document alone, unknown fields
 * ignored, a wrong type or a name that appears twice refused. `folder` is where relative paths start.
 */
export async function parseKubeconfig(text: string, file: string, folder: string): Promise<Kubeconfig> {
  const root = new KubeconfigFields(await parseYaml(text, file), file, '');
  const kind = root.string('kind');
  const apiVersion = root.string('apiVersion');
  if ((kind !== '' && kind !== 'Config') || (apiVersion !== '' && apiVersion !== 'v1')) {
    throw new KubeconfigError(
      `${file} is not a kubeconfig: it is of kind "${kind}", apiVersion "${apiVersion}", and should be "Config" and "v1"`,
      { file },
    );
  }
  const currentContext = root.string('current-context');
  const preferences = root.object('preferences');
  return {
    currentContext,
    currentContextFile: currentContext === '' ? undefined : file,
    clusters: root.named('clusters', 'cluster', (fields) => cluster(fields, file, folder)),
    users: root.named('users', 'user', (fields) => user(fields, file, folder)),
    contexts: root.named('contexts', 'context', (fields) => context(fields, file)),
    extensions: root.extensions(),
    preferences: { colors: preferences.boolean('colors'), extensions: preferences.extensions() },
    files: [file],
  };
}

function cluster(fields: KubeconfigFields, file: string, folder: string): KubeconfigCluster {
  return {
    file,
    server: fields.string('server'),
    tlsServerName: fields.string('tls-server-name'),
    insecureSkipTlsVerify: fields.boolean('insecure-skip-tls-verify'),
    certificateAuthority: resolvePath(fields.string('certificate-authority'), folder),
    certificateAuthorityData: fields.bytes('certificate-authority-data'),
    proxyUrl: secret(fields.string('proxy-url')),
    disableCompression: fields.boolean('disable-compression'),
    extensions: fields.extensions(),
  };
}

function user(fields: KubeconfigFields, file: string, folder: string): KubeconfigUser {
  const certificate = fields.bytes('client-certificate-data');
  const key = fields.bytes('client-key-data');
  return {
    file,
    clientCertificate: resolvePath(fields.string('client-certificate'), folder),
    clientCertificateData: certificate && new Secret(certificate),
    clientKey: resolvePath(fields.string('client-key'), folder),
    clientKeyData: key && new Secret(key),
    token: secret(fields.string('token')),
    tokenFile: resolvePath(fields.string('tokenFile'), folder),
    as: fields.string('as'),
    asUid: fields.string('as-uid'),
    asGroups: fields.strings('as-groups'),
    asUserExtra: fields.stringLists('as-user-extra'),
    username: fields.string('username'),
    password: secret(fields.string('password')),
    authProvider: fields.has('auth-provider') ? authProvider(fields.object('auth-provider')) : undefined,
    exec: fields.has('exec') ? exec(fields.object('exec'), folder) : undefined,
    extensions: fields.extensions(),
  };
}

function authProvider(fields: KubeconfigFields): KubeconfigAuthProvider {
  return { name: fields.string('name'), config: new Secret(fields.stringMap('config')) };
}

function exec(fields: KubeconfigFields, folder: string): KubeconfigExec {
  const command = fields.string('command');
  const apiVersion = fields.string('apiVersion');
  const asked = fields.string('interactiveMode');
  const legacy = /^client\.authentication\.k8s\.io\/v1(alpha1|beta1)$/.test(apiVersion);
  return {
    // A bare name is looked up in PATH, so only a command with a separator is a path.
    command: command.includes(sep) ? resolvePath(command, folder) : command,
    args: new Secret(fields.strings('args')),
    env: new Secret(fields.objects('env').map((one) => ({ name: one.string('name'), value: one.string('value') }))),
    apiVersion,
    installHint: fields.string('installHint'),
    provideClusterInfo: fields.boolean('provideClusterInfo'),
    // Kept as written: a value that means nothing is reported by whoever uses this user.
    interactiveMode: (asked === '' && legacy ? 'IfAvailable' : asked) as ExecInteractiveMode | '',
  };
}

function context(fields: KubeconfigFields, file: string): KubeconfigContext {
  return {
    file,
    cluster: fields.string('cluster'),
    user: fields.string('user'),
    namespace: fields.string('namespace'),
    extensions: fields.extensions(),
  };
}

function resolvePath(path: string, folder: string): string {
  return path === '' || isAbsolute(path) ? path : join(folder, path);
}

function secret(value: string): Secret | undefined {
  return value === '' ? undefined : new Secret(value);
}
