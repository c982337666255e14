import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesList, KubernetesObject } from '../api/metadata.ts';
import { aBoolean, aFunction, aText, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import type { Resource } from '../api/resource.ts';
import type { WatchEvent } from '../api/watch-event.ts';
import type { CallContext, ListerWatcher } from './lister-watcher.ts';

/** The functions that a `ListWatch` is made of. */
export interface ListWatchOptions<T extends KubernetesObject> extends ListerWatcher<T> {}

const CHECKS: OptionChecks<ListWatchOptions<KubernetesObject>> = {
  list: aFunction,
  watch: aFunction,
  supportsWatchList: aBoolean,
};

/** What is listed and watched of a resource. */
export interface ListWatchScope {
  /** Unset: all, or that of the cluster's own default client. */
  namespace?: string | undefined;
  /** `app=web,tier in (api)`. */
  labelSelector?: string | undefined;
  /** `spec.nodeName=node-1`. */
  fieldSelector?: string | undefined;
}

const SCOPE_CHECKS: OptionChecks<ListWatchScope> = { namespace: aText, labelSelector: aText, fieldSelector: aText };

/** What a `ListWatch` needs of a `Cluster`. */
export interface ListWatchCluster {
  client<T extends KubernetesObject>(
    resource: Resource<T>,
  ): {
    list(options: ListOptions & { namespace?: string; signal?: AbortSignal }): Promise<KubernetesList<T>>;
    watch(options: ListOptions & { namespace?: string; signal?: AbortSignal }): AsyncIterable<WatchEvent<T>>;
  };
}

/**
 * List and watch functions of the user's own, in place of a cluster: for another client, for something that is not
 * Kubernetes at all, for tests. They never retry; a function that throws is a failed list or watch. client-go's
 * `cache.ListWatch`.
 *
 * ```ts
 * const running = ListWatch.for(cluster, pods, { namespace: 'shop', fieldSelector: 'status.phase=Running' });
 * ```
 */
export class ListWatch<T extends KubernetesObject> implements ListerWatcher<T> {
  readonly supportsWatchList: boolean;
  readonly #options: ListWatchOptions<T>;

  constructor(options: ListWatchOptions<T>) {
    checkedOptions('ListWatch', options, CHECKS, ['list', 'watch']);
    this.#options = options;
    this.supportsWatchList = options.supportsWatchList ?? false;
  }

  /** The objects of a resource on a cluster. client-go's `NewListWatchFromClient`. */
  static for<T extends KubernetesObject>(
    cluster: ListWatchCluster,
    resource: Resource<T>,
    given: ListWatchScope = {},
  ): ListWatch<T> {
    const scope = checkedOptions('ListWatch.for', given, SCOPE_CHECKS);
    const client = cluster.client(resource);
    return new ListWatch({
      list: (options, { signal }) => client.list({ ...options, ...scope, signal }),
      watch: (options, { signal }) => client.watch({ ...options, ...scope, signal }),
      supportsWatchList: true,
    });
  }

  list(options: ListOptions, context: CallContext): Promise<KubernetesList<T>> | KubernetesList<T> {
    return this.#options.list(options, context);
  }

  watch(
    options: ListOptions,
    context: CallContext,
  ): Promise<AsyncIterable<WatchEvent<T>>> | AsyncIterable<WatchEvent<T>> {
    return this.#options.watch(options, context);
  }
}
