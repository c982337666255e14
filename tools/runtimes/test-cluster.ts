import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Cluster,
  type ConnectOptions,
  type HandlerRegistration,
  type Informer,
  type Logger,
  SharedInformerFactory,
  type SharedInformerFactoryOptions,
} from 'tidewatch';
import { type Pod, pods } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';

/** Long enough for a busy machine; a check that waits longer has failed. */
const PATIENCE_MS = 20_000;

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** An embedded API server on a socket with TLS, and a cluster that was found through a kubeconfig file. */
export class TestCluster implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'tidewatch-runtime-'));
  readonly #token = 'the-token-of-this-check';
  readonly #factories: SharedInformerFactory[] = [];
  readonly #clusters: Cluster[] = [];
  #server: ApiServer | undefined;

  static async start(): Promise<TestCluster> {
    const cluster = new TestCluster();
    await cluster.listen();
    return cluster;
  }

  get server(): ApiServer {
    if (this.#server === undefined) throw new Error('the server does not run');
    return this.#server;
  }

  /** Starts the server, on the given port, with a new authority, which it writes into the file that the kubeconfig names. */
  async listen(port = 0): Promise<void> {
    this.#server = await ApiServer.start({ port, token: this.#token, logger: silent });
    writeFileSync(join(this.folder, 'ca.pem'), this.#server.ca ?? '');
  }

  /** The path of a kubeconfig for the server; `user` replaces its token. */
  kubeconfig(user: Record<string, unknown> = { token: this.#token }): string {
    const path = join(this.folder, 'kubeconfig');
    const cluster = { server: this.server.url, 'certificate-authority': 'ca.pem' };
    writeFileSync(
      path,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'check',
        contexts: [{ name: 'check', context: { cluster: 'check', user: 'check' } }],
        clusters: [{ name: 'check', cluster }],
        users: [{ name: 'check', user }],
      }),
      { mode: 0o600 },
    );
    return path;
  }

  async connect(options: ConnectOptions = {}): Promise<Cluster> {
    const kubeconfig = options.kubeconfig ?? this.kubeconfig();
    const cluster = await Cluster.connect({ logger: silent, env: {}, ...options, kubeconfig });
    this.#clusters.push(cluster);
    return cluster;
  }

  /** Waits for few milliseconds where the defaults wait for seconds. */
  async factory(options: SharedInformerFactoryOptions = {}): Promise<SharedInformerFactory> {
    const factory = new SharedInformerFactory(await this.connect(), {
      logger: silent,
      backoff: { initialMs: 20, jitter: 0 },
      ...options,
    });
    this.#factories.push(factory);
    return factory;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const factory of this.#factories) await factory.shutdown();
    for (const cluster of this.#clusters) await cluster.close();
    await this.#server?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Resolves when the condition holds; rejects, naming it, when it does not for long. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited for ${PATIENCE_MS} ms until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`expected a rejection, got ${String(value)}`);
    },
    (error: unknown) => error,
  );
}

export function pod(name: string, labels: Record<string, string> = {}): Pod {
  return { metadata: { name, labels }, spec: { containers: [{ name: 'main', image: `${name}:1` }] } };
}

/** What a handler of pods was told, in order: `add a`, `update a 1`, `delete a`; the number is the label `step`. */
export interface Heard {
  readonly events: string[];
  readonly registration: HandlerRegistration;
  /** Resolves when so many events have come. */
  count(events: number): Promise<void>;
}

export function listen(informer: Pick<Informer<Pod>, 'addEventHandler'>): Heard {
  const events: string[] = [];
  const say = (what: string, { metadata }: Pod) => {
    const step = metadata?.labels?.step;
    events.push(`${what} ${metadata?.name}${step === undefined ? '' : ` ${step}`}`);
  };
  const registration = informer.addEventHandler({
    onAdd: (one) => say('add', one),
    onUpdate: (_old, one) => say('update', one),
    onDelete: (one, finalStateUnknown) => say(finalStateUnknown ? 'delete unseen' : 'delete', one),
  });
  const count = (wanted: number) => until(`${wanted} events came: ${events}`, () => events.length >= wanted);
  return { events, registration, count };
}

/** Without waiting for a kubelet. Handlers hear of an update, which marks it as deleted, and of the delete. */
export async function remove(cluster: Cluster, name: string): Promise<void> {
  await cluster.client(pods).delete(name, { gracePeriodSeconds: 0 });
}
