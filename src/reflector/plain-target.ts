import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { isPromiseLike } from '../api/promise-like.ts';
import type { CachedTarget } from './cached-lister-watcher.ts';
import type { ReflectorTarget } from './reflector-target.ts';

/** Hands plain objects to a target of the user's. */
export class PlainTarget<T extends KubernetesObject> implements CachedTarget<T> {
  readonly #target: ReflectorTarget<T>;

  constructor(target: ReflectorTarget<T>) {
    for (const name of ['add', 'update', 'delete', 'replace', 'resync'] as const) {
      if (typeof target?.[name] !== 'function')
        throw new TypeError(`the target of a Reflector needs the method ${name}`);
    }
    this.#target = target;
  }

  add(object: Cached<T>): void | Promise<void> {
    return this.#after(this.#target.add(object.view()), object.resourceVersion);
  }

  update(object: Cached<T>): void | Promise<void> {
    return this.#after(this.#target.update(object.view()), object.resourceVersion);
  }

  delete(object: Cached<T>): void | Promise<void> {
    return this.#after(this.#target.delete(object.view()), object.resourceVersion);
  }

  async replace(objects: readonly Cached<T>[], resourceVersion: string): Promise<void> {
    const target = this.#target;
    const plain = objects.map((object) => object.view());
    if (target.replaceGradually === undefined) await target.replace(plain, resourceVersion);
    else await target.replaceGradually(plain, resourceVersion);
  }

  resync(): void | Promise<void> {
    return settled(this.#target.resync());
  }

  bookmark(resourceVersion: string): void | Promise<void> {
    return settled(this.#target.updateResourceVersion?.(resourceVersion));
  }

  #after(written: unknown, resourceVersion: string): void | Promise<void> {
    if (!isPromiseLike(written)) return this.bookmark(resourceVersion);
    return Promise.resolve(written).then(() => this.bookmark(resourceVersion));
  }
}

function settled(result: unknown): void | Promise<void> {
  return isPromiseLike(result) ? Promise.resolve(result).then(() => {}) : undefined;
}
