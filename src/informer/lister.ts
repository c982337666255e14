import { objectKey } from '../api/key.ts';
import { LabelSelector } from '../api/label-selector.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';
import { shown } from '../api/option-check.ts';

/** What a lister reads from. */
export interface ListerSource<T extends KubernetesObject> {
  getByKey(key: string): Stored<T> | undefined;
  /** `namespace` "" or unset: all. */
  select(selector: LabelSelector, namespace?: string): Stored<T>[];
  /** The same, one by one. Default: those of `select`. */
  values?: ((selector: LabelSelector, namespace?: string) => Iterable<Stored<T>>) | undefined;
  /** Asked for a key that was not found: throws a `TypeError` when no object can ever have it. Default: any key may be found some day. */
  checkKey?: ((key: string) => void) | undefined;
}

/** Reads of one namespace. */
export interface NamespaceLister<T extends KubernetesObject> {
  /** By label selector (`app=web,tier in (api)`); everything when unset. Throws `SelectorError`. */
  list(selector?: string | LabelSelector): Stored<T>[];
  /**
   * The same without a list: each is made when it is asked for. What was selected when the iteration began; an object that has
   * changed since is shown as it was.
   */
  values(selector?: string | LabelSelector): Iterable<Stored<T>>;
  /** Undefined when there is none. */
  get(name: string): Stored<T> | undefined;
}

/** Reads from the informer's memory, never from the server. client-go's generated listers and `GenericLister`. */
export class Lister<T extends KubernetesObject> implements NamespaceLister<T> {
  readonly #source: ListerSource<T>;

  constructor(source: ListerSource<T>) {
    this.#source = source;
  }

  /**
   * By label selector; everything when unset. Throws `SelectorError`.
   *
   * ```ts
   * const web = lister.list('app=web,tier in (api)');
   * ```
   */
  list(selector?: string | LabelSelector): Stored<T>[] {
    return this.#source.select(LabelSelector.parse(selector ?? LabelSelector.everything));
  }

  values(selector?: string | LabelSelector): Iterable<Stored<T>> {
    return valuesOf(this.#source, selector);
  }

  /**
   * By name for cluster-scoped objects, by `namespace/name` for others. Undefined when there is none. A name without a namespace, where
   * every object has one, is a `TypeError`: it would never find anything.
   */
  get(key: string): Stored<T> | undefined {
    const found = this.#source.getByKey(key);
    if (found === undefined) this.#source.checkKey?.(key);
    return found;
  }

  /** Only what is in that namespace; `''` means all. */
  namespace(namespace: string): NamespaceLister<T> {
    if (typeof namespace !== 'string') {
      throw new TypeError(`namespace of a lister needs a name, and got ${shown(namespace)}: list() is for all of them`);
    }
    const source = this.#source;
    return {
      list: (selector) => source.select(LabelSelector.parse(selector ?? LabelSelector.everything), namespace),
      values: (selector) => valuesOf(source, selector, namespace),
      get: (name) => source.getByKey(objectKey(namespace, name)),
    };
  }
}

function valuesOf<T extends KubernetesObject>(
  source: ListerSource<T>,
  selector: string | LabelSelector | undefined,
  namespace?: string,
): Iterable<Stored<T>> {
  const parsed = LabelSelector.parse(selector ?? LabelSelector.everything);
  return source.values?.(parsed, namespace) ?? source.select(parsed, namespace);
}
