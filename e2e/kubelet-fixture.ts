import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../src/api/api-error.ts';
import type { Cluster } from '../src/cluster/cluster.ts';
import { type Pod, pods } from '../src/generated/api/core/v1.ts';

/**
 * Does to the pods of a namespace, or of all, what a scheduler and a kubelet do, as far as controllers look: binds them to a node, reports them running and
 * ready, and deletes those that are to go. Images that begin with `broken` never become ready. Ends with `stop`.
 */
export class TestKubelet {
  readonly #cluster: Cluster;
  readonly #namespace: string | undefined;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;

  constructor(cluster: Cluster, namespace?: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const { items } = await this.#cluster
          .client(pods)
          .list({ ...(this.#namespace && { namespace: this.#namespace }), signal });
        for (const pod of items) await this.#handle(pod);
        await sleep(100, undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        // Somebody else was quicker, or the server is away for the moment.
        if (error instanceof TypeError) throw error;
        await sleep(100, undefined, { signal }).catch(() => {});
      }
    }
  }

  async #handle(pod: Pod): Promise<void> {
    const { name = '', namespace = '', uid, deletionTimestamp } = pod.metadata ?? {};
    const client = this.#cluster.client(pods, { namespace });
    try {
      if (deletionTimestamp !== undefined) {
        await client.delete(name, { gracePeriodSeconds: 0, ...(uid && { preconditions: { uid } }) });
        return;
      }
      if (!pod.spec?.nodeName) {
        const target = { apiVersion: 'v1', kind: 'Node', name: 'test-node' };
        await client.create({ metadata: { name }, target } as never, { subresource: 'binding', name });
      }
      const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
      if (isReady || pod.spec?.containers[0]?.image?.startsWith('broken')) return;
      const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
      const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
        type,
        status: 'True',
        lastTransitionTime: now,
      }));
      await client.patch(name, { status: { phase: 'Running', startTime: now, conditions } }, { subresource: 'status' });
    } catch (error) {
      if (!(error instanceof ApiError) || (error.kind !== 'not-found' && error.kind !== 'conflict')) throw error;
    }
  }
}
