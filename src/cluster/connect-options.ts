import {
  aBoolean,
  aClock,
  aLogger,
  aMeter,
  aNumber,
  anObject,
  anything,
  aSecret,
  aText,
  type OptionChecks,
  oneOf,
  optionsOf,
  texts,
  type ValueCheck,
} from '../api/option-check.ts';
import type { ExecPolicy } from '../login/exec-policy.ts';
import type { Impersonation } from '../login/impersonation.ts';
import type { KubeconfigContent } from '../login/kubeconfig-loader.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';

/** What every way to a `Cluster` accepts. */
export interface ClusterOptions {
  /** The namespace for what does not say its own. Default: that of the context or of the service account, else `default`. */
  namespace?: string | undefined;
  /**
   * Who owns the fields that clients write: 1 to 128 printable characters, best the name of the program. A call or a client may
   * name another. Default: none, which `Client.apply` refuses, and for which the server takes the start of the User-Agent
   * in other writes.
   */
  fieldManager?: string | undefined;
  /** Whose time and turns it goes by. Default: the machine's. */
  clock?: Clock | undefined;
  /** Default: warnings and errors on the console. */
  logger?: Logger | undefined;
  /** Default: none. */
  metrics?: Metrics | undefined;
}

/** How requests are sent. */
export interface SocketOptions {
  /** Until a connection stands. Default 30 s. */
  connectTimeoutMs?: number | undefined;
  /** Until the head of a response is there, for requests that do not say. 0: no limit. Default 60 s. */
  headersTimeoutMs?: number | undefined;
  /** How long the body of a response may bring nothing; watches have no such limit. 0: no limit. Default 60 s. */
  stallTimeoutMs?: number | undefined;
  /** Replaces `tidewatch/<version> (…)`. */
  userAgent?: string | undefined;
  /** Whether exec credential plugins may run. Default `'allow'`. */
  exec?: ExecPolicy | undefined;
  /** When the run of a plugin is given up. Default 3 minutes. */
  execTimeoutMs?: number | undefined;
}

/** Options of `Cluster.connect`: which cluster, as whom, and how. */
export interface ConnectOptions extends ClusterOptions, SocketOptions {
  /**
   * Kubeconfig file or files, which must exist; or a kubeconfig itself: as text, which has more than one line or begins with `{`, or as the
   * object that a parser makes of it. Default: the files in `$KUBECONFIG`, else `~/.kube/config`. kubectl's `--kubeconfig`.
   */
  kubeconfig?: string | readonly string[] | KubeconfigContent | undefined;
  /** The kubeconfig's context. Default: its current one. */
  context?: string | undefined;
  /** The kubeconfig's cluster. Default: the context's. */
  cluster?: string | undefined;
  /** The kubeconfig's user. Default: the context's. */
  user?: string | undefined;
  /** The URL of the API server, instead of the kubeconfig's, whose `tls-server-name` is then ignored. */
  server?: string | undefined;
  /** A bearer token, instead of every other login; sent also over plain HTTP, unlike one from a kubeconfig. */
  token?: string | undefined;
  /** A file with a bearer token, re-read as it changes. Ignored with `token`. */
  tokenFile?: string | undefined;
  /** The CAs to trust instead of the kubeconfig's: PEM, or the path of a file with it, which is read again as it changes. */
  certificateAuthority?: string | Uint8Array | undefined;
  /** Do not verify the server's certificate. Default: what the kubeconfig says. Ignored with `certificateAuthority`. */
  insecureSkipTlsVerify?: boolean | undefined;
  /** The name that the server's certificate must be for. Default: the host of the URL. */
  tlsServerName?: string | undefined;
  /** Act as somebody else, instead of the kubeconfig's `as`. */
  impersonate?: Impersonation | undefined;
  /** `http://`, `https://` or `socks5://`. Default: the kubeconfig's `proxy-url`, else HTTPS_PROXY and NO_PROXY. */
  proxyUrl?: string | undefined;
  /** Ask for no gzip. Default: what the kubeconfig says. */
  disableCompression?: boolean | undefined;
  /** Where variables are looked up. Default: `process.env`. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Where a pod finds its service account. Default: the kubelet's mount. */
  serviceAccountFolder?: string | undefined;
}

const execWord = oneOf('allow', 'forbid');
const execPolicy: ValueCheck = (value, where) => {
  if (Array.isArray((value as { allow?: unknown } | null)?.allow)) return undefined;
  const wanted = execWord(value, where);
  return wanted && `{ allow: ['command'] }, ${wanted}`;
};

export const CLUSTER_CHECKS: OptionChecks<ClusterOptions> = {
  namespace: aText,
  fieldManager: anything, // checked with its value
  clock: aClock,
  logger: aLogger,
  metrics: aMeter,
};

export const SOCKET_CHECKS: OptionChecks<SocketOptions> = {
  connectTimeoutMs: aNumber,
  headersTimeoutMs: aNumber,
  stallTimeoutMs: aNumber,
  userAgent: aText,
  exec: execPolicy,
  execTimeoutMs: aNumber,
};

/** Without what is misspelt one would act as oneself. */
const IMPERSONATION_CHECKS: OptionChecks<Impersonation> = {
  user: aText,
  uid: aText,
  groups: texts,
  extra: anObject,
};

/** A misspelt context or kubeconfig would mean the current one, which may be another cluster. */
export const CONNECT_CHECKS: OptionChecks<ConnectOptions> = {
  ...CLUSTER_CHECKS,
  ...SOCKET_CHECKS,
  kubeconfig: anything, // its forms are told apart where it is read
  context: aText,
  cluster: aText,
  user: aText,
  server: aText,
  token: aSecret,
  tokenFile: aText,
  certificateAuthority: anything, // as kubeconfig
  insecureSkipTlsVerify: aBoolean,
  tlsServerName: aText,
  impersonate: optionsOf(IMPERSONATION_CHECKS),
  proxyUrl: aText,
  disableCompression: aBoolean,
  env: anObject,
  serviceAccountFolder: aText,
};
