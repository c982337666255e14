import { randomBytes } from 'node:crypto';
import { aBoolean, aSecret, checkedOptions } from '../api/option-check.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Transport } from '../api/transport.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { Admission } from './admission/admission.ts';
import { ClaimResizeAdmission } from './admission/claim-resize-admission.ts';
import { LimitRanger } from './admission/limit-ranger.ts';
import { MutatingPolicies } from './admission/policy/mutating-policies.ts';
import { ValidatingPolicies } from './admission/policy/validating-policies.ts';
import { PriorityAdmission } from './admission/priority-admission.ts';
import { ResourceQuota } from './admission/resource-quota.ts';
import { RuntimeClassAdmission } from './admission/runtime-class-admission.ts';
import { ServiceAccountAdmission } from './admission/service-account-admission.ts';
import { WebhookClient } from './admission/webhook/webhook-client.ts';
import { MutatingWebhooks, ValidatingWebhooks } from './admission/webhook/webhooks.ts';
import type { Api } from './api.ts';
import { CustomResources } from './controllers/custom-resources.ts';
import { Expiry } from './controllers/expiry.ts';
import { GarbageCollector } from './controllers/garbage-collector.ts';
import { NamespaceContents } from './controllers/namespace-contents.ts';
import { NamespaceController } from './controllers/namespace-controller.ts';
import {
  createClusterObjects,
  createDefaultRoles,
  createFirstNamespaces,
  createKubernetesService,
} from './controllers/new-cluster.ts';
import { PolicyStatus } from './controllers/policy-status.ts';
import { ResourceQuotas } from './controllers/resource-quotas.ts';
import { RoleAggregation } from './controllers/role-aggregation.ts';
import { VolumeProtection } from './controllers/volume-protection.ts';
import { Discovery } from './handlers/discovery-handler.ts';
import { SERVER_VERSION } from './handlers/health.ts';
import { makeServingCertificate, type ServingCertificate } from './http/certificate.ts';
import { HttpFront } from './http/http-front.ts';
import { InProcessTransport } from './http/in-process-transport.ts';
import { kubeconfigText } from './http/kubeconfig-text.ts';
import { addBuiltinResources } from './kinds/builtin-resources.ts';
import { EVENT_LIFETIME_MS } from './kinds/event.ts';
import type { Kubelet } from './kubelet/kubelet.ts';
import { OpenApiDocuments } from './openapi/open-api-documents.ts';
import { EscalationCheck } from './rbac/escalation.ts';
import { RuleResolver } from './rbac/rule-resolver.ts';
import { Access } from './request/access.ts';
import { FaultPlan } from './request/fault-plan.ts';
import { identityFrom } from './request/identity.ts';
import { RequestPipeline } from './request/request-pipeline.ts';
import { ServiceAccountTokens } from './request/service-account-tokens.ts';
import { ResourceRegistry } from './storage/resource-registry.ts';
import { ServerSnapshot } from './storage/server-snapshot.ts';
import { Store } from './storage/storage.ts';
import { WatchHub } from './storage/watch-hub.ts';

/** Options of the embedded API server. */
export interface ApiServerOptions {
  /** Where to listen on 127.0.0.1. Default 0: any free port. */
  port?: number | undefined;
  /** False: no socket at all; only `transport()` reaches the server. Default true. */
  listen?: boolean | undefined;
  /** The administrator's bearer token. Default: a random one; false: everybody is the administrator. */
  token?: string | false | undefined;
  /** Plain HTTP; kubectl then sends no credentials, so the default token is false. Default false: HTTPS. */
  http?: boolean | undefined;
  /**
   * Names that requests over plain HTTP may address the server by, beside those of loopback. Others, and requests of web
   * pages from elsewhere, are refused (403), so that no page can use the server through a browser. Ignored over HTTPS.
   */
  allowedHosts?: readonly string[] | undefined;
  /** Empty deleted namespaces, collect dependents, protect claims in use, count what quotas limit, check policies. Default true; false leaves that to a real controller manager. */
  controllers?: boolean | undefined;
  /**
   * Begin with what a new cluster has beside its namespaces: the Service `default/kubernetes` with its Endpoints and
   * EndpointSlice, the ServiceCIDR `kubernetes` and the two PriorityClasses of the system; in each namespace the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt` (without `controllers` a
   * real controller manager makes those two); and pods that run as a service account, with a volume for its token, and are
   * refused when it does not exist. Default false: four namespaces and nothing else, so that a test lists only what it made.
   */
  newCluster?: boolean | undefined;
  /**
   * `rbac`: users may do what roles and bindings grant, as in a cluster that goes by RBAC: the default roles and bindings are there,
   * cluster roles are aggregated, nobody grants what they do not have, and requests without a token are those of
   * `system:anonymous`. The administrator is in `system:masters` and may do everything. Default: whoever has a token may do
   * everything, until `server.access` says otherwise; roles and bindings are stored and not obeyed.
   */
  access?: 'rbac' | undefined;
  /** Whose time and turns it goes by. Default: the machine's. */
  clock?: Clock | undefined;
  /** Default: none. */
  logger?: Logger | undefined;
  /** Numbers in [0, 1), for uids, generated names and jitter. Default: node:crypto. */
  random?: (() => number) | undefined;
  /** How many changes a watch can go back. Default 100,000. */
  historyLimit?: number | undefined;
  /** How far back in time a watch can go. Default 5 minutes, as the real server compacts. */
  historyMaxAgeMs?: number | undefined;
  /** About how often a watch gets a bookmark. Default one minute. */
  bookmarkIntervalMs?: number | undefined;
  /** How long a watch lasts at least when the client does not say; at most twice that. Default 30 minutes. */
  minRequestTimeoutMs?: number | undefined;
  /** How many events may wait for a watcher that does not read before it is cut off. Default 10,000. */
  watchQueueLimit?: number | undefined;
  /** What answers for logs, exec, attach and port-forward of pods. Nothing runs pods here: default none, and these are 501. */
  kubelet?: Kubelet | undefined;
}

