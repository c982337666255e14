import { type Defined, defined, type Settled } from '../api/defined.ts';
import { FileContent } from '../http/file-content.ts';
import { tokenCredentials } from '../http/fixed-credentials.ts';
import type { Credentials } from '../http/http.ts';
import type { HttpTransportOptions } from '../http/http-transport.ts';
import { redacted } from '../http/public-url.ts';
import { Secret } from '../http/secret.ts';
import { proxyFromEnvironment } from '../http/socket/proxy.ts';
import type { TlsTrust } from '../http/socket/tls-trust.ts';
import { combineCredentials } from '../login/combined-credentials.ts';
import type { ExecClusterInfo } from '../login/exec-credentials.ts';
import { impersonationCredentials } from '../login/impersonation.ts';
import { type InClusterConfig, inClusterConfig, isFile } from '../login/in-cluster.ts';
import { type KubeconfigCluster, KubeconfigError } from '../login/kubeconfig.ts';
import {
  defaultKubeconfigFiles,
  isContent,
  type KubeconfigContent,
  type KubeconfigLoadOptions,
  loadKubeconfig,
} from '../login/kubeconfig-loader.ts';
import {
  checkCluster,
  checkUser,
  type KubeconfigSelection,
  selectFromKubeconfig,
} from '../login/kubeconfig-selection.ts';
import { impersonationOf, loginName, sentLogin, userCredentials } from '../login/login.ts';
import { parseProxyUrl } from '../login/proxy-url.ts';
import { TokenFileCredentials } from '../login/token-file-credentials.ts';
import { systemClock } from '../observe/clock.ts';
import { safeLogger } from '../observe/logger.ts';
import type { ConnectOptions } from './connect-options.ts';
import { givenAuthority } from './given-authority.ts';

export interface Connection {
  transport: HttpTransportOptions;
  namespace: string;
}

/** `ConnectOptions` with what everything below needs filled in. */
type Resolved = Defined<ConnectOptions> & Settled<Pick<ConnectOptions, 'env' | 'clock' | 'logger'>>;

/**
 * Finds the cluster and the login by kubectl's rules: options first, then the kubeconfig, then the pod's service
 * account. Reads files, opens no connection.
 */
export async function resolveConnection(given: ConnectOptions): Promise<Connection> {
  const options = defined(given);
  const resolved: Resolved = {
    ...options,
    env: options.env ?? process.env,
    clock: options.clock ?? systemClock,
    logger: safeLogger(options.logger),
  };
  const { env } = resolved;
  const kubeconfig = givenKubeconfig(options.kubeconfig);
  const { paths } = kubeconfig;
  const config = await loadKubeconfig({ env, ...kubeconfig });
  const selection = selectFromKubeconfig(config, options);
  if (selection.cluster === undefined && options.kubeconfig === undefined) {
    const pod = await inClusterConfig(env, options.serviceAccountFolder);
    if (pod) return connectionOfPod(pod, resolved);
  }
  if (selection.cluster !== undefined || options.server !== undefined) return connectionOf(selection, resolved);
  throw nothingFound(config.files, paths ?? defaultKubeconfigFiles(env));
}

function givenKubeconfig(given: ConnectOptions['kubeconfig']): Pick<KubeconfigLoadOptions, 'paths' | 'content'> {
  if (given === undefined) return {};
  if (typeof given === 'string') return isContent(given) ? { content: given } : { paths: [given] };
  if (Array.isArray(given) && given.every((path) => typeof path === 'string' && !isContent(path))) {
    return { paths: given };
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given) || ArrayBuffer.isView(given)) {
    throw new TypeError('kubeconfig must be a path, a list of paths, or a kubeconfig as text or as an object');
  }
  if ('getCurrentContext' in given) {
    throw new TypeError('kubeconfig is a KubeConfig of @kubernetes/client-node: call Cluster.from(kubeConfig) instead');
  }
  return { content: given as KubeconfigContent };
}

function nothingFound(read: readonly string[], sought: readonly string[]): KubeconfigError {
  const files = read.length > 0 ? read : sought;
  const said =
    read.length > 0
      ? `${files.join(', ')} has no current-context; choose one with the option \`context\``
      : `there is no kubeconfig (looked for ${files.length > 0 ? files.join(', ') : 'KUBECONFIG and a home folder'}) and this is not a pod with a service account; set KUBECONFIG, or pass { kubeconfig } or { server }`;
  return new KubeconfigError(`no cluster to connect to: ${said}`);
}

async function connectionOf(selection: KubeconfigSelection, options: Resolved): Promise<Connection> {
  const { env, clock, logger, exec, execTimeoutMs } = options;
  const { cluster, user } = selection;
  if (cluster) {
    checkCluster(cluster.name, cluster.config, options.server !== undefined);
    const { certificateAuthority } = cluster.config;
    if (certificateAuthority && !options.certificateAuthority && !(await isFile(certificateAuthority))) {
      throw new KubeconfigError(
        `${cluster.config.file}: certificate-authority of the cluster "${cluster.name}" is ${certificateAuthority}, which cannot be read`,
        { file: cluster.config.file },
      );
    }
  }
  const tls = await trustOf(cluster?.config, options);
  const server = serverUrl(options.server ?? cluster?.config.server ?? '', cluster?.config.file, {
    secure:
      tls.ca !== undefined ||
      tls.insecure === true ||
      Boolean(user?.config.clientCertificate || user?.config.clientCertificateData),
  });
  let login: Credentials[] = [];
  if (user) {
    checkUser(user.name, user.config);
    if (server.protocol === 'https:' && !explicitLogin(options)) {
      const where = `the user "${user.name}" in ${user.config.file}`;
      const info = new Secret(await execClusterInfo(server, tls, cluster?.config));
      login = userCredentials(user.config, { where, env, clock, logger, exec, execTimeoutMs, cluster: info });
    } else login = impersonationOf(user.config);
  }
  return {
    transport: transportOf(options, { server, tls, login, loginName: loginName(selection, server), cluster }),
    namespace: options.namespace || selection.namespace || 'default',
  };
}

