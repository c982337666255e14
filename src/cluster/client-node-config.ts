/** The part of @kubernetes/client-node's `KubeConfig`, 1.x and 2.x, that is used here. */
export interface ClientNodeConfig {
  getCurrentCluster(): ClientNodeCluster | null;
  getCurrentUser(): ClientNodeUser | null;
  getCurrentContext(): string;
  getContextObject(name: string): { readonly namespace?: string } | null;
  /** Fills in headers, certificate and key; used for logins that only client-node knows. */
  applyToHTTPSOptions?(options: Record<string, unknown>): Promise<void>;
}

/** The cluster of a `KubeConfig`, as client-node has it. */
export interface ClientNodeCluster {
  readonly name: string;
  readonly server: string;
  readonly caData?: string;
  readonly caFile?: string;
  readonly skipTLSVerify?: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
}

/** The user of a `KubeConfig`, as client-node has it. */
export interface ClientNodeUser {
  readonly name: string;
  readonly certData?: string;
  readonly certFile?: string;
  readonly keyData?: string;
  readonly keyFile?: string;
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  readonly impersonateUser?: string;
  /** This one and the next have no type in client-node either. */
  readonly exec?: unknown;
  readonly authProvider?: unknown;
}