/**
 * A Kubernetes API server in this process, for tests and demonstrations. `start()` gives a server that kubectl and every
 * client library can use; `transport()` reaches it without a socket.
 */
export class ApiServer implements AsyncDisposable {
  readonly #api: Api;
  readonly #pipeline: RequestPipeline;
  readonly #transports = new Set<InProcessTransport>();
  readonly #controllers: { stop(): void }[];
  readonly #webhooks: WebhookClient;
  #front: HttpFront | undefined;
  #certificate: ServingCertificate | undefined;
  #stopped = false;
  /** What is to go wrong. */
  readonly faults = new FaultPlan();
  /** Who may do what. */
  readonly access: Access;
  /** The administrator's bearer token; undefined when none is needed. */
  readonly token: string | undefined;

  protected constructor(options: ApiServerOptions) {
    const { clock = systemClock, http = false } = options;
    const logger = safeLogger(options.logger);
    const token = options.token ?? (http ? false : randomBytes(24).toString('base64url'));
    this.token = token === false ? undefined : token;
    this.access = new Access(this.token, clock);
    const registry = new ResourceRegistry();
    const store = new Store({
      clock,
      historyLimit: options.historyLimit ?? 100_000,
      historyMaxAgeMs: options.historyMaxAgeMs ?? 5 * 60_000,
    });
    const roles = options.access === 'rbac' ? new RuleResolver(store) : undefined;
    const identity = identityFrom(options.random);
    const serviceAccountTokens = new ServiceAccountTokens(store, clock, identity);
    this.access.use({ ...(roles ? { authorizer: roles } : {}), authenticator: serviceAccountTokens });
    this.#api = {
      store,
      registry,
      watches: new WatchHub(),
      access: this.access,
      admission: new Admission(),
      clock,
      identity,
      roles,
      serviceAccountTokens,
      logger,
      kubelet: options.kubelet,
      settings: {
        bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
        minRequestTimeoutMs: options.minRequestTimeoutMs ?? 30 * 60_000,
        watchQueueLimit: options.watchQueueLimit ?? 10_000,
        freshnessTimeoutMs: 3_000,
      },
    };
    this.#webhooks = new WebhookClient(store, clock);
    addBuiltinResources(registry, store);
    this.#controllers = [
      new Expiry(this.#api, 'events', EVENT_LIFETIME_MS),
      new CustomResources(this.#api, this.#webhooks),
    ];
    if (options.controllers ?? true) {
      this.#controllers.push(
        new GarbageCollector(this.#api),
        new NamespaceController(this.#api),
        new VolumeProtection(this.#api),
        new ResourceQuotas(this.#api),
        new PolicyStatus(this.#api),
      );
      if (roles) this.#controllers.push(new RoleAggregation(this.#api));
    }
    this.#addPlugins(options);
    createFirstNamespaces(this.#api);
    const openApi = new OpenApiDocuments({
      resources: () => registry.all().map((resource) => resource.init),
      stamp: () => registry.generation,
      serverVersion: SERVER_VERSION,
    });
    this.#pipeline = new RequestPipeline({
      api: this.#api,
      access: this.access,
      faults: this.faults,
      discovery: new Discovery(registry, () => `127.0.0.1:${this.#front?.port ?? 0}`),
      extraPaths: (parts, request) => openApi.respond(parts, request),
    });
  }

  /** In the order of the real server, which charges quotas last. */
  #addPlugins({ newCluster }: ApiServerOptions): void {
    const { admission, store, identity, roles } = this.#api;
    admission.add(new LimitRanger(store));
    admission.add(new PriorityAdmission(store));
    admission.add(new RuntimeClassAdmission(store));
    admission.add(new ClaimResizeAdmission(store));
    if (newCluster) admission.add(new ServiceAccountAdmission(store, (prefix) => identity.generatedName(prefix)));
    admission.add(new MutatingPolicies(this.#api));
    admission.add(new MutatingWebhooks(this.#api, this.#webhooks));
    if (roles) admission.add(new EscalationCheck(roles, this.access));
    admission.add(new ValidatingPolicies(this.#api));
    admission.add(new ValidatingWebhooks(this.#api, this.#webhooks));
    admission.add(new ResourceQuota(this.#api));
  }

  static async start(options: ApiServerOptions = {}): Promise<ApiServer> {
    const server = new ApiServer(options);
    await server.begin(options);
    return server;
  }

  /** `https://127.0.0.1:43211`; empty without a socket. */
  get url(): string {
    if (!this.#front) return '';
    return `${this.#certificate ? 'https' : 'http'}://127.0.0.1:${this.#front.port}`;
  }

  /** PEM of the authority that signed the serving certificate; undefined over plain HTTP and without a socket. */
  get ca(): string | undefined {
    return this.#certificate?.ca;
  }

  /** The revision of the last change. */
  get resourceVersion(): string {
    return String(this.#api.store.revision);
  }

  /** How many watches are open. */
  get openWatches(): number {
    return this.#api.watches.size;
  }

  /** The text of a kubeconfig for this server. It holds the token: write it with mode 0600. */
  kubeconfig(): string {
    if (this.url === '')
      throw new TidewatchError(
        'misuse',
        'the server has no socket: start it without `listen: false`, or use transport()',
      );
    return kubeconfigText({
      url: this.url,
      ...(this.ca === undefined ? {} : { ca: this.ca }),
      ...(this.token === undefined ? {} : { token: this.token }),
    });
  }

  /** Reaches the server in process, as the administrator or as the user of another token. */
  transport(
    options: {
      /** Whose token is shown. Default: the administrator's. */
      token?: string | undefined;
    } = {},
  ): Transport {
    checkedOptions('server.transport', options, { token: aSecret });
    const token = options.token ?? this.token;
    const transport = new InProcessTransport({
      handle: (request) => this.#pipeline.handle(request),
      clock: this.#api.clock,
      ...(token === undefined ? {} : { token }),
    });
    this.#transports.add(transport);
    if (this.#stopped) void transport.refuse();
    return transport;
  }

  /** Forgets the history up to a revision (default: all of it), so that watches from before it get 410. */
  compact(resourceVersion?: string): void {
    this.#api.store.compact(resourceVersion === undefined ? undefined : Number(resourceVersion));
  }

  /** Ends every watch, cleanly as at a timeout, or with broken connections. */
  disconnectWatches(
    options: {
      /** With broken connections. Default false. */
      abruptly?: boolean | undefined;
    } = {},
  ): void {
    checkedOptions('disconnectWatches', options, { abruptly: aBoolean });
    if (options.abruptly) this.#api.watches.breakAll();
    else this.#api.watches.endAll();
  }

  /** All that is stored now, to go back to with `restore`, as often as need be. What the server itself knows is not in it. */
  snapshot(): ServerSnapshot {
    return new ServerSnapshot(this.#api.store.save());
  }

  /**
   * Goes back in time, as a cluster whose etcd was restored from a backup: all objects and the resourceVersion are as they were,
   * what happened since is forgotten, and the connections of all watches break. Clients that are ahead of the server now meet what
   * they would meet there: a watch from a version that is yet to come is accepted and silent until that version has passed, a
   * list gets 504. Tokens, denials and faults stay as they are. A snapshot of another server fits, too.
   */
  restore(snapshot: ServerSnapshot): void {
    this.#api.watches.breakAll();
    for (const { table, previous, current } of this.#api.store.restore(snapshot.content)) {
      this.#api.registry.forTable(table)?.strategy.afterRestore?.(previous?.decode(), current?.decode());
    }
  }

  /** Ends all requests and closes the socket. Idempotent. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.faults.clear();
    for (const controller of this.#controllers) controller.stop();
    this.#webhooks.stop();
    this.#api.watches.endAll();
    await Promise.all([...this.#transports].map((transport) => transport.refuse()));
    await this.#front?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Listens, unless that is not wanted, and makes what a new cluster has. */
  protected async begin(options: ApiServerOptions): Promise<void> {
    if (options.listen ?? true) await this.#listen(options);
    if (this.#api.roles) await createDefaultRoles(this.#api);
    if (!options.newCluster) return;
    // Without a socket nobody comes by address: the usual port stands for it.
    createKubernetesService(this.#api, { ip: '127.0.0.1', port: this.#front?.port ?? 6443 });
    createClusterObjects(this.#api);
    if (!(options.controllers ?? true)) return;
    const contents = new NamespaceContents(this.#api, () => this.ca ?? '');
    this.#controllers.push(contents);
    contents.begin();
  }

  async #listen(options: ApiServerOptions): Promise<void> {
    if (!options.http) this.#certificate = makeServingCertificate(['127.0.0.1', '::1', 'localhost', 'kubernetes']);
    this.#front = await HttpFront.listen({
      port: options.port ?? 0,
      allowedHosts: options.allowedHosts ?? [],
      handle: (request) => this.#pipeline.handle(request),
      logger: this.#api.logger,
      ...(this.#certificate ? { certificate: this.#certificate } : {}),
    });
  }
}
