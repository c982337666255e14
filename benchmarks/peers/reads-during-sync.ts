import type { KubernetesObject, Lister, SharedIndexInformer } from 'tidewatch';
import { NAMESPACE } from './tidewatch-reads.ts';

const EVERY_MS = 50;

/** Reads a cache while it fills, as a program does that already serves requests from it. */
export class ReadsDuringSync<T extends KubernetesObject> {
  readonly #informer: SharedIndexInformer<T>;
  readonly #lister: Lister<T>;
  readonly #timer: NodeJS.Timeout;
  #reads = 0;
  /** The name of an object that was there. */
  #last = 'none';
  #withObjects = 0;
  #worstMs = 0;

  /** Begins at once. */
  constructor(informer: SharedIndexInformer<T>, lister: Lister<T>) {
    this.#informer = informer;
    this.#lister = lister;
    this.#timer = setInterval(() => this.#readNext(), EVERY_MS);
  }

  /**
   * How many reads were answered, how many of them with objects, and how long the slowest took. As in client-go, the cache
   * shows nothing before the server has sent everything.
   */
  end() {
    clearInterval(this.#timer);
    return {
      readsDuringSync: this.#reads,
      readsDuringSyncWithObjects: this.#withObjects,
      readDuringSyncWorstMs: this.#worstMs,
    };
  }

  /** By turns a namespace by the lister, the same by the index, and one object. */
  #readNext(): void {
    if (this.#reads % 3 === 0) this.#read(() => this.#lister.namespace(NAMESPACE).list());
    else if (this.#reads % 3 === 1) {
      const indexed = this.#read(() => this.#informer.indexer.byIndex('namespace', NAMESPACE));
      this.#last = indexed.at(-1)?.metadata?.name ?? 'none';
    } else this.#read(() => [this.#lister.get(`${NAMESPACE}/${this.#last}`)].filter((object) => object !== undefined));
  }

  #read(read: () => readonly T[]): readonly T[] {
    const start = performance.now();
    const objects = read();
    this.#worstMs = Math.max(this.#worstMs, performance.now() - start);
    this.#reads++;
    if (objects.length > 0) this.#withObjects++;
    return objects;
  }
}
