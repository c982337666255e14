import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  aBoolean,
  aClock,
  aLogger,
  aNumber,
  anObject,
  anything,
  aSignal,
  aText,
  checkedOptions,
  type OptionChecks,
} from '../api/option-check.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { schedulerOf } from '../observe/scheduler.ts';
import { findProgram } from './control-plane/assets.ts';
import {
  ClientAuthority,
  type ClientCertificate,
  type TokenUser,
  writeServiceAccountKeys,
  writeTokenFile,
} from './control-plane/control-plane-credentials.ts';
import { ControlPlaneError } from './control-plane/control-plane-error.ts';
import { type KubeconfigUser, writeKubeconfig } from './control-plane/control-plane-kubeconfig.ts';
import { Program } from './control-plane/control-plane-program.ts';
import { compactEtcd, currentRevision } from './control-plane/etcd-compaction.ts';
import { apiserverFlags, DISABLED_PLUGINS, etcdFlags } from './control-plane/flags.ts';
import { type KubectlResult, runKubectl } from './control-plane/kubectl.ts';
import { askLoopback, freePort } from './control-plane/loopback.ts';
import { OrphanGuard } from './control-plane/orphan-guard.ts';

/** The programs that a control plane runs. */
export type ControlPlaneProgram = 'apiserver' | 'etcd';

/** Options of `ControlPlane.start`. */
export interface ControlPlaneOptions {
  /** Folder with `etcd`, `kube-apiserver` and `kubectl`. Default: KUBEBUILDER_ASSETS, else tidewatch's cache folder. */
  assets?: string | undefined;
  /**
   * Further flags for either program, after ours: of a flag with one value the last one counts. The API server runs without the
   * plugin ServiceAccount unless `--disable-admission-plugins` is among them.
   */
  flags?: Readonly<Partial<Record<ControlPlaneProgram, readonly string[]>>> | undefined;
  /** Users with a fixed token, besides the administrator. */
  tokens?: readonly TokenUser[] | undefined;
  /** Accept client certificates of an authority made for this plane; see `clientCertificate`. Needs openssl. Default false. */
  clientCertificates?: boolean | undefined;
  /** How long each program may take until it is ready. Default 120000. */
  startTimeoutMs?: number | undefined;
  /** How long each program may take to end after SIGTERM, until it gets SIGKILL. Default 10000. */
  stopGraceMs?: number | undefined;
  /** Default: warnings to the console. */
  logger?: Logger | undefined;
  /** Times the waits. Default: the system clock. */
  clock?: Clock | undefined;
  /** Aborting it stops the plane, whether it is still starting or running. */
  signal?: AbortSignal | undefined;
}

const CHECKS: OptionChecks<ControlPlaneOptions> = {
  assets: aText,
  flags: anObject,
  tokens: anything,
  clientCertificates: aBoolean,
  startTimeoutMs: aNumber,
  stopGraceMs: aNumber,
  logger: aLogger,
  clock: aClock,
  signal: aSignal,
};

/** Somebody else may take a free port between our look and the program's. */
const PORT_ATTEMPTS = 5;

/**
 * A real kube-apiserver and etcd on loopback, with RBAC and an administrator's token, on a folder of their own that goes
 * with them. There is no controller manager, scheduler or kubelet: what is created stays as it is, and pods do not run.
 *
 * The programs end with this process, however it ends, and never keep it alive. `kill`, `pause` and `restart` are for tests of
 * what a client does then; ports, data, certificates and tokens survive a restart.
 */
export class ControlPlane implements AsyncDisposable {
  /** Token of `tidewatch-admin`, a member of `system:masters`. */
  readonly token: string = randomBytes(24).toString('hex');
  readonly #options: ControlPlaneOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #folder: string;
  readonly #guard: OrphanGuard;
  readonly #programs = new Map<ControlPlaneProgram, Program>();
  readonly #onAbort = () => {
    this.stop().catch((error: unknown) => this.#logger.error('The control plane did not stop.', error));
  };
  #authority: ClientAuthority | undefined;
  #etcdUrl = '';
  #server = '';
  #stopped: Promise<void> | undefined;

  private constructor(options: ControlPlaneOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#logger = safeLogger(options.logger);
    this.#folder = mkdtempSync(join(tmpdir(), 'tidewatch-control-plane-'));
    this.#guard = new OrphanGuard(this.#folder);
  }

