import { setMaxListeners } from 'node:events';
import type { KubernetesObject } from '../api/metadata.ts';
import { deferred } from '../api/promise-like.ts';
import type { CodecMemory } from '../codec/codec.ts';
import { onAbort } from '../observe/interruption.ts';
import type { InformerPart } from './informer-part.ts';

/** One part of an informer, from its coming to its going. */
export class PartRecord<T extends KubernetesObject> {
  readonly namespace: string | undefined;
  /** What its objects take, in a packed store. */
  readonly memory: CodecMemory | undefined;
  readonly part: InformerPart<T>;
  /** Its number among the versions of all parts. */
  readonly slot: number;
  /** It came when the informer had synced. */
  readonly isLate: boolean;
  /** True when the first list is in the store; false when the part stops, or is skipped, before. */
  readonly joined = deferred<boolean>();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(options: Pick<PartRecord<T>, 'namespace' | 'memory' | 'part' | 'slot' | 'isLate'>) {
    this.namespace = options.namespace;
    this.memory = options.memory;
    this.part = options.part;
    this.slot = options.slot;
    this.isLate = options.isLate;
    // Everybody who waits for a version listens.
    setMaxListeners(0, this.stopped);
    const { settled } = this.part.coverage;
    void settled?.then(() => this.part.coverage.isSpare && this.joined.resolve(true));
  }

  /** Aborts when the part stops. */
  get stopped(): AbortSignal {
    return this.#stop.signal;
  }

  /** Runs until it is stopped or `signal` aborts; resolves when all has ended. */
  run(signal: AbortSignal): Promise<void> {
    const forget = onAbort(signal, () => this.#stop.abort(signal.reason));
    this.#running = this.part.run(this.stopped).finally(() => {
      forget();
      this.joined.resolve(false);
    });
    return this.#running;
  }

  /** Resolves when nothing of it runs any more: no request, no timer, no write to the store. */
  async stop(): Promise<void> {
    this.joined.resolve(false);
    this.#stop.abort();
    await this.#running;
  }
}
