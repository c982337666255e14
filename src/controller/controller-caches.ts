import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { type Resource, resourceName } from '../api/resource.ts';
import type { Lister, NamespaceLister } from '../informer/lister.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';

type Informer = SharedIndexInformer<KubernetesObject>;

/** The caches of one controller: what it has declared, and nothing else. */
export class ControllerCaches {
  readonly #name: string;
  readonly #informers = new Map<string, Informer>();
  /** By group and plural name: whatever version they are read in, objects have one resourceVersion. */
  readonly #byGroup = new Map<string, Informer[]>();

  constructor(name: string, resources: readonly Resource[], informerOf: (resource: Resource) => Informer) {
    this.#name = name;
    for (const resource of resources) {
      if (this.#informers.has(resourceName(resource))) continue;
      const informer = informerOf(resource);
      this.#informers.set(resourceName(resource), informer);
      const group = groupName(resource);
      this.#byGroup.set(group, [...(this.#byGroup.get(group) ?? []), informer]);
    }
  }

  get informers(): Iterable<Informer> {
    return this.#informers.values();
  }

  /** Of every declared version of the resource. */
  informersOf(resource: Resource): readonly Informer[] {
    return this.#byGroup.get(groupName(resource)) ?? [];
  }

  informer<T extends KubernetesObject>(resource: Resource<T>): SharedIndexInformer<T> {
    const informer = this.#informers.get(resourceName(resource));
    if (informer) return informer as unknown as SharedIndexInformer<T>;
    throw new TypeError(
      `controller ${this.#name} has not declared ${resourceName(resource)}, so it has no cache of it. ` +
        `Add .reads(${resource.plural}) to the controller, or ask the server with client(${resource.plural}).`,
    );
  }

  get<T extends KubernetesObject>(resource: Resource<T>, key: string): Stored<T> | undefined {
    return this.informer(resource).table.get(key)?.view() as Stored<T> | undefined;
  }

  lister<T extends KubernetesObject>(resource: Resource<T>): Lister<T> {
    return this.informer(resource).lister();
  }

  /** Of one namespace; of everything when there is none, or the resource has none. */
  namespaceLister<T extends KubernetesObject>(resource: Resource<T>, namespace: string): NamespaceLister<T> {
    const lister = this.lister(resource);
    return resource.namespaced && namespace !== '' ? lister.namespace(namespace) : lister;
  }
}

function groupName({ group, plural }: Resource): string {
  return `${plural}.${group}`;
}
