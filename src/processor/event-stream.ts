import type { KubernetesObject } from '../api/metadata.ts';
import { InterruptibleStream } from '../observe/interruptible-stream.ts';
import { onAbort } from '../observe/interruption.ts';
import type { Deliver, Listener } from './listener.ts';
import type { ResourceEvent } from './processor.ts';

/** Calls `onEnd` when the listener is removed. */
type Subscribe<T extends KubernetesObject> = (deliver: Deliver<T>, onEnd: () => void) => Listener<T>;

/**
 * The changes of an informer as an async iterator: a listener that is called when its consumer asks for the next one.
 * Subscribes at the first `next`; ends, without an error, when `signal` aborts or the informer stops; leaving the loop
 * ends the subscription.
 */
export class EventStream<T extends KubernetesObject> extends InterruptibleStream<ResourceEvent<T>> {
  constructor(subscribe: Subscribe<T>, signal?: AbortSignal) {
    super((left) => events(subscribe, left), signal);
  }
}

async function* events<T extends KubernetesObject>(
  subscribe: Subscribe<T>,
  left: AbortSignal,
): AsyncGenerator<ResourceEvent<T>, void, undefined> {
  if (left.aborted) return;
  /** The event that waits for its consumer; settling `taken` lets the listener go on. */
  let offered: { readonly event: ResourceEvent<T>; readonly taken: () => void } | undefined;
  let isOver = false;
  let wake = () => {};
  const end = () => {
    isOver = true;
    offered?.taken();
    wake();
  };
  const listener = subscribe((notification) => {
    const event = notification.toEvent();
    return new Promise<void>((taken) => {
      offered = { event, taken };
      wake();
    });
  }, end);
  const forget = onAbort(left, end);
  try {
    while (!isOver) {
      const next: typeof offered = offered;
      offered = undefined;
      next?.taken();
      if (next) yield next.event;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    forget();
    void listener.remove();
  }
}
