import type { KubernetesObject } from '../api/metadata.ts';
import { ambient } from '../observe/channels.ts';
import { messageOf } from '../observe/guarded.ts';
import type { Logger } from '../observe/logger.ts';
import type { TimeSlice } from '../observe/scheduler.ts';
import type { Listener } from '../processor/listener.ts';
import type { Notification } from '../processor/notification.ts';
import type { Cause } from './controller.ts';
import type { ControllerCaches } from './controller-caches.ts';
import type { ControllerDefinition, Trigger } from './controller-definition.ts';
import { mappedKeys, owners, passes } from './event-keys.ts';

/** Of what was there before the controller, and of what has not changed. controller-runtime: `LowPriority`. */
export const LOW_PRIORITY = -100;

export interface EventIntakeOptions {
  definition: ControllerDefinition;
  caches: ControllerCaches;
  enqueue: (key: string, priority: number, cause: Cause) => void;
  /** An informer has stopped, and this did not. */
  onStopped: (name: string) => void;
  slice: TimeSlice;
  logger: Logger;
}

/** How many keys of one change are enqueued between two looks at the time. */
const STEP = 64;

/** From changes in the caches to keys to run. Reads no more of an object than its trigger asks for. */
export class EventIntake {
  readonly #options: EventIntakeOptions;
  #registrations: Listener<KubernetesObject>[] = [];
  #stopped = false;

  constructor(options: EventIntakeOptions) {
    this.#options = options;
  }

  /** Subscribes to what is there and what comes. */
  start(): void {
    const { definition, caches, onStopped } = this.#options;
    this.#registrations = definition.triggers.map((trigger) => {
      const informer = caches.informer(trigger.resource);
      return informer.subscribe((change) => this.#take(trigger, change), {
        name: `${definition.name}-${trigger.role}`,
        onRemove: () => {
          if (!this.#stopped) onStopped(informer.name);
        },
      });
    });
  }

  /** Resolves when every object of the initial lists has been looked at. */
  get synced(): Promise<unknown> {
    return Promise.all(this.#registrations.map((registration) => registration.synced));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#registrations.map((registration) => registration.remove()));
  }

  /** A promise while a change means more keys than fit into a slice; the next one waits for it. */
  #take(trigger: Trigger, change: Notification<KubernetesObject>): Promise<void> | undefined {
    const { definition, enqueue } = this.#options;
    if (!this.#passes(trigger, change)) return undefined;
    const isRepeated = isUnchanged(change);
    const priority = change.isInitial || isRepeated ? LOW_PRIORITY : 0;
    const { key } = change.object;
    const type = isRepeated ? 'resync' : change.type;
    const { kind } = trigger.resource;
    const cause: Cause = change.change > 0 ? { type, kind, key, change: change.change } : { type, kind, key };
    if (trigger.role === 'for') enqueue(key, priority, cause);
    else if (trigger.role === 'owns') this.#takeOwned(change, priority, cause);
    else {
      const onFailure = (error: unknown) => this.#report(trigger, change, 'the function', 'causes no run', error);
      const keys = mappedKeys(trigger, change, definition.resource, onFailure);
      if (this.#enqueueSome(keys, priority, cause)) return this.#enqueueRest(keys, priority, cause);
    }
    return undefined;
  }

  /** Until the slice is over. Returns whether there may be more. */
  #enqueueSome(keys: Iterator<string, void>, priority: number, cause: Cause): boolean {
    const { enqueue, slice } = this.#options;
    for (let count = 1; ; count++) {
      const { done, value } = keys.next();
      if (done || this.#stopped) return false;
      enqueue(value, priority, cause);
      if (count % STEP === 0 && slice.isDue()) return true;
    }
  }

  async #enqueueRest(keys: Iterator<string, void>, priority: number, cause: Cause): Promise<void> {
    const origin = ambient.cause;
    for (let hasMore = true; hasMore; ) {
      await this.#options.slice.pause();
      ambient.cause = origin;
      hasMore = this.#enqueueSome(keys, priority, cause);
      ambient.cause = 0;
    }
  }

  #takeOwned(change: Notification<KubernetesObject>, priority: number, cause: Cause): void {
    const { definition, caches, enqueue, logger } = this.#options;
    for (const [key, { uid }] of owners(change, definition.resource)) {
      const informer = caches.informer(definition.resource);
      const owner = informer.table.get(key);
      if (owner?.uid !== uid && informer.hasSynced()) {
        const now = owner ? `one with uid ${owner.uid} has its name` : 'there is none of its name';
        logger[owner ? 'warn' : 'info'](
          `controller ${definition.name}: the owner of ${cause.kind} ${cause.key}, ${definition.resource.kind} ${key} with uid ${uid}, ` +
            `is gone: ${now}. ${key} is run.`,
        );
      }
      enqueue(key, priority, cause);
    }
  }

  #passes(trigger: Trigger, change: Notification<KubernetesObject>): boolean {
    try {
      return passes(trigger, change);
    } catch (error) {
      this.#report(trigger, change, 'the predicate', 'causes a run', error);
      return true;
    }
  }

  #report(
    { role, resource }: Trigger,
    { type, object }: Notification<KubernetesObject>,
    what: string,
    so: string,
    error: unknown,
  ) {
    this.#options.logger.error(
      `controller ${this.#options.definition.name}: ${what} failed on the ${type} of ${resource.kind} ${object.key} ` +
        `(.${role}), which ${so}: ${messageOf(error)}`,
      error,
    );
  }
}

/** A resync, or a list that showed what was known. */
function isUnchanged({ type, old, object }: Notification<KubernetesObject>): boolean {
  if (type !== 'update') return false;
  return old === object || (object.resourceVersion !== '' && old?.resourceVersion === object.resourceVersion);
}
