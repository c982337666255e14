/**
 * Code that stands on an informer, written so that it can be tested: the informer and the clock come in from outside.
 * Its tests are in `09-testing-your-code.test.ts`.
 */
import { type Clock, type Informer, SharedInformerFactory, systemClock, type Timer } from 'tidewatch';
import { type Pod, pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, runExample } from './example-cluster.ts';

export interface PendingAlarmOptions {
  informer: Informer<Pod>;
  /** How long a pod may be pending. */
  limitMs: number;
  alarm: (message: string) => void;
  clock?: Clock;
}

/** Raises an alarm for every pod that has been pending for too long. */
export class PendingAlarm implements AsyncDisposable {
  readonly #options: PendingAlarmOptions;
  /** By uid: a new pod of the same name starts from zero. */
  readonly #timers = new Map<string, Timer>();
  readonly #registration;

  constructor(options: PendingAlarmOptions) {
    this.#options = options;
    const pending = { name: 'pending-alarm', filter: (pod: Pod) => pod.status?.phase === 'Pending' };
    // With the filter, a pod that is pending no more is a delete.
    this.#registration = options.informer.addEventHandler(
      { onAdd: (pod) => this.#begin(pod), onDelete: (pod) => this.#end(pod) },
      pending,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registration.remove();
    for (const timer of this.#timers.values()) timer.clear();
  }

  #begin({ metadata: { name, uid = '' } = {} }: Pod): void {
    const { clock = systemClock, limitMs, alarm } = this.#options;
    const timer = clock.setTimeout(() => alarm(`${name} has been pending for ${limitMs / 1000} s`), limitMs);
    this.#timers.set(uid, timer);
  }

  #end({ metadata: { uid = '' } = {} }: Pod): void {
    this.#timers.get(uid)?.clear();
    this.#timers.delete(uid);
  }
}

export async function main({ cluster, log, signal, meanwhile, untilDone }: ExampleContext): Promise<void> {
  await using factory = new SharedInformerFactory(cluster);
  const informer = factory.for(pods).informer();
  await using _alarm = new PendingAlarm({ informer, limitMs: 1_000, alarm: log });
  factory.start({ signal });
  await factory.waitForCacheSync({ signal });
  await meanwhile((others) =>
    others.client(pods).patch('mysql', { status: { phase: 'Running' } }, { subresource: 'status' }),
  );
  await untilDone();
}

await runExample(import.meta.url, main);
