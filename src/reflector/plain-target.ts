import type { Cached, CachedChange } from '../api/cached.ts';
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

  write(change: CachedChange<T>): void | Promise<void> {
    const target = this.#target;
    switch (change.type) {
      case 'LIST':
        return this.#replace(change.items, change.resourceVersion);
      case 'ADDED':
        return this.#after(target.add(change.object.view()), change.object.resourceVersion);
      case 'MODIFIED':
        return this.#after(target.update(change.object.view()), change.object.resourceVersion);
      case 'DELETED':
        return this.#after(target.delete(change.object.view()), change.object.resourceVersion);
      case 'BOOKMARK':
        return this.#seen(change.resourceVersion);
    }
  }

  resync(): void | Promise<void> {
    return settled(this.#target.resync());
  }

  async #replace(items: readonly Cached<T>[], resourceVersion: string): Promise<void> {
    const target = this.#target;
    const plain = items.map((object) => object.view());
    if (target.replaceGradually === undefined) await target.replace(plain, resourceVersion);
    else await target.replaceGradually(plain, resourceVersion);
  }

  #after(written: unknown, resourceVersion: string): void | Promise<void> {
    if (!isPromiseLike(written)) return this.#seen(resourceVersion);
    return Promise.resolve(written).then(() => this.#seen(resourceVersion));
  }

  #seen(resourceVersion: string): void | Promise<void> {
    return settled(this.#target.updateResourceVersion?.(resourceVersion));
  }
}

function settled(result: unknown): void | Promise<void> {
  return isPromiseLike(result) ? Promise.resolve(result).then(() => {}) : undefined;
}
