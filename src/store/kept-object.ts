import type { Cached } from '../api/cached.ts';
import type { Labels } from '../api/label-selector.ts';
import type { KubernetesObject, Stored } from '../api/metadata.ts';

const NO_LABELS: Labels = Object.freeze(Object.create(null));

/** An object that is kept as it was given: every `view` is that object. */
export class KeptObject<T extends KubernetesObject> implements Cached<T> {
  readonly key: string;
  readonly #object: T;

  constructor(key: string, object: T) {
    this.key = key;
    this.#object = object;
  }

  get namespace(): string {
    return this.#object.metadata?.namespace ?? '';
  }

  get name(): string {
    return this.#object.metadata?.name ?? '';
  }

  get uid(): string {
    return this.#object.metadata?.uid ?? '';
  }

  get resourceVersion(): string {
    return this.#object.metadata?.resourceVersion ?? '';
  }

  get labels(): Labels {
    return this.#object.metadata?.labels ?? NO_LABELS;
  }

  view(): Stored<T> {
    // Who puts objects in decides what they carry; readers may rely on what servers send.
    return this.#object as Stored<T>;
  }
}
