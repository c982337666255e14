import { defined } from '../api/defined.ts';
import { type ApiServerOptions, ApiServer as EmbeddedServer } from '../apiserver/apiserver.ts';
import { Cluster } from '../cluster/cluster.ts';
import type { ClusterOptions } from '../cluster/connect-options.ts';

/** Options of `server.cluster`. */
export interface InProcessClusterOptions extends ClusterOptions {
  /** Whose token is shown. Default: the administrator's. */
  token?: string | undefined;
}

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

  static override async start(options: ApiServerOptions = {}): Promise<ApiServer> {
    const server = new ApiServer(options);
    await server.begin(options);
    return server;
  }

  /** Reaches the server in process, without a socket. */
  cluster({ token, ...options }: InProcessClusterOptions = {}): Cluster {
    const transport = this.transport(token === undefined ? {} : { token });
    return Cluster.over(transport, { server: this.url || 'the embedded API server', ...defined(options) });
  }
}
