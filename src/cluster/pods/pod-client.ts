import type { Duplex } from 'node:stream';
import type { KubernetesObject } from '../../api/metadata.ts';
import { checkedOptions } from '../../api/option-check.ts';
import { checkName } from '../../api/resource.ts';
import { InterruptibleStream } from '../../observe/interruptible-stream.ts';
import type { Logger } from '../../observe/logger.ts';
import { Client, type ClientOptions, queryOf } from '../client.ts';
import type { CallOptions } from '../client-options.ts';
import { logLines } from './log-lines.ts';
import type { ChannelSource } from './open-channels.ts';
import {
  type AttachOptions,
  type ExecOptions,
  type ExecResult,
  type LogOptions,
  type LogsOfOptions,
  POD_CHECKS,
  type PodLogLine,
  type PortForward,
  type PortForwardOptions,
} from './pod-options.ts';
import type { RemoteCommand } from './remote-command.ts';

/** What `cluster.client(pods)` makes a `PodClient` of. */
export interface PodClientOptions<T extends KubernetesObject> extends ClientOptions<T> {
  /** Opens the connections. */
  source: ChannelSource;
  /** Hears of connections that fail. */
  logger: Logger;
  /** Aborts when no connection can be opened any more. Default: never. */
  closed?: AbortSignal | undefined;
  /** Of calls that have none of their own. */
  signal?: AbortSignal | undefined;
}

/**
 * What `cluster.client(pods)` gives: a `Client`, and what pods alone can do. Logs come over HTTP; `exec`, `attach` and `portForward` open
 * a WebSocket with the login, the CA and the proxy of the cluster. The code of these is loaded when they are called.
 */
export class PodClient<T extends KubernetesObject = KubernetesObject> extends Client<T> {
  readonly #options: PodClientOptions<T>;

  constructor(options: PodClientOptions<T>) {
    super(options);
    this.#options = options;
  }

  /**
   * The log of one container, line by line. Ends with the log, or when the signal aborts, and as soon as it is left.
   *
   *     for await (const line of cluster.client(pods).logs('web-0', { follow: true, tailLines: 10 })) console.log(line);
   */
  logs(name: string, options: LogOptions = {}): AsyncGenerator<string, void, undefined> {
    checkedOptions('logs', options, POD_CHECKS.logs);
    const path = this.path(options, checkName(name), 'log');
    return new InterruptibleStream((ended) => this.#lines(path, options, ended), this.#signalOf(options));
  }

  /**
   * The logs of all pods that a label selector means, each line with its pod; `''` means all. With `follow`, new pods and restarted
   * containers join, ended ones leave, and it goes on until the signal aborts or it is left. Without a namespace, in the options or of the
   * client: in all of them.
   */
  logsOf(labelSelector: string, options: LogsOfOptions = {}): AsyncGenerator<PodLogLine, void, undefined> {
    checkedOptions('logsOf', options, POD_CHECKS.logsOf);
    const { signal, ...rest } = options;
    const { source, logger } = this.#options;
    return new InterruptibleStream(
      async function* (this: PodClient<T>, ended: AbortSignal) {
        const { severalLogs } = await import('./several-logs.ts');
        const open = (name: string, one: LogOptions) => this.logs(name, one);
        const client = this as Client<KubernetesObject>;
        yield* severalLogs({ ...rest, labelSelector, client, open, clock: source.clock, logger }, ended);
      }.bind(this),
      this.#signalOf({ signal }),
    );
  }

  /**
   * Runs a program in a container and resolves when it has ended, with its exit code, which may be another than 0. Rejects when it could
   * not be run, or when the connection broke.
   *
   *     const { exitCode, stdout } = await cluster.client(pods).exec('web-0', ['ls', '/etc']);
   */
  async exec(name: string, command: readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    checkedOptions('exec', options, POD_CHECKS.exec);
    if (!Array.isArray(command) || command.length === 0) {
      throw new TypeError("exec needs the program and its arguments as a list: ['ls', '-l']");
    }
    return this.#run({ ...options, path: this.path(options, checkName(name), 'exec'), command });
  }

  /** Connects to the program that runs in a container, from now on, until it ends. */
  async attach(name: string, options: AttachOptions = {}): Promise<ExecResult> {
    checkedOptions('attach', options, POD_CHECKS.attach);
    return this.#run({ ...options, path: this.path(options, checkName(name), 'attach') });
  }

  /** One connection to a port of a pod. Its owner destroys it; the signal does so, too. */
  async dial(name: string, port: number, options: CallOptions = {}): Promise<Duplex> {
    checkedOptions('dial', options, POD_CHECKS.dial);
    checkPort(port);
    const { dialPort } = await import('./port-connection.ts');
    return dialPort(this.#options.source, {
      path: this.path(options, checkName(name), 'portforward'),
      port,
      signal: this.#signalOf(options),
    });
  }

  /**
   * A port of this machine that leads to a port of a pod, until it or the cluster is closed:
   *
   *     await using forward = await cluster.client(pods).portForward('web-0', 8080);
   *     await fetch(`http://127.0.0.1:${forward.localPort}/`);
   */
  async portForward(name: string, port: number, options: PortForwardOptions = {}): Promise<PortForward> {
    checkedOptions('portForward', options, POD_CHECKS.portForward);
    checkPort(port);
    const { signal, localPort = 0, address = '127.0.0.1', ...call } = options;
    const path = this.path(options, checkName(name), 'portforward');
    const { PortForwardServer } = await import('./port-forward-server.ts');
    return PortForwardServer.listen({
      target: `${path.split('/')[4]}/${name}:${port}`,
      dial: (ended) => this.dial(name, port, { ...call, signal: ended }),
      logger: this.#options.logger,
      signal: this.#signalOf({ signal }),
      closed: this.#options.closed,
      localPort,
      address,
    });
  }

  async #run(command: Omit<RemoteCommand, 'logger'>): Promise<ExecResult> {
    const { remoteCommand } = await import('./remote-command.ts');
    const { source, logger } = this.#options;
    return remoteCommand(source, { ...command, signal: this.#signalOf(command), logger });
  }

  #signalOf({ signal }: { signal?: AbortSignal | undefined }): AbortSignal | undefined {
    return signal ?? this.#options.signal;
  }

  async *#lines(path: string, options: LogOptions, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
    const { container, follow = false, sinceSeconds, tailLines, previous, timestamps } = options;
    const query = queryOf({ container, follow, sinceSeconds, tailLines, previous, timestamps });
    try {
      // A quiet log may answer with its first line only.
      const limit = follow ? { headersTimeoutMs: 0 } : {};
      const request = { method: 'GET', path, query, headers: { accept: '*/*' }, signal, ...limit } as const;
      const response = await this.#options.requests.open(request);
      yield* logLines(response.body);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

function checkPort(port: number): void {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new TypeError(`a port is a number from 1 to 65535, and not ${String(port)}`);
  }
}