/** In a pod only server, token and CA can be replaced, as with client-go. */
async function connectionOfPod(pod: InClusterConfig, options: Resolved): Promise<Connection> {
  const { clock, logger } = options;
  const server = serverUrl(options.server ?? pod.server, undefined, { secure: true });
  const isOwnLogin = server.protocol === 'https:' && !explicitLogin(options);
  const trust = await trustOf(undefined, options);
  const ca = new FileContent(pod.caFile, { purpose: 'CA file', clock, logger });
  return {
    transport: transportOf(options, {
      server,
      tls: trust.ca !== undefined || trust.insecure ? trust : { ...trust, ca },
      login: isOwnLogin ? [new TokenFileCredentials(pod.tokenFile, { clock, logger })] : [],
      loginName: sentLogin(server, `the service account of the pod, with the token in the file ${pod.tokenFile}`),
      cluster: undefined,
    }),
    namespace: options.namespace || pod.namespace,
  };
}

/** What a kubeconfig or a pod says of the cluster and the login. */
interface Found extends Pick<KubeconfigSelection, 'cluster'> {
  server: URL;
  tls: TlsTrust;
  login: readonly Credentials[];
  loginName: string;
}

/** With what the options say instead, or on top. */
function transportOf(options: Resolved, { server, tls, login, loginName, cluster }: Found): HttpTransportOptions {
  const { connectTimeoutMs, headersTimeoutMs, stallTimeoutMs, userAgent, clock, logger, metrics } = options;
  const explicit = explicitLogin(options);
  const credentials = explicit ? [explicit.credentials, ...login] : [...login];
  if (options.impersonate) credentials.push(impersonationCredentials(options.impersonate));
  const proxyUrl = options.proxyUrl ? new Secret(options.proxyUrl) : cluster?.config.proxyUrl;
  const proxyFrom = options.proxyUrl
    ? 'the option `proxyUrl`'
    : `${cluster?.config.file}: proxy-url of the cluster "${cluster?.name}"`;
  return {
    ...defined({ connectTimeoutMs, headersTimeoutMs, stallTimeoutMs, userAgent, clock, logger, metrics }),
    server: server.href,
    tls,
    credentials: combineCredentials(credentials),
    loginName: explicit?.name ?? loginName,
    proxy: proxyUrl ? parseProxyUrl(proxyUrl, proxyFrom) : proxyFromEnvironment(server, options.env),
    disableCompression: options.disableCompression ?? cluster?.config.disableCompression ?? false,
  };
}

function explicitLogin(options: Resolved): { credentials: Credentials; name: string } | undefined {
  const { token, tokenFile } = options;
  if (token) return { credentials: tokenCredentials(new Secret(token)), name: 'the option `token`' };
  if (!tokenFile) return undefined;
  const name = `the option \`tokenFile\`, with the token in the file ${tokenFile}`;
  return { credentials: new TokenFileCredentials(tokenFile, options), name };
}

async function trustOf(cluster: KubeconfigCluster | undefined, options: Resolved): Promise<TlsTrust> {
  const serverName = options.tlsServerName ?? (options.server === undefined ? cluster?.tlsServerName : undefined);
  const base = serverName ? { serverName } : {};
  if (options.certificateAuthority !== undefined) {
    return { ...base, ca: await givenAuthority(options.certificateAuthority, options) };
  }
  if (options.insecureSkipTlsVerify ?? cluster?.insecureSkipTlsVerify) return { ...base, insecure: true };
  if (cluster?.certificateAuthorityData) return { ...base, ca: cluster.certificateAuthorityData };
  if (!cluster?.certificateAuthority) return base;
  return { ...base, ca: new FileContent(cluster.certificateAuthority, { ...options, purpose: 'CA file' }) };
}

/** kubectl takes an address without scheme, too: https when there is something to verify or to show, else http. */
function serverUrl(text: string, file: string | undefined, defaults: { secure: boolean }): URL {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${defaults.secure ? 'https' : 'http'}://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    const where = file === undefined ? 'server' : `${file}: server`;
    throw new KubeconfigError(
      `${where} must be a URL that begins with http:// or https://, and is "${redacted(text)}"`,
    );
  }
  url.search = '';
  url.hash = '';
  return url;
}

async function execClusterInfo(
  server: URL,
  tls: TlsTrust,
  cluster: KubeconfigCluster | undefined,
): Promise<ExecClusterInfo> {
  const ca = tls.ca instanceof FileContent ? (await tls.ca.read()).reveal() : tls.ca;
  const config = cluster?.extensions.get('client.authentication.k8s.io/exec') ?? null;
  return {
    server: server.href.replace(/\/$/, ''),
    ...(tls.serverName ? { 'tls-server-name': tls.serverName } : {}),
    ...(tls.insecure ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
    ...(cluster?.proxyUrl ? { 'proxy-url': cluster.proxyUrl.reveal() } : {}),
    ...(cluster?.disableCompression ? { 'disable-compression': true } : {}),
    config,
  };
}
