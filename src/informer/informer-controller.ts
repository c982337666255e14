import type { KubernetesObject } from '../api/metadata.ts';
import { aFunction, aNumber, anObject, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { onAbort } from '../observe/interruption.ts';
import type { Queue } from '../queue/queue.ts';
import { QueueConsumer, type QueueConsumerOptions } from '../queue/queue-consumer.ts';
import { Reflector } from '../reflector/reflector.ts';
import { REFLECTOR_CHECKS, type ReflectorOptions, type WatchErrorHandler } from '../reflector/reflector-options.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';

/** What a low-level informer and a shared one have in common. client-go's `cache.Controller`. */
export interface Controller {
  readonly state: ReflectorState;
  /** Whether the whole first list has been processed. */
  hasSynced(): boolean;
  /** The last version that was seen; "" before the first list. */
  lastSyncResourceVersion(): string;
  /** Resolves when the signal has aborted and all has ended. */
  run(options: { signal: AbortSignal }): Promise<void>;
}

/** Options of `InformerController`. */
export interface InformerControllerOptions<T extends KubernetesObject>
  extends Omit<ReflectorOptions<T>, 'target' | 'resyncMs'>,
    Pick<QueueConsumerOptions<T>, 'process' | 'onProcessError' | 'onPopped'> {
  /** Between the list and watch, which fills it, and `process`, which is called with what it gives. */
  queue: Queue<T>;
  /** How often `shouldResync` is asked, and if it agrees everything queued again. 0 or unset: never. */
  fullResyncMs?: number | undefined;
}

const { target: _, resyncMs: __, ...OF_REFLECTOR } = REFLECTOR_CHECKS;

const CHECKS: OptionChecks<InformerControllerOptions<KubernetesObject>> = {
  ...OF_REFLECTOR,
  queue: anObject,
  process: aFunction,
  onProcessError: aFunction,
  onPopped: aFunction,
  fullResyncMs: aNumber,
};

/**
 * The low-level informer: a reflector that fills a queue, and a loop that empties it into `process`. Whether a failed
 * `process` is tried again is the queue's `retryOnError`. client-go's `cache.New(config)`.
 *
 * ```ts
 * const controller = new InformerController<Pod>({ name: 'pods', listerWatcher, queue, process: (deltas) => store(deltas) });
 * await controller.run({ signal });
 * ```
 */
export class InformerController<T extends KubernetesObject> implements Controller {
  readonly #queue: Queue<T>;
  readonly #reflector: Reflector<T>;
  readonly #consumer: QueueConsumer<T>;

  constructor(options: InformerControllerOptions<T>) {
    checkedOptions('InformerController', options, CHECKS, ['name', 'listerWatcher', 'queue', 'process']);
    const { queue, process, onProcessError, onPopped, fullResyncMs: resyncMs, ...rest } = options;
    const { name, clock, logger } = rest;
    this.#queue = queue;
    this.#consumer = new QueueConsumer<T>({ name, clock, logger, queue, process, onProcessError, onPopped });
    this.#reflector = new Reflector<T>({ ...rest, target: queue, resyncMs });
  }

  get state(): ReflectorState {
    return this.#reflector.state;
  }

  hasSynced(): boolean {
    return this.#queue.hasSynced();
  }

  lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion();
  }

  /** In place of the one of the options. Hears of every failed list and watch; what it does changes nothing. */
  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#reflector.setWatchErrorHandler(handler);
  }

  /** Runs until `signal` aborts, and closes the queue; resolves when everything has ended. Never rejects. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    await runWithQueue(this.#queue, signal, () => [this.#reflector.run({ signal }), this.#consumer.run()]);
  }
}

/** Closes the queue when the signal aborts, which ends the work. */
export async function runWithQueue(
  queue: Pick<Queue<never>, 'close'>,
  signal: AbortSignal,
  work: () => readonly Promise<void>[],
): Promise<void> {
  const forget = onAbort(signal, () => queue.close());
  await Promise.all(work());
  forget();
}
