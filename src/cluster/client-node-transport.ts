import { defined } from '../api/defined.ts';
import { TransportError } from '../api/transport-error.ts';
import { FileContent } from '../http/file-content.ts';
import type { Credentials, Login } from '../http/http.ts';
import { HttpTransport } from '../http/http-transport.ts';
import { Secret } from '../http/secret.ts';
import { proxyFromEnvironment } from '../http/socket/proxy.ts';
import { combineCredentials } from '../login/combined-credentials.ts';
import type { ExecInteractiveMode, KubeconfigExec, KubeconfigUser } from '../login/kubeconfig.ts';
import { impersonationOf, userCredentials } from '../login/login.ts';
import { parseProxyUrl } from '../login/proxy-url.ts';
import { systemClock } from '../observe/clock.ts';
import { safeLogger } from '../observe/logger.ts';
import type { ClientNodeCluster, ClientNodeConfig, ClientNodeUser } from './client-node-config.ts';
import type { ClusterOptions, SocketOptions } from './connect-options.ts';

/** A transport to this cluster, with the login of this user; both were taken from the configuration earlier. */
export function clientNodeTransport(
  config: ClientNodeConfig,
  cluster: ClientNodeCluster,
  user: ClientNodeUser | null,
  given: ClusterOptions & SocketOptions,
): HttpTransport {
  const options = defined(given);
  const { exec, execTimeoutMs, namespace: _, ...rest } = options;
  const { clock = systemClock } = options;
  const logger = safeLogger(options.logger);
  const env = process.env;
  const server = new URL(cluster.server);
  const caFile = cluster.caFile ? new FileContent(cluster.caFile, { purpose: 'CA file', clock, logger }) : undefined;
  const where = `the user "${user?.name ?? ''}" of the KubeConfig`;
  return new HttpTransport({
    ...rest,
    server: server.href,
    tls: {
      ca: cluster.caData ? Buffer.from(cluster.caData, 'base64') : caFile,
      serverName: cluster.tlsServerName,
      insecure: cluster.skipTLSVerify === true,
    },
    credentials: credentialsOf(config, user, server, { where, env, clock, logger, exec, execTimeoutMs }),
    loginName: `${where}, current context "${config.getCurrentContext()}"`,
    proxy: cluster.proxyUrl
      ? parseProxyUrl(new Secret(cluster.proxyUrl), `proxyUrl of the cluster "${cluster.name}"`)
      : proxyFromEnvironment(server, env),
  });
}

function credentialsOf(
  config: ClientNodeConfig,
  user: ClientNodeUser | null,
  server: URL,
  options: Parameters<typeof userCredentials>[1],
): Credentials {
  if (user === null) return combineCredentials([]);
  const ours = toKubeconfigUser(user);
  if (server.protocol !== 'https:') return combineCredentials(impersonationOf(ours));
  const provider = providerOf(user);
  const known = provider === undefined || provider.name === 'oidc' || provider.name === 'tokenFile' || ours.exec;
  if (known || config.applyToHTTPSOptions === undefined) return combineCredentials(userCredentials(ours, options));
  const command = provider.config.get('cmd-path');
  if (command && (options.exec ?? 'allow') !== 'allow') {
    throw new TransportError(
      'credentials',
      `the auth-provider "${provider.name}" of ${options.where} runs the command "${command}", which the option \`exec\` does not allow because it cannot check it`,
    );
  }
  return new ClientNodeCredentials(config);
}

/** A login that client-node prepares: gcp, azure, and authenticators that its user has added. Asked for each request. */
class ClientNodeCredentials implements Credentials {
  readonly #config: ClientNodeConfig;
  #login: Login | undefined;

  constructor(config: ClientNodeConfig) {
    this.#config = config;
  }

  async login(): Promise<Login> {
    const prepared: { headers: Record<string, string>; cert?: string | Buffer; key?: string | Buffer } = {
      headers: {},
    };
    await this.#config.applyToHTTPSOptions?.(prepared);
    const headers = Object.fromEntries(
      Object.entries(prepared.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const certificate =
      prepared.cert && prepared.key
        ? { certificate: new Secret(prepared.cert), key: new Secret(prepared.key) }
        : undefined;
    const known = this.#login?.certificate;
    const same =
      known !== undefined && certificate !== undefined && sameBytes(known.certificate, certificate.certificate);
    this.#login = { headers: new Secret(headers), certificate: same ? known : certificate };
    return this.#login;
  }

  async renew(refused: Login): Promise<boolean> {
    const before = refused.headers.reveal().authorization;
    return (await this.login()).headers.reveal().authorization !== before;
  }
}

function sameBytes(a: Secret<string | Buffer>, b: Secret<string | Buffer>): boolean {
  return Buffer.from(a.reveal()).equals(Buffer.from(b.reveal()));
}

function toKubeconfigUser(user: ClientNodeUser): KubeconfigUser {
  const provider = providerOf(user);
  return {
    file: 'the KubeConfig',
    clientCertificate: user.certData ? '' : (user.certFile ?? ''),
    clientCertificateData: user.certData ? new Secret(Buffer.from(user.certData, 'base64')) : undefined,
    clientKey: user.keyData ? '' : (user.keyFile ?? ''),
    clientKeyData: user.keyData ? new Secret(Buffer.from(user.keyData, 'base64')) : undefined,
    token: user.token ? new Secret(user.token) : undefined,
    // How client-node remembers the service account of a pod.
    tokenFile: provider?.name === 'tokenFile' ? (provider.config.get('tokenFile') ?? '') : '',
    as: user.impersonateUser ?? '',
    asUid: '',
    asGroups: [],
    asUserExtra: new Map(),
    username: user.username ?? '',
    password: user.password ? new Secret(user.password) : undefined,
    authProvider: provider?.name === 'oidc' ? { name: 'oidc', config: new Secret(provider.config) } : undefined,
    exec: execOf(user),
    extensions: new Map(),
  };
}

function providerOf(user: ClientNodeUser): { name: string; config: ReadonlyMap<string, string> } | undefined {
  const provider = user.authProvider as { name?: unknown; config?: Record<string, unknown> } | null | undefined;
  if (!provider) return undefined;
  const config = Object.entries(provider.config ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { name: String(provider.name ?? ''), config: new Map(config) };
}

/** The other place where client-node looks for a plugin. */
function execOfProvider(user: ClientNodeUser): unknown {
  return (user.authProvider as { config?: { exec?: unknown } } | null | undefined)?.config?.exec;
}

function execOf(user: ClientNodeUser): KubeconfigExec | undefined {
  const exec = (user.exec ?? execOfProvider(user)) as Record<string, unknown> | null | undefined;
  if (!exec || typeof exec.command !== 'string') return undefined;
  const env = Array.isArray(exec.env) ? (exec.env as Array<{ name: string; value: string }>) : [];
  return {
    command: exec.command,
    args: new Secret(Array.isArray(exec.args) ? exec.args.map(String) : []),
    env: new Secret(env.map(({ name, value }) => ({ name, value }))),
    apiVersion: String(exec.apiVersion ?? 'client.authentication.k8s.io/v1'),
    installHint: String(exec.installHint ?? ''),
    provideClusterInfo: exec.provideClusterInfo === true,
    interactiveMode: (exec.interactiveMode as ExecInteractiveMode | undefined) ?? 'IfAvailable',
  };
}
