import { setMaxListeners } from 'node:events';
import { inspect } from 'node:util';
import type { KubernetesObject } from '../api/metadata.ts';
import { anObject, anything, aText, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import type { Reachability } from '../api/reachability.ts';
import { type AnsweredResource, checkNamespace, type PodResource, type Resource } from '../api/resource.ts';
import { mustBeResource } from '../api/resource-check.ts';
import type { Transport } from '../api/transport.ts';
import { publicUrl } from '../http/public-url.ts';
import { KubeconfigError } from '../login/kubeconfig.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { type Metrics, safeMetrics } from '../observe/metrics.ts';
import { systemRandom } from '../observe/random.ts';
import { type AllowedOptions, allowedNamespaces } from './allowed-namespaces.ts';
import { ApiRequests, type RequestHooks } from './api-requests.ts';
import { type AnsweredClient, Client } from './client.ts';
import type { ClientNodeConfig } from './client-node-config.ts';
import {
  CLUSTER_CHECKS,
  type ClusterOptions,
  CONNECT_CHECKS,
  type ConnectOptions,
  SOCKET_CHECKS,
  type SocketOptions,
} from './connect-options.ts';
import { DeferredTransport } from './deferred-transport.ts';
import { Discovery } from './discovery.ts';
import { checkFieldManager } from './field-manager.ts';
import { meteredTransport } from './metered-transport.ts';
import { PodClient } from './pods/pod-client.ts';
import { ReadyzProber } from './readyz-prober.ts';
import { ServerWarnings } from './server-warnings.ts';

/** Options of `Cluster.over`. */
export interface OverOptions extends ClusterOptions {
  /** What messages call the server. */
  server?: string | undefined;
}

/** Options of `cluster.client`. */
export interface ClusterClientOptions {
  /** Where all calls go that do not say otherwise. Unset: see `Client`. */
  namespace?: string | undefined;
  /** Who owns the fields that this client writes. Default: the cluster's. */
  fieldManager?: string | undefined;
  /** @internal */
  hooks?: RequestHooks | undefined;
  /** @internal What its requests go through instead of the cluster's. */
  transport?: Transport | undefined;
}

const CLIENT_CHECKS: OptionChecks<ClusterClientOptions> = {
  namespace: aText,
  fieldManager: anything, // checked with its value
  hooks: anObject,
  transport: anObject,
};

/**
 * A cluster and our login to it: where informers get their objects, and clients theirs. Holds no connection until
 * something is asked for. What it knows of the login can be neither read nor printed.
 */
export class Cluster {
  /** The URL of the API server. */
  readonly server: string;
  /** The namespace for what does not say its own. */
  readonly namespace: string;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Tells informers when a server that they could not reach answers again. */
  readonly reachability: Reachability;
  readonly #requests: ApiRequests;
  readonly #fieldManager: string | undefined;
  readonly #closing = new AbortController();
  #discovery: Discovery | undefined;

  private constructor(transport: Transport, server: string, namespace: string, options: ClusterOptions) {
    if (options.namespace) checkNamespace(options.namespace);
    this.transport = transport;
    this.server = server;
    this.namespace = namespace;
    this.clock = options.clock ?? systemClock;
    this.logger = safeLogger(options.logger);
    this.metrics = safeMetrics(options.metrics);
    this.reachability = new ReadyzProber({ transport, clock: this.clock, random: systemRandom });
    this.#fieldManager = checkFieldManager(options.fieldManager);
    // Every informer of the cluster listens.
    setMaxListeners(0, this.#closing.signal);
    const warnings = new ServerWarnings(this.logger);
    this.#requests = new ApiRequests({ transport, clock: this.clock, warnings, closed: this.closed });
  }

  /**
   * Finds the cluster as kubectl does: `$KUBECONFIG`, `~/.kube/config`, or the service account of the pod that this
   * runs in. Reads the files and sends nothing: a wrong address shows with the first request.
   *
   * ```ts
   * await using cluster = await Cluster.connect({ context: 'staging' });
   * ```
   */
  static async connect(options: ConnectOptions = {}): Promise<Cluster> {
    checkedOptions('Cluster.connect', options, CONNECT_CHECKS);
    // Loaded here and not above, so that importing the package costs little.
    const [{ resolveConnection }, { HttpTransport }] = await Promise.all([
      import('./connection.ts'),
      import('../http/http-transport.ts'),
    ]);
    const connection = await resolveConnection(options);
    const transport = new HttpTransport(connection.transport);
    await transport.prepare();
    return new Cluster(transport, transport.server, connection.namespace, options);
  }

  /**
   * The cluster and login of the current context of a `KubeConfig` of @kubernetes/client-node (1.x or 2.x), as they are now:
   * what is changed in it later has no effect here.
   */
  static from(config: ClientNodeConfig, options: ClusterOptions & SocketOptions = {}): Cluster {
    checkedOptions('Cluster.from', options, { ...CLUSTER_CHECKS, ...SOCKET_CHECKS });
    const context = config.getCurrentContext();
    const cluster = config.getCurrentCluster();
    const user = config.getCurrentUser();
    if (cluster === null || !URL.canParse(cluster.server)) {
      throw new KubeconfigError(`the KubeConfig has no cluster with a server for its current context "${context}"`);
    }
    const transport = new DeferredTransport(async () => {
      const { clientNodeTransport } = await import('./client-node-transport.ts');
      return clientNodeTransport(config, cluster, user, options);
    });
    const namespace = options.namespace || config.getContextObject(context)?.namespace || 'default';
    return new Cluster(transport, publicUrl(cluster.server), namespace, options);
  }

  /** Over a transport of one's own, such as that of the embedded API server. */
  static over(transport: Transport, options: OverOptions = {}): Cluster {
    checkedOptions('Cluster.over', options, { ...CLUSTER_CHECKS, server: aText });
    const server = publicUrl(options.server ?? 'in process');
    return new Cluster(
      meteredTransport(transport, { ...options, server }),
      server,
      options.namespace || 'default',
      options,
    );
  }

  /** What the server offers, by any of its names. */
  get discovery(): Discovery {
    this.#discovery ??= new Discovery({ requests: this.#requests });
    return this.#discovery;
  }

  /** Aborts when `close` is called. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /**
   * A client for one resource, in one namespace or, without, in the one that each call means. That of `pods` has logs, exec, attach and
   * port-forward, too; that of what is stored nowhere, such as `tokenReviews`, can `create` alone.
   */
  client<T extends KubernetesObject>(resource: PodResource<T>, options?: ClusterClientOptions): PodClient<T>;
  client<T extends KubernetesObject>(resource: AnsweredResource<T>, options?: ClusterClientOptions): AnsweredClient<T>;
  client<T extends KubernetesObject>(resource: Resource<T>, options?: ClusterClientOptions): Client<T>;
  client<T extends KubernetesObject>(resource: Resource<T>, options: ClusterClientOptions = {}): Client<T> {
    mustBeResource('cluster.client', resource);
    checkedOptions('cluster.client', options, CLIENT_CHECKS);
    const { hooks, transport = this.transport } = options;
    const parts = {
      resource,
      requests: hooks || options.transport ? this.#requests.with({ hooks, transport }) : this.#requests,
      namespace: options.namespace,
      defaultNamespace: this.namespace,
      fieldManager: options.fieldManager ?? this.#fieldManager,
    };
    if (resource.group !== '' || resource.plural !== 'pods') return new Client(parts);
    const { clock, server, logger, closed } = this;
    return new PodClient({ ...parts, source: { transport, clock, server }, logger, closed, signal: hooks?.signal });
  }

  /**
   * The namespaces, sorted, in which the login may do all of `verbs` with the resource; to be given to a factory as its `namespace`. Asks by one
   * SelfSubjectRulesReview for each namespace, and where that is incomplete by a SelfSubjectAccessReview for each verb. Without `namespaces`
   * it lists them, which needs that right.
   *
   * ```ts
   * const namespace = await cluster.allowed({ verbs: ['list', 'watch'], resource: pods });
   * ```
   */
  async allowed(options: AllowedOptions): Promise<string[]> {
    return allowedNamespaces(this.#requests, options);
  }

  /**
   * Stops the informers of this cluster, closes forwarded ports, ends idle sockets, aborts running requests and refuses new ones. Idempotent.
   *
   * ```ts
   * await factory.shutdown();
   * await cluster.close(); // or `await using cluster = …`
   * ```
   */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.transport.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  [inspect.custom](): string {
    return `Cluster { server: '${this.server}', namespace: '${this.namespace}' }`;
  }
}
