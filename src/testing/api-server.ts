import {
  aBoolean,
  aClock,
  aFunction,
  aLogger,
  aNumber,
  anObject,
  anything,
  aSecret,
  checkedOptions,
  type OptionChecks,
  oneOf,
} from '../api/option-check.ts';
import { type ApiServerOptions, ApiServer as EmbeddedServer } from '../apiserver/apiserver.ts';
import { Cluster } from '../cluster/cluster.ts';
import { CLUSTER_CHECKS, type ClusterOptions } from '../cluster/connect-options.ts';

/** Options of `server.cluster`. */
export interface InProcessClusterOptions extends ClusterOptions {
  /** Whose token is shown. Default: the administrator's. */
  token?: string | undefined;
}

const SERVER_CHECKS: OptionChecks<ApiServerOptions> = {
  port: aNumber,
  listen: aBoolean,
  token: anything, // a text, or false
  http: aBoolean,
  allowedHosts: anything,
  controllers: aBoolean,
  newCluster: aBoolean,
  access: oneOf('rbac'),
  clock: aClock,
  logger: aLogger,
  random: aFunction,
  historyLimit: aNumber,
  historyMaxAgeMs: aNumber,
  bookmarkIntervalMs: aNumber,
  minRequestTimeoutMs: aNumber,
  watchQueueLimit: aNumber,
  kubelet: anObject,
};

/**
 * A Kubernetes API server in this process, to test controllers and informers on without a cluster:
 * `await using server = await ApiServer.start()`, then `server.cluster()` in process, or `server.kubeconfig()` for kubectl
 * and every other client.
 */
export class ApiServer extends EmbeddedServer {
  static {
    // A bundler gives one of two classes of the same name another one.
    Object.defineProperty(ApiServer, 'name', { value: 'ApiServer' });
  }

  /** Resolves when it can be asked. Throws a `TypeError` for options that there are not. */
  static override async start(options: ApiServerOptions = {}): Promise<ApiServer> {
    checkedOptions('ApiServer.start', options, SERVER_CHECKS);
    const server = new ApiServer(options);
    await server.begin(options);
    return server;
  }

  /** Reaches the server in process, without a socket. */
  cluster(given: InProcessClusterOptions = {}): Cluster {
    const { token, ...options } = checkedOptions('server.cluster', given, { ...CLUSTER_CHECKS, token: aSecret });
    const transport = this.transport(token === undefined ? {} : { token });
    return Cluster.over(transport, { server: this.url || 'the embedded API server', ...options });
  }
}
