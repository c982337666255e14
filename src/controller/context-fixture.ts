import { metaNamespaceKey } from '../api/key.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { silentLogger } from '../observe/logger.ts';
import type { ReconcileContext, RecordedEvent } from './controller.ts';
import { setControllerReference } from './owner-reference.ts';

/** A run about an object, for tests of helpers that need no manager. It has no caches. */
export class TestContext<T extends KubernetesObject> implements ReconcileContext<T> {
  readonly #cluster: Cluster;
  readonly #resource: Resource<T>;
  readonly object: Stored<T> | undefined;
  readonly key: string;
  readonly signal = new AbortController().signal;
  readonly logger = silentLogger;
  readonly causes = [];
  readonly client: ReconcileContext<T>['client'];
  readonly recorded: RecordedEvent[] = [];

  constructor(cluster: Cluster, resource: Resource<T>, object: T | undefined, key?: string) {
    this.#cluster = cluster;
    this.#resource = resource;
    this.object = object as Stored<T> | undefined;
    this.key = key ?? metaNamespaceKey(object ?? {});
    this.client = ((one: Resource) =>
      this.#cluster.client(one, {
        namespace: this.namespace || 'default',
        fieldManager: 'test',
      })) as ReconcileContext<T>['client'];
    // As users take it out of the context.
    this.own = this.own.bind(this);
  }

  get namespace(): string {
    return this.object?.metadata.namespace ?? '';
  }

  get name(): string {
    return this.object?.metadata.name ?? '';
  }

  lister(): never {
    throw new TypeError('a TestContext has no caches');
  }

  listerOfAll(): never {
    throw new TypeError('a TestContext has no caches');
  }

  own<R extends KubernetesObject>(object: R): R {
    return setControllerReference(this.object ?? {}, this.#resource, object);
  }

  record(_regarding: KubernetesObject, event: RecordedEvent): void {
    this.recorded.push(event);
  }
}