  /** Resolves when the API server says on /readyz that it is ready. On failure nothing is left behind. */
  static async start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    checkedOptions('ControlPlane.start', options, CHECKS);
    options.signal?.throwIfAborted();
    const etcd = findProgram('etcd', { assets: options.assets });
    const apiserver = findProgram('kube-apiserver', { assets: options.assets });
    const plane = new ControlPlane(options);
    options.signal?.addEventListener('abort', plane.#onAbort, { once: true });
    try {
      await plane.#startEtcd(etcd);
      await plane.#startApiserver(apiserver);
      writeFileSync(plane.kubeconfigFile(), plane.kubeconfig(), { mode: 0o600 });
      options.signal?.throwIfAborted();
      return plane;
    } catch (error) {
      await plane.stop();
      options.signal?.throwIfAborted();
      throw error;
    }
  }

  /** `https://127.0.0.1:<port>`. */
  get server(): string {
    return this.#server;
  }

  /** The client URL of etcd, without TLS. */
  get etcdServer(): string {
    return this.#etcdUrl;
  }

  /** Path of the certificate that clients must trust. */
  get caFile(): string {
    return join(this.#folder, 'apiserver.crt');
  }

  /** The same as PEM. */
  get ca(): string {
    return readFileSync(this.caFile, 'utf8');
  }

  /** A kubeconfig as YAML, with everything inline; of the administrator unless another user is given. */
  kubeconfig(
    options: {
      /** Whose. Default: the administrator's. */
      user?: KubeconfigUser | undefined;
      /** The namespace of its context. Default: none, which means `default`. */
      namespace?: string | undefined;
    } = {},
  ): string {
    checkedOptions('kubeconfig', options, { user: anObject, namespace: aText });
    const { user = { token: this.token }, namespace } = options;
    return writeKubeconfig({ server: this.#server, ca: this.ca, user, namespace });
  }

  /** Path of the administrator's kubeconfig, readable by this user alone. */
  kubeconfigFile(): string {
    return join(this.#folder, 'kubeconfig');
  }

  /** A certificate that logs in as this user; the plane must have been started with `clientCertificates`. */
  async clientCertificate(user: string, groups: readonly string[] = []): Promise<ClientCertificate> {
    if (!this.#authority) {
      throw new ControlPlaneError(
        'state',
        'Start the control plane with clientCertificates: true to get a certificate.',
      );
    }
    return this.#authority.issue(user, groups);
  }

  /** Runs kubectl as the administrator. A failing command is a result with its code, not an error. */
  kubectl(
    args: readonly string[],
    options: {
      /** What kubectl reads from its standard input, for `-f -`. Default: nothing. */
      input?: string | undefined;
      /** Kills kubectl; the result then rejects with the signal's reason. */
      signal?: AbortSignal | undefined;
    } = {},
  ): Promise<KubectlResult> {
    return runKubectl(args, { ...options, kubeconfig: this.kubeconfigFile(), assets: this.#options.assets });
  }

  /** All that the program has logged so far, over all its runs. */
  log(program: ControlPlaneProgram): string {
    return this.#program(program).log();
  }

  /** Undefined when it is not running. */
  processId(program: ControlPlaneProgram): number | undefined {
    return this.#program(program).pid;
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill(program: ControlPlaneProgram): Promise<void> {
    await this.#program(program).kill();
  }

  /** SIGSTOP: connections stay open, and nobody answers. */
  pause(program: ControlPlaneProgram): void {
    this.#program(program).pause();
  }

  /** SIGCONT. */
  resume(program: ControlPlaneProgram): void {
    this.#program(program).resume();
  }

  /**
   * Starts the program again where it was; one that still runs is ended with SIGTERM first. Resolves when the API server
   * is ready again, or, where the API server itself is down or paused, when etcd is.
   */
  async restart(program: ControlPlaneProgram): Promise<void> {
    const target = this.#program(program);
    await target.stop(this.#graceMs);
    const deadline = schedulerOf(this.#clock).monotonicMs() + this.#startTimeoutMs;
    for (;;) {
      this.#ensureNotStopped();
      target.start();
      try {
        if (program === 'etcd') await this.#untilEtcdReady(target);
        else await this.#untilApiserverReady(target);
        break;
      } catch (error) {
        if (!target.portWasTaken || schedulerOf(this.#clock).monotonicMs() > deadline) throw error;
        await this.#clock.sleep(200, this.#options.signal);
      }
    }
    const apiserver = this.#program('apiserver');
    if (program === 'etcd' && apiserver.running && !apiserver.paused) await this.#untilApiserverReady(apiserver);
  }

  /**
   * Makes etcd forget all before `revision` (default: its newest), and returns that revision. Reads of an older
   * resourceVersion are then answered 410, and so are watches from before `revision - 1`, unless the API server's watch
   * cache still holds it: start with `--watch-cache=false`, or `restart('apiserver')` afterwards, to see it for certain.
   */
  async compact(revision?: string): Promise<string> {
    this.#ensureNotStopped();
    const target = revision ?? (await currentRevision(this.#etcdUrl));
    await compactEtcd(this.#etcdUrl, target);
    return target;
  }

  /** Ends both programs and removes their folder. Every call gives the same promise. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get #graceMs(): number {
    return this.#options.stopGraceMs ?? 10_000;
  }

  get #startTimeoutMs(): number {
    return this.#options.startTimeoutMs ?? 120_000;
  }

  async #stop(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    for (const program of this.#programs.values()) if (program.paused) program.resume();
    // The API server first: without etcd its shutdown would wait for answers that never come.
    await this.#programs.get('apiserver')?.stop(this.#graceMs);
    await this.#programs.get('etcd')?.stop(this.#graceMs);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
    await this.#guard.release();
  }

  async #startEtcd(path: string): Promise<void> {
    const dataFolder = join(this.#folder, 'etcd');
    await this.#startOnFreePorts('etcd', path, 2, ([client, peer]) => {
      // A failed attempt may have noted its ports in there.
      rmSync(dataFolder, { recursive: true, force: true });
      this.#etcdUrl = `http://127.0.0.1:${client}`;
      return etcdFlags({ dataFolder, clientUrl: this.#etcdUrl, peerUrl: `http://127.0.0.1:${peer}` });
    });
  }

  async #startApiserver(path: string): Promise<void> {
    const tokenFile = join(this.#folder, 'tokens.csv');
    const admin = { token: this.token, user: 'tidewatch-admin', groups: ['system:masters'] };
    writeTokenFile(tokenFile, [admin, ...(this.#options.tokens ?? [])]);
    const keys = writeServiceAccountKeys(this.#folder);
    if (this.#options.clientCertificates) this.#authority = await ClientAuthority.create(this.#folder);
    await this.#startOnFreePorts('apiserver', path, 1, ([port = 0]) => {
      this.#server = `https://127.0.0.1:${port}`;
      return apiserverFlags({
        etcdUrl: this.#etcdUrl,
        certificateFolder: this.#folder,
        port,
        tokenFile,
        clientCaFile: this.#authority?.caFile,
        serviceAccountPublicKeyFile: keys.publicKeyFile,
        serviceAccountPrivateKeyFile: keys.privateKeyFile,
        choosesPlugins: this.#options.flags?.apiserver?.some((flag) => flag.startsWith(DISABLED_PLUGINS)) ?? false,
      });
    });
  }

  async #startOnFreePorts(
    name: ControlPlaneProgram,
    path: string,
    ports: number,
    args: (ports: readonly number[]) => readonly string[],
  ): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const taken = new Set<number>();
      while (taken.size < ports) taken.add(await freePort());
      this.#ensureNotStopped();
      const program = new Program({
        name: name === 'apiserver' ? 'kube-apiserver' : name,
        path,
        args: [...args([...taken]), ...(this.#options.flags?.[name] ?? [])],
        logFile: join(this.#folder, `${name}-${attempt}.log`),
        guard: this.#guard,
        clock: this.#clock,
      });
      this.#programs.set(name, program);
      program.start();
      try {
        return await (name === 'etcd' ? this.#untilEtcdReady(program) : this.#untilApiserverReady(program));
      } catch (error) {
        if (!program.portWasTaken || attempt === PORT_ATTEMPTS) throw error;
        this.#logger.info(`A port of ${program.name} was taken by somebody else; trying another one.`);
      }
    }
  }

  async #untilEtcdReady(etcd: Program): Promise<void> {
    const ready = async () => (await askLoopback(`${this.#etcdUrl}/health`)).body.includes('"true"');
    await etcd.untilReady(ready, this.#startTimeoutMs, this.#options.signal);
  }

  async #untilApiserverReady(apiserver: Program): Promise<void> {
    const ready = async () => {
      const answer = await askLoopback(`${this.#server}/readyz`, { ca: this.ca, token: this.token });
      if (answer.status !== 200) throw new Error(`/readyz answered ${answer.status}: ${answer.body.trim()}`);
      return true;
    };
    await apiserver.untilReady(ready, this.#startTimeoutMs, this.#options.signal);
  }

  #program(name: ControlPlaneProgram): Program {
    this.#ensureNotStopped();
    const program = this.#programs.get(name);
    if (!program) throw new ControlPlaneError('state', `${name} has not been started yet.`);
    return program;
  }

  #ensureNotStopped(): void {
    if (this.#stopped !== undefined) throw new ControlPlaneError('state', 'The control plane has been stopped.');
  }
}
