import { brandError, TidewatchError } from '../api/tidewatch-error.ts';
import type { Secret } from '../http/secret.ts';

/**
 * A kubeconfig in memory: what several files said, merged. Whatever could be a secret is wrapped, so that the whole can be printed.
 * Fields are named as in the file format, in camelCase.
 */
export interface Kubeconfig {
  readonly currentContext: string;
  /** The file that `currentContext` comes from. */
  readonly currentContextFile: string | undefined;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  readonly extensions: ReadonlyMap<string, unknown>;
  readonly preferences: { readonly colors: boolean; readonly extensions: ReadonlyMap<string, unknown> };
  /** The files that were read, in the order of their precedence. */
  readonly files: readonly string[];
}

export interface KubeconfigCluster {
  /** The file that defines it; relative paths have been resolved against its folder. */
  readonly file: string;
  readonly server: string;
  readonly tlsServerName: string;
  readonly insecureSkipTlsVerify: boolean;
  /** A path. */
  readonly certificateAuthority: string;
  readonly certificateAuthorityData: Buffer | undefined;
  /** May carry a password. */
  readonly proxyUrl: Secret | undefined;
  readonly disableCompression: boolean;
  readonly extensions: ReadonlyMap<string, unknown>;
}

export interface KubeconfigUser {
  readonly file: string;
  readonly clientCertificate: string;
  readonly clientCertificateData: Secret<Buffer> | undefined;
  readonly clientKey: string;
  readonly clientKeyData: Secret<Buffer> | undefined;
  readonly token: Secret | undefined;
  readonly tokenFile: string;
  readonly as: string;
  readonly asUid: string;
  readonly asGroups: readonly string[];
  readonly asUserExtra: ReadonlyMap<string, readonly string[]>;
  readonly username: string;
  readonly password: Secret | undefined;
  readonly authProvider: KubeconfigAuthProvider | undefined;
  readonly exec: KubeconfigExec | undefined;
  /** Held against what kubectl reads. @testonly */
  readonly extensions: ReadonlyMap<string, unknown>;
}

export interface KubeconfigAuthProvider {
  readonly name: string;
  /** Tokens and client secrets are among its values. */
  readonly config: Secret<ReadonlyMap<string, string>>;
}

export type ExecInteractiveMode = 'Never' | 'IfAvailable' | 'Always';

export interface KubeconfigExec {
  readonly command: string;
  readonly args: Secret<readonly string[]>;
  readonly env: Secret<ReadonlyArray<{ readonly name: string; readonly value: string }>>;
  readonly apiVersion: string;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  /** Empty when the file does not say and the version has no default. */
  readonly interactiveMode: ExecInteractiveMode | '';
}

export interface KubeconfigContext {
  readonly file: string;
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
  /** Held against what kubectl reads. @testonly */
  readonly extensions: ReadonlyMap<string, unknown>;
}

/** A kubeconfig that cannot be used. The message is one sentence that names the file and the field. */
export class KubeconfigError extends TidewatchError {
  declare readonly name: 'KubeconfigError';
  declare readonly kind: 'kubeconfig';
  declare readonly file: string | undefined;

  static {
    brandError(KubeconfigError, 'KubeconfigError');
  }

  constructor(message: string, options: { file?: string | undefined; cause?: unknown } = {}) {
    super('kubeconfig', message, options);
    if (options.file !== undefined) this.file = options.file;
  }
}
