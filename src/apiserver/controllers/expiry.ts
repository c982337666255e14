import type { Timer } from '../../observe/clock.ts';
import { monotonicMs } from '../../observe/scheduler.ts';
import type { Api } from '../api.ts';
import type { Change } from '../storage/storage.ts';

interface Expiring {
  readonly key: string;
  readonly revision: number;
  readonly dueMs: number;
}

/** Removes objects of kinds that live for a limited time (events) when nobody has written them for that long. */
export class Expiry {
  readonly #api: Api;
  /** In the order in which they fall due; entries of objects that were written again are stale. */
  #queue: Expiring[] = [];
  #timer: Timer | undefined;
  readonly #lifetimeMs: number;
  readonly #tableName: string;
  readonly #listener = (change: Change) => this.#observe(change);

  constructor(api: Api, tableName: string, lifetimeMs: number) {
    this.#api = api;
    this.#tableName = tableName;
    this.#lifetimeMs = lifetimeMs;
    api.store.table(tableName).listeners.add(this.#listener);
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = undefined;
    this.#api.store.table(this.#tableName).listeners.delete(this.#listener);
  }

  #observe({ current }: Change): void {
    if (!current) return;
    const dueMs = monotonicMs(this.#api.clock) + this.#lifetimeMs;
    this.#queue.push({ key: current.key, revision: current.revision, dueMs });
    this.#arm();
  }

  #arm(): void {
    const [first] = this.#queue;
    if (this.#timer || !first) return;
    const delayMs = first.dueMs - monotonicMs(this.#api.clock);
    this.#timer = this.#api.clock.setTimeout(() => this.#sweep(), delayMs, { keepAlive: false });
  }

  #sweep(): void {
    this.#timer = undefined;
    const nowMs = monotonicMs(this.#api.clock);
    const due = this.#queue.findIndex((entry) => entry.dueMs > nowMs);
    const expired = due < 0 ? this.#queue : this.#queue.slice(0, due);
    this.#queue = due < 0 ? [] : this.#queue.slice(due);
    const { store } = this.#api;
    const table = store.table(this.#tableName);
    for (const { key, revision } of expired) {
      if (table.objects.get(key)?.revision === revision) store.remove(table, key);
    }
    this.#arm();
  }
}
