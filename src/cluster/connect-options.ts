import type { ExecPolicy } from '../login/exec-policy.ts';
import type { Impersonation } from '../login/impersonation.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';

/** What every way to a `Cluster` accepts. */
export interface ClusterOptions {
  /** The namespace for what does not say its own. Default: that of the context or of the service account, else `default`. */
  namespace?: string;
  /**
   * Who owns the fields that clients write: 1 to 128 printable characters, best the name of the program. A call or a client may
   * name another. Default: none, which `Client.apply` refuses, and for which the server takes the start of the User-Agent
   * in other writes.
   */
  fieldManager?: string;
  /** Whose time and turns it goes by. Default: the machine's. */
  clock?: Clock;
  /** Default: warnings and errors on the console. */
  logger?: Logger;
  /** Default: none. */
  metrics?: Metrics;
}

/** How requests are sent. */
export interface SocketOptions {
  /** Until a connection stands. Default 30 s. */
  connectTimeoutMs?: number;
  /** Until the head of a response is there, for requests that do not say. 0: no limit. Default 60 s. */
  headersTimeoutMs?: number;
  /** How long the body of a response may bring nothing; watches have no such limit. 0: no limit. Default 60 s. */
  stallTimeoutMs?: number;
  /** Replaces `tidewatch/<version> (…)`. */
  userAgent?: string;
  /** Whether exec credential plugins may run. Default `'allow'`. */
  exec?: ExecPolicy;
  /** When the run of a plugin is given up. Default 3 minutes. */
  execTimeoutMs?: number;
}

/** Options of `Cluster.connect`: which cluster, as whom, and how. */
export interface ConnectOptions extends ClusterOptions, SocketOptions {
  /** Kubeconfig file or files, which must exist. Default: those in `$KUBECONFIG`, else `~/.kube/config`. kubectl's `--kubeconfig`. */
  kubeconfig?: string | readonly string[];
  /** The kubeconfig's context. Default: its current one. */
  context?: string;
  /** The kubeconfig's cluster. Default: the context's. */
  cluster?: string;
  /** The kubeconfig's user. Default: the context's. */
  user?: string;
  /** The URL of the API server, instead of the kubeconfig's, whose `tls-server-name` is then ignored. */
  server?: string;
  /** A bearer token, instead of every other login; sent also over plain HTTP, unlike one from a kubeconfig. */
  token?: string;
  /** A file with a bearer token, re-read as it changes. Ignored with `token`. */
  tokenFile?: string;
  /** PEM of the CAs to trust instead of the kubeconfig's. */
  certificateAuthority?: string | Uint8Array;
  /** Do not verify the server's certificate. Default: what the kubeconfig says. Ignored with `certificateAuthority`. */
  insecureSkipTlsVerify?: boolean;
  /** The name that the server's certificate must be for. Default: the host of the URL. */
  tlsServerName?: string;
  /** Act as somebody else, instead of the kubeconfig's `as`. */
  impersonate?: Impersonation;
  /** `http://`, `https://` or `socks5://`. Default: the kubeconfig's `proxy-url`, else HTTPS_PROXY and NO_PROXY. */
  proxyUrl?: string;
  /** Ask for no gzip. Default: what the kubeconfig says. */
  disableCompression?: boolean;
  /** Where variables are looked up. Default: `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Where a pod finds its service account. Default: the kubelet's mount. */
  serviceAccountFolder?: string;
}
