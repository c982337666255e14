import type { KubernetesObject } from '../src/api/metadata.ts';
import type { ResourceEventHandler } from '../src/processor/processor.ts';

/** Follows what a handler hears, and writes down every breach of its promise: add, updates, delete for each uid, in order. */
export class Witness implements ResourceEventHandler<KubernetesObject> {
  readonly failures: string[] = [];
  readonly #known = new Map<string, KubernetesObject>();

  /** What the handler must take for the state of the world. */
  versions(): string[] {
    return [...this.#known]
      .map(([key, { metadata }]) => ({ key, version: `${key}@${metadata?.resourceVersion}` }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ version }) => version);
  }

  onAdd(object: KubernetesObject): void {
    if (this.#known.has(keyOf(object))) this.failures.push(`add of ${keyOf(object)}, which was known`);
    this.#known.set(keyOf(object), object);
  }

  onUpdate(old: KubernetesObject, object: KubernetesObject): void {
    const known = this.#known.get(keyOf(object));
    if (known?.metadata?.uid !== object.metadata?.uid) this.failures.push(`update of ${keyOf(object)}: another uid`);
    if (known?.metadata?.resourceVersion !== old.metadata?.resourceVersion) {
      this.failures.push(`update of ${keyOf(object)} from a state that was not heard of`);
    }
    this.#known.set(keyOf(object), object);
  }

  onDelete(object: KubernetesObject): void {
    const known = this.#known.get(keyOf(object));
    if (known?.metadata?.uid !== object.metadata?.uid)
      this.failures.push(`delete of ${keyOf(object)}: not the one known`);
    this.#known.delete(keyOf(object));
  }
}

function keyOf({ metadata }: KubernetesObject): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name}`;
}
