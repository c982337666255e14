import { TransportError } from '../api/transport-error.ts';
import type { Credentials, Login } from '../http/http.ts';
import { Secret } from '../http/secret.ts';
import type { Clock } from '../observe/clock.ts';
import { messageOf } from '../observe/guarded.ts';
import { runExecPlugin } from './exec-plugin.ts';
import { type ExecPolicy, findExecutable, isExecAllowed } from './exec-policy.ts';
import type { KubeconfigExec } from './kubeconfig.ts';
import type { Environment } from './kubeconfig-loader.ts';

const API_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** What a plugin is told about the cluster when its `provideClusterInfo` asks for it; fields named as on the wire. */
export interface ExecClusterInfo {
  server: string;
  'tls-server-name'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'certificate-authority-data'?: string;
  'proxy-url'?: string;
  'disable-compression'?: boolean;
  config?: unknown;
}

export interface ExecCredentialsOptions {
  /** Which commands may run. Default `'allow'`. */
  exec?: ExecPolicy | undefined;
  /** When a run is given up. Default 3 minutes: a plugin may wait for a person in a browser. */
  execTimeoutMs?: number | undefined;
  /** What a plugin may be told. */
  cluster?: Secret<ExecClusterInfo> | undefined;
  /** Names the user and the file, for messages. */
  where: string;
  env: Environment;
  clock: Clock;
  /** Whether standard input is a terminal, which an interactive plugin may use. */
  stdinIsTerminal: () => boolean;
}

/** The part of an ExecCredential that we use. */
interface ExecStatus {
  token?: unknown;
  clientCertificateData?: unknown;
  clientKeyData?: unknown;
  expirationTimestamp?: unknown;
}

/**
 * A credential plugin (client.authentication.k8s.io): a command that prints a token or a client certificate. Its
 * answer is kept until it expires or the server refuses it; requests that need a new one share a single run.
 */
export class ExecCredentials implements Credentials {
  readonly #exec: KubeconfigExec;
  readonly #options: ExecCredentialsOptions;
  #login: Login | undefined;
  #expiresAtMs = Number.POSITIVE_INFINITY;
  #running: Promise<Login> | undefined;
  readonly #closing = new AbortController();

  constructor(exec: KubeconfigExec, options: ExecCredentialsOptions) {
    this.#exec = exec;
    this.#options = options;
  }

  async login(): Promise<Login> {
    if (this.#login !== undefined && this.#options.clock.now() <= this.#expiresAtMs) return this.#login;
    return this.#run();
  }

  async renew(refused: Login): Promise<boolean> {
    if (this.#login === refused) await this.#run();
    return true;
  }

  /** Kills a plugin that runs. */
  close(): void {
    this.#closing.abort();
  }

  #run(): Promise<Login> {
    this.#running ??= this.#obtain().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #obtain(): Promise<Login> {
    const { command, apiVersion, args, env, installHint } = this.#exec;
    const options = this.#options;
    if (!API_VERSIONS.includes(apiVersion)) {
      throw this.#error(`its apiVersion "${apiVersion}" is unknown; use ${API_VERSIONS.join(' or ')}`);
    }
    const file = await findExecutable(command, options.env);
    if (!(await isExecAllowed(command, file, options.exec ?? 'allow', options.env))) {
      throw this.#error('the option `exec` does not allow it to run');
    }
    if (file === undefined) {
      const hint = installHint === '' ? '' : `\n\n${installHint}`;
      throw this.#error(`the command was not found, or may not be executed${hint}`);
    }
    const interactive = this.#interactive();
    const cluster = this.#exec.provideClusterInfo ? options.cluster?.reveal() : undefined;
    const info = { kind: 'ExecCredential', apiVersion, spec: { ...(cluster && { cluster }), interactive } };
    const output = await runExecPlugin({
      file,
      args: args.reveal(),
      env: {
        ...options.env,
        ...Object.fromEntries(env.reveal().map(({ name, value }) => [name, value])),
        KUBERNETES_EXEC_INFO: JSON.stringify(info),
      },
      interactive,
      timeoutMs: options.execTimeoutMs ?? 180_000,
      clock: options.clock,
      signal: this.#closing.signal,
    }).catch((error: unknown) => {
      throw this.#error(messageOf(error));
    });
    return this.#accept(output.reveal());
  }

  #interactive(): boolean {
    const { interactiveMode } = this.#exec;
    if (interactiveMode === 'Never') return false;
    if (interactiveMode === 'IfAvailable') return this.#options.stdinIsTerminal();
    if (interactiveMode !== 'Always') {
      throw this.#error(`its interactiveMode is "${interactiveMode}"; it must be Never, IfAvailable or Always`);
    }
    if (this.#options.stdinIsTerminal()) return true;
    throw this.#error('its interactiveMode is Always, and standard input is not a terminal');
  }

  #accept(output: string): Login {
    let answer: { kind?: unknown; apiVersion?: unknown; status?: ExecStatus | null } | null;
    try {
      answer = JSON.parse(output);
    } catch {
      // The parser's message quotes the text, which may be a token.
      throw this.#error('it printed something that is not JSON');
    }
    if (typeof answer !== 'object' || answer === null || answer.kind !== 'ExecCredential') {
      throw this.#error('it printed something that is not an ExecCredential');
    }
    if (answer.apiVersion !== this.#exec.apiVersion) {
      throw this.#error(
        `it is configured for apiVersion ${this.#exec.apiVersion} and answered with ${String(answer.apiVersion)}`,
      );
    }
    const { token, clientCertificateData, clientKeyData, expirationTimestamp } = answer.status ?? {};
    if (!token && !clientCertificateData && !clientKeyData) {
      throw this.#error('it returned neither a token nor a client certificate');
    }
    if (!clientCertificateData !== !clientKeyData) {
      throw this.#error('it returned a client certificate without its key, or a key without its certificate');
    }
    const expiresAtMs = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
    if (expirationTimestamp && Number.isNaN(expiresAtMs)) {
      throw this.#error('it returned an expirationTimestamp that is not an RFC 3339 time');
    }
    this.#expiresAtMs = Number.isNaN(expiresAtMs) ? Number.POSITIVE_INFINITY : expiresAtMs;
    this.#login = {
      headers: new Secret<Record<string, string>>(token ? { authorization: `Bearer ${String(token)}` } : {}),
      certificate: this.#certificate(clientCertificateData, clientKeyData),
    };
    return this.#login;
  }

  /** The certificate in use if the plugin returned it once more, so that its connections stay. */
  #certificate(certificate: unknown, key: unknown): Login['certificate'] {
    if (!certificate || !key) return undefined;
    const known = this.#login?.certificate;
    if (known?.certificate.reveal() === certificate && known.key.reveal() === key) return known;
    return { certificate: new Secret(String(certificate)), key: new Secret(String(key)) };
  }

  #error(said: string): TransportError {
    const message = `the credential plugin "${this.#exec.command}" of ${this.#options.where} cannot be used: ${said}`;
    return new TransportError('credentials', message);
  }
}
