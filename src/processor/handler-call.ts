import type { KubernetesObject } from '../api/metadata.ts';
import { channels, type HandlerValue, nextId, type Writable } from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import type { Notification } from './notification.ts';

/** Whose calls they are. */
export interface CallOrigin {
  readonly handler: string;
  readonly name: string;
  readonly informer: number | undefined;
}

/** One call of a handler, while it runs. Made only while somebody listens. */
export type HandlerCall = Writable<HandlerValue>;

export function beginCall(
  { type, change, object }: Notification<KubernetesObject>,
  { handler, name, informer }: CallOrigin,
  clock: Clock,
): HandlerCall {
  const { key, resourceVersion } = object;
  const startMs = monotonicMs(clock);
  const call: HandlerCall = {
    id: nextId(),
    name,
    handler,
    type,
    key,
    resourceVersion,
    failed: false,
    startMs,
    atMs: startMs,
  };
  if (informer !== undefined) call.informer = informer;
  if (change > 0) call.change = change;
  return call;
}

/** It has returned, or its promise has settled: tells the channel `tidewatch:handler`. */
export function endCall(call: HandlerCall, clock: Clock): void {
  call.atMs = monotonicMs(clock);
  channels.handler.publish(call);
}
