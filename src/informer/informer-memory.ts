import { METRICS } from '../observe/metric-definitions.ts';
import type { MetricLabels, Metrics } from '../observe/metrics.ts';

/** What a store holds at present. */
export interface InformerMemory {
  readonly objects: number;
  /** Of a packed or shared store: the memory outside the heap of V8 that is set aside for objects. */
  readonly heldBytes?: number;
  /** Of a packed or shared store: how much of it the objects take that are stored. */
  readonly liveBytes?: number;
  /** Of a packed or shared store: what they would take if nothing were shared. In a packed store nothing is. */
  readonly wholeBytes?: number;
}

export function memoryOf(
  objects: number,
  packed: Required<Omit<InformerMemory, 'objects'>> | undefined,
): InformerMemory {
  if (packed === undefined) return { objects };
  const { heldBytes, liveBytes, wholeBytes } = packed;
  return { objects, heldBytes, liveBytes, wholeBytes };
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
