import { objectKey } from '../api/key.ts';
import { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';

/** What a lister reads from. */
export interface ListerSource<T extends KubernetesObject> {
  getByKey(key: string): Stored<T> | undefined;
  /** `namespace` "" or unset: all. */
  select(selector: LabelSelector, namespace?: string): Stored<T>[];
}

/** Reads of one namespace. */
export interface NamespaceLister<T extends KubernetesObject> {
  /** By label selector (`app=web,tier in (api)`); everything when unset. Throws `SelectorError`. */
  list(selector?: string | LabelSelector): Stored<T>[];
  /** Undefined when there is none. */
  get(name: string): Stored<T> | undefined;
}

/** Reads from the informer's memory, never from the server. client-go's generated listers and `GenericLister`. */
export class Lister<T extends KubernetesObject> implements NamespaceLister<T> {
  readonly #source: ListerSource<T>;

  constructor(source: ListerSource<T>) {
    this.#source = source;
  }

  list(selector?: string | LabelSelector): Stored<T>[] {
    return this.#source.select(parse(selector));
  }

  /** By name for cluster-scoped objects, by `namespace/name` for others. */
  get(key: string): Stored<T> | undefined {
    return this.#source.getByKey(key);
  }

  namespace(namespace: string): NamespaceLister<T> {
    const source = this.#source;
    return {
      list: (selector) => source.select(parse(selector), namespace),
      get: (name) => source.getByKey(objectKey(namespace, name)),
    };
  }
}

function parse(selector: string | LabelSelector | undefined): LabelSelector {
  if (selector === undefined) return LabelSelector.everything;
  return typeof selector === 'string' ? LabelSelector.parse(selector) : selector;
}
