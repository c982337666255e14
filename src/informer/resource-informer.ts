import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import { DerivedInformer, type SelectOptions } from './derived-informer.ts';
import type { Lister } from './lister.ts';
import type { SharedIndexInformer } from './shared-index-informer.ts';

/**
 * Access to a factory's informer of one resource; asking for the informer or the lister is what makes it part of the
 * next `factory.start()`. client-go's `PodInformer` and its like, and `GenericInformer`.
 */
export class ResourceInformer<T extends KubernetesObject> {
  readonly resource: Resource<T>;
  readonly #find: () => SharedIndexInformer<T>;
  #informer: SharedIndexInformer<T> | undefined;

  constructor(resource: Resource<T>, informer: () => SharedIndexInformer<T>) {
    this.resource = resource;
    this.#find = informer;
  }

  /**
   * The same one however often it is asked for, also when it has stopped; `factory.for` finds a new one then.
   *
   * ```ts
   * const informer = factory.for(pods).informer();
   * ```
   */
  informer(): SharedIndexInformer<T> {
    this.#informer ??= this.#find();
    return this.#informer;
  }

  /**
   * Reads what its informer has in memory.
   *
   * ```ts
   * const web = factory.for(pods).lister().namespace('default').list('app=web');
   * ```
   */
  lister(): Lister<T> {
    return this.informer().lister();
  }

  /** An informer of a part of these objects, on the same watch and store. */
  select(options: SelectOptions): DerivedInformer<T> {
    return new DerivedInformer(this.informer(), options);
  }
}
