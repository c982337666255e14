import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { DerivedInformer } from './derived-informer.ts';
import type { NamespaceFollower } from './factory-namespaces.ts';
import { ResourceInformer } from './resource-informer.ts';
import type { SharedIndexInformer } from './shared-index-informer.ts';

/** An informer of a factory. */
export interface FactoryEntry {
  readonly resource: Resource;
  /** Unset when it has run and stopped. */
  informer: SharedIndexInformer<KubernetesObject> | undefined;
  started: boolean;
  /** Whether it had synced when it stopped. */
  hadSynced: boolean;
  /** Its namespaces are those of the factory. */
  readonly follows: boolean;
}

/** The informers that a factory has made. */
export class FactoryEntries implements Iterable<FactoryEntry> {
  /** By the name of the resource, whether it is the metadata only, and the options. */
  readonly #entries = new Map<string, FactoryEntry>();
  /** All that were ever made here. */
  readonly #made = new WeakSet<object>();
  readonly #handles = new WeakSet<object>();

  [Symbol.iterator](): Iterator<FactoryEntry> {
    return this.#entries.values();
  }

  find(key: string): SharedIndexInformer<KubernetesObject> | undefined {
    return this.#entries.get(key)?.informer;
  }

  set(key: string, resource: Resource, informer: SharedIndexInformer<KubernetesObject>, follows: boolean): void {
    this.#made.add(informer);
    this.#entries.set(key, { resource, informer, started: false, hadSynced: false, follows });
  }

  /** A handle through which an informer of this factory is asked for. */
  addHandle<H extends object>(handle: H): H {
    this.#handles.add(handle);
    return handle;
  }

  /** Those that run or ran, whoever started them. */
  started(): readonly FactoryEntry[] {
    return [...this].filter(({ started, informer }) => started || informer?.hasStarted);
  }

  followers(): readonly NamespaceFollower[] {
    return [...this].flatMap(({ informer, follows }) => (informer && follows ? informer : []));
  }

  /** The name, with a number behind it when an informer has it already. */
  freeName(name: string): string {
    const taken = new Set([...this].map(({ informer }) => informer?.name));
    let free = name;
    for (let number = 2; taken.has(free); number++) free = `${name}#${number}`;
    return free;
  }

  /** What was asked for and never started would be waited for without end, or be read while it is empty. */
  mustHaveStarted(): void {
    const forgotten = [...this].flatMap(({ informer, started }) =>
      informer && !started && !informer.hasStarted && !informer.isStopped() ? informer.name : [],
    );
    if (forgotten.length === 0) return;
    throw new TidewatchError(
      'misuse',
      `waitForCacheSync: ${forgotten.join(', ')} ${forgotten.length === 1 ? 'was' : 'were'} asked for and not started: ` +
        'call factory.start() first, again when more has been asked for since',
    );
  }

  /** Keeps no memory of what has stopped. */
  letGo(entry: FactoryEntry): void {
    if (!entry.informer) return;
    entry.hadSynced = entry.informer.hasSynced();
    entry.informer = undefined;
  }

  async release(given: unknown): Promise<void> {
    if (given instanceof DerivedInformer) {
      throw new TypeError(`${given.name} is a selection, which shares an informer: release the informer itself`);
    }
    // A handle of another factory is not asked: it would make an informer there.
    const isOwnHandle = given instanceof ResourceInformer && this.#handles.has(given);
    const informer = isOwnHandle ? given.informer() : given;
    if (typeof informer !== 'object' || informer === null || !this.#made.has(informer)) {
      throw new TypeError('release: this is not an informer of this factory');
    }
    for (const [key, entry] of this.#entries) if (entry.informer === informer) this.#entries.delete(key);
    await (informer as SharedIndexInformer<KubernetesObject>).stop();
  }
}
