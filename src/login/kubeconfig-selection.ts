import { type Kubeconfig, type KubeconfigCluster, KubeconfigError, type KubeconfigUser } from './kubeconfig.ts';

/** What the caller chose instead of what the files say. client-go's `ConfigOverrides`. */
export interface KubeconfigChoice {
  context?: string | undefined;
  cluster?: string | undefined;
  user?: string | undefined;
}

export interface KubeconfigSelection {
  /** Undefined when the files name none, and none was chosen. */
  cluster: { name: string; config: KubeconfigCluster } | undefined;
  /** Undefined for a context without a user: an anonymous login. */
  user: { name: string; config: KubeconfigUser } | undefined;
  /** The name of the context; empty when there is none. */
  context: string;
  /** Empty when the context has none. */
  namespace: string;
}

/** Picks the context (chosen, else current) with its cluster and user. Each name must lead somewhere. */
export function selectFromKubeconfig(config: Kubeconfig, choice: KubeconfigChoice): KubeconfigSelection {
  const { contexts, clusters, users } = config;
  /** What a name means; `from` is where it stands, unless the caller chose it. */
  const find = <V>(what: keyof KubeconfigChoice, name: string, known: ReadonlyMap<string, V>, from: string) => {
    const found = known.get(name);
    if (found !== undefined || name === '') return found;
    const by = choice[what] ? `the option \`${what}\`` : from;
    const files = config.files.length === 0 ? 'no kubeconfig file' : config.files.join(', ');
    const names = [...known.keys()].sort().slice(0, 10);
    const others = names.length === 0 ? 'there is none' : `there are: ${names.map((one) => `"${one}"`).join(', ')}`;
    throw new KubeconfigError(
      `the ${what} "${name}", named by ${by}, is not defined in ${files} (under ${what}s ${others})`,
    );
  };
  const contextName = choice.context || config.currentContext;
  const contextFrom = `current-context of ${config.currentContextFile ?? 'the kubeconfig'}`;
  const context = contextName === '' ? undefined : find('context', contextName, contexts, contextFrom);
  const inContext = context ? ` of the context "${contextName}" in ${context.file}` : '';
  const clusterName = choice.cluster || context?.cluster || '';
  const userName = choice.user || context?.user || '';
  const cluster = find('cluster', clusterName, clusters, `cluster${inContext}`);
  const user = find('user', userName, users, `user${inContext}`);
  if (context !== undefined && cluster === undefined) {
    throw new KubeconfigError(`${context.file}: the context "${contextName}" names no cluster`, { file: context.file });
  }
  return {
    cluster: cluster && { name: clusterName, config: cluster },
    user: user && { name: userName, config: user },
    context: contextName,
    namespace: context?.namespace ?? '',
  };
}

/** The contradictions that kubectl refuses, in a user that is about to be used. */
export function checkUser(name: string, user: KubeconfigUser): void {
  const fail = (said: string) => {
    throw new KubeconfigError(`${user.file}: the user "${name}" ${said}`, { file: user.file });
  };
  const hasCertificate = user.clientCertificate !== '' || user.clientCertificateData !== undefined;
  if (user.token && (user.username !== '' || user.password)) fail('has both a token and a username; keep one');
  if (hasCertificate) {
    if (user.clientCertificate && user.clientCertificateData) {
      fail('has both client-certificate and client-certificate-data; keep one');
    }
    if (user.clientKey && user.clientKeyData) fail('has both client-key and client-key-data; keep one');
    if (!user.clientKey && !user.clientKeyData) fail('has a client certificate without client-key or client-key-data');
  }
  if (user.exec && user.authProvider) fail('has both exec and auth-provider; keep one');
  if (user.exec?.command === '') fail('has an exec without command');
  if (user.exec?.apiVersion === '') fail('has an exec without apiVersion');
  if (user.exec?.interactiveMode === '') fail('has an exec without interactiveMode, which its apiVersion requires');
  if (user.exec?.env.reveal().some((one) => one.name === '')) fail('has an exec.env entry without name');
  if (user.as === '' && (user.asUid || user.asGroups.length > 0 || user.asUserExtra.size > 0)) {
    fail('has as-uid, as-groups or as-user-extra without as');
  }
}

/** The same for a cluster. `server` may come from elsewhere. */
export function checkCluster(name: string, cluster: KubeconfigCluster, hasServer: boolean): void {
  const fail = (said: string) => {
    throw new KubeconfigError(`${cluster.file}: the cluster "${name}" ${said}`, { file: cluster.file });
  };
  if (cluster.server === '' && !hasServer) fail('has no server');
  if (cluster.certificateAuthority && cluster.certificateAuthorityData) {
    fail('has both certificate-authority and certificate-authority-data; keep one');
  }
  if (cluster.insecureSkipTlsVerify && (cluster.certificateAuthority || cluster.certificateAuthorityData)) {
    fail('has both a certificate authority and insecure-skip-tls-verify; keep one');
  }
}
