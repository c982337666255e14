import type { Metrics } from '../observe/metrics.ts';

/** What a store holds at present. */
export interface InformerMemory {
  readonly objects: number;
  /** Of a packed store: the memory outside the heap of V8 that is set aside for objects. */
  readonly heldBytes?: number;
  /** Of a packed store: how much of it the objects take that are stored. */
  readonly liveBytes?: number;
}

/** The same as gauges. */
export class MemoryGauges {
  readonly #labels: Readonly<Record<string, string>>;
  readonly #objects;
  readonly #heldBytes;
  readonly #liveBytes;

  constructor(metrics: Metrics, name: string) {
    const labelNames = ['name'];
    this.#labels = { name };
    this.#objects = metrics.gauge({
      name: 'tidewatch_store_objects',
      help: 'How many objects the store of an informer holds.',
      labelNames,
    });
    this.#heldBytes = metrics.gauge({
      name: 'tidewatch_store_held_bytes',
      help: 'Memory outside the heap that a packed store has set aside for objects.',
      labelNames,
    });
    this.#liveBytes = metrics.gauge({
      name: 'tidewatch_store_live_bytes',
      help: 'How much of it the stored objects take.',
      labelNames,
    });
  }

  show({ objects, heldBytes, liveBytes }: InformerMemory): void {
    this.#objects.set(objects, this.#labels);
    if (heldBytes !== undefined) this.#heldBytes.set(heldBytes, this.#labels);
    if (liveBytes !== undefined) this.#liveBytes.set(liveBytes, this.#labels);
  }
}
