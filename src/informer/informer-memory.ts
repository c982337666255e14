import { METRICS } from '../observe/metric-definitions.ts';
import type { MetricLabels, Metrics } from '../observe/metrics.ts';

/** What a store holds at present. */
export interface InformerMemory {
  readonly objects: number;
  /** Of a packed store: the memory outside the heap of V8 that is set aside for objects. */
  readonly heldBytes?: number;
  /** Of a packed store: how much of it the objects take that are stored. */
  readonly liveBytes?: number;
}

export function memoryOf(
  objects: number,
  packed: Required<Omit<InformerMemory, 'objects'>> | undefined,
): InformerMemory {
  return { objects, ...(packed && { heldBytes: packed.heldBytes, liveBytes: packed.liveBytes }) };
}

/** The same as gauges. */
export class MemoryGauges {
  readonly #labels: MetricLabels;
  readonly #objects;
  readonly #heldBytes;
  readonly #liveBytes;

  constructor(metrics: Metrics, name: string) {
    this.#labels = { name };
    this.#objects = metrics.gauge(METRICS.storeObjects);
    this.#heldBytes = metrics.gauge(METRICS.heldBytes);
    this.#liveBytes = metrics.gauge(METRICS.liveBytes);
  }

  show({ objects, heldBytes, liveBytes }: InformerMemory): void {
    this.#objects.set(objects, this.#labels);
    if (heldBytes !== undefined) this.#heldBytes.set(heldBytes, this.#labels);
    if (liveBytes !== undefined) this.#liveBytes.set(liveBytes, this.#labels);
  }
}
