import type { KubernetesObject } from '../api/metadata.ts';
import { channels, type HandlerValue, nextId, type Writable } from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { Notification } from './notification.ts';

/** One call of a handler, for the channel `tidewatch:handler`. Made only while somebody listens. */
export class HandlerCall {
  readonly id = nextId();
  readonly #notification: Notification<KubernetesObject>;
  readonly #of: { readonly handler: string; readonly name: string; readonly informer: number | undefined };
  readonly #clock: Clock;
  readonly #startMs: number;
  #failed = false;

  constructor(
    notification: Notification<KubernetesObject>,
    of: { readonly handler: string; readonly name: string; readonly informer: number | undefined },
    clock: Clock,
  ) {
    this.#notification = notification;
    this.#of = of;
    this.#clock = clock;
    this.#startMs = monotonicMs(clock);
  }

  fail(): void {
    this.#failed = true;
  }

  /** It has returned, or its promise has settled. */
  end(): void {
    const { type, change, object } = this.#notification;
    const { handler, name, informer } = this.#of;
    const value: Writable<HandlerValue> = {
      id: this.id,
      name,
      handler,
      type,
      key: object.key,
      resourceVersion: object.resourceVersion,
      failed: this.#failed,
      startMs: this.#startMs,
      atMs: monotonicMs(this.#clock),
    };
    if (informer !== undefined) value.informer = informer;
    if (change > 0) value.change = change;
    channels.handler.publish(value);
  }
}
