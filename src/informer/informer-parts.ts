import type { KubernetesObject } from '../api/metadata.ts';
import type { CodecMemory } from '../codec/codec.ts';
import type { Clock } from '../observe/clock.ts';
import { aborted } from '../observe/interruption.ts';
import { monotonicMs, TimeSlice } from '../observe/scheduler.ts';
import { Notification } from '../processor/notification.ts';
import type { WatchErrorHandler } from '../reflector/reflector-options.ts';
import type { ObjectTable } from '../store/object-table.ts';
import { OldestVersion } from './caught-up.ts';
import type { InformerPart, InformerSource } from './informer-part.ts';
import { type InformerState, informerState } from './informer-state.ts';
import type { InformerPartStatus } from './informer-status.ts';
import { PartRecord } from './part-record.ts';

/** What a part says to the informer. */
export interface PartHooks {
  isInitial: () => boolean;
  onIn: () => void;
  onVersion: (version: string) => void;
  onState: () => void;
}

type Distribute<T extends KubernetesObject> = (notification: Notification<T>, isSync: boolean) => void;

export interface InformerPartsOptions<T extends KubernetesObject> {
  /** Undefined: one part, which brings everything. */
  namespaces: readonly string[] | undefined;
  source: (namespace: string | undefined) => InformerSource<T>;
  make: (source: InformerSource<T>, distribute: Distribute<T>, hooks: PartHooks) => InformerPart<T>;
  table: ObjectTable<T>;
  distribute: Distribute<T>;
  /** Whether the informer syncs without the namespaces that are forbidden. */
  skipsForbidden: boolean;
  /** All that was wanted at the beginning is in the store. Once. */
  onSynced: () => void;
  /** The first list of one part is in the store. */
  onJoined: () => void;
  /** A namespace goes, before its objects do. */
  onLeaving: (namespace: string) => void;
  onState: () => void;
  clock: Clock;
}

/**
 * The parts of an informer: one for each namespace, or one for everything. Namespaces may come and go while the others run. What
 * is asked for one namespace happens in the order in which it was asked for; different namespaces do not wait for each other.
 */
export class InformerParts<T extends KubernetesObject> {
  readonly #options: InformerPartsOptions<T>;
  readonly #records = new Map<string | undefined, PartRecord<T>>();
  /** By namespace: settles when it is gone. */
  readonly #leaving = new Map<string, Promise<boolean>>();
  /** What was asked for last. */
  readonly #wanted: Set<string>;
  readonly #versions = new OldestVersion();
  readonly #running = new Set<Promise<unknown>>();
  readonly #createdMs: number;
  #watchErrorHandler: WatchErrorHandler | undefined;
  #signal: AbortSignal | undefined;
  #isSynced = false;

  constructor(options: InformerPartsOptions<T>) {
    this.#options = options;
    this.#createdMs = options.clock.now();
    this.#wanted = new Set(options.namespaces);
    for (const namespace of options.namespaces ?? [undefined]) this.#make(namespace);
  }

  get size(): number {
    return this.#records.size;
  }

  get state(): InformerState {
    const states = this.busy().map((record) => ({
      namespace: record.namespace,
      state: record.part.state,
      isSkipped: this.#isSkipped(record),
    }));
    return informerState(states, this.#createdMs);
  }

  /** Of a packed store, all parts together. */
  get memory(): CodecMemory | undefined {
    const memories = [...this.#records.values()].flatMap(({ memory }) => memory ?? []);
    if (memories.length === 0) return undefined;
    const sum = (of: (memory: CodecMemory) => number) => memories.reduce((all, memory) => all + of(memory), 0);
    return {
      heldBytes: sum(({ heldBytes }) => heldBytes),
      liveBytes: sum(({ liveBytes }) => liveBytes),
      wholeBytes: sum(({ wholeBytes }) => wholeBytes),
      views: sum(({ views }) => views),
    };
  }

  /** Once true, it stays so. */
  hasSynced(): boolean {
    if (this.#isSynced) return true;
    const busy = this.busy();
    const needed = busy.filter((record) => !this.#isSkipped(record));
    if (needed.length === 0) return busy.length === 0 && this.#signal !== undefined;
    return needed.every(({ part }) => part.hasSynced());
  }

  /** Whether the first list of one of them is in the store. */
  hasOneSynced(): boolean {
    return this.busy().some(({ part }) => part.hasSynced());
  }

  lastSyncResourceVersion(): string {
    const oldest = new OldestVersion();
    for (const { part, isLate } of this.busy()) oldest.set(oldest.join(isLate), part.lastSyncResourceVersion());
    return oldest.value;
  }

  /** How many objects have changes on their way to the store. */
  get queued(): number {
    return this.busy().reduce((sum, { part }) => sum + part.queued, 0);
  }

  /** Those that bring something, for people. */
  get statuses(): readonly InformerPartStatus[] {
    return this.busy().map(({ part }) => part.status);
  }

  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#watchErrorHandler = handler;
    for (const { part } of this.#records.values()) part.setWatchErrorHandler(handler);
  }

  /** Those that bring something. */
  busy(): readonly PartRecord<T>[] {
    return [...this.#records.values()].filter(({ part }) => !part.coverage.isSpare);
  }

  /** Those that bring, or may bring, objects of a namespace; "" for objects without one. */
  of(namespace: string): readonly PartRecord<T>[] {
    return [...this.#records.values()].filter(({ part }) => part.coverage.covers(namespace));
  }

  /** Runs all parts, and those that come; resolves when the signal has aborted and all has ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const record of this.#records.values()) this.#track(record.run(signal));
    this.#checkSynced();
    await aborted(signal);
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /** See `FactoryNamespaces.add`. Resolves at once, with true, when the informer does not run or has no use for namespaces. */
  async add(namespace: string): Promise<boolean> {
    if (this.#options.namespaces === undefined) return true;
    this.#wanted.add(namespace);
    for (let leaving = this.#leaving.get(namespace); leaving; leaving = this.#leaving.get(namespace)) await leaving;
    if (this.#signal?.aborted || !this.#wanted.has(namespace)) return false;
    const known = this.#records.get(namespace);
    const record = known ?? this.#make(namespace);
    if (!known) this.#options.onState();
    if (this.#signal === undefined) return true;
    if (!known) this.#track(record.run(this.#signal));
    return await record.joined.promise;
  }

  /** See `FactoryNamespaces.remove`. */
  async remove(namespace: string): Promise<boolean> {
    this.#wanted.delete(namespace);
    const record = this.#records.get(namespace);
    if (record === undefined) return this.#leaving.get(namespace) ?? false;
    // It is cluster-scoped, as the server has told: this part brings everything, whatever the namespaces are.
    if (record.part.coverage.namespace === undefined) return true;
    this.#records.delete(namespace);
    record.part.coverage.leave?.();
    this.#options.onLeaving(namespace);
    const leaving = this.#empty(record, namespace).finally(() => this.#leaving.delete(namespace));
    this.#leaving.set(namespace, leaving);
    this.#track(leaving);
    this.#options.onState();
    this.#checkSynced();
    return await leaving;
  }

  #checkSynced(): void {
    if (this.#isSynced || !this.hasSynced()) return;
    this.#isSynced = true;
    this.#options.onSynced();
  }

  #make(namespace: string | undefined): PartRecord<T> {
    const { table, source: sourceOf, make, distribute } = this.#options;
    const source = sourceOf(namespace);
    const isLate = this.#isSynced;
    const slot = this.#versions.join(isLate);
    const part = make(source, distribute, {
      isInitial: () => !this.#isSynced,
      onIn: () => {
        record.joined.resolve(true);
        this.#options.onJoined();
        this.#checkSynced();
      },
      onVersion: this.#versions.reporter(slot, table.bookmark.bind(table)),
      onState: () => {
        if (this.#isSkipped(record)) {
          record.joined.resolve(false);
          this.#checkSynced();
        }
        this.#options.onState();
      },
    });
    const record = new PartRecord<T>({ namespace, memory: source.memory, part, slot, isLate });
    if (this.#watchErrorHandler) part.setWatchErrorHandler(this.#watchErrorHandler);
    this.#records.set(namespace, record);
    return record;
  }

  /** Stops the part, then notifies of its objects as deleted, in slices. False when the informer stopped before the end. */
  async #empty(record: PartRecord<T>, namespace: string): Promise<boolean> {
    const { table, distribute, clock } = this.#options;
    await record.stop();
    const oldest = this.#versions.leave(record.slot);
    if (oldest !== '') table.bookmark(oldest);
    const slice = new TimeSlice(clock);
    const prefix = `${namespace}/`;
    for (const key of table.keys()) {
      if (this.#signal?.aborted) return false;
      const object = key.startsWith(prefix) ? table.remove(key) : undefined;
      if (object) distribute(Notification.delete(object, true, monotonicMs(clock)), false);
      if (slice.isDue()) await slice.pause();
    }
    return true;
  }

  #isSkipped({ part }: PartRecord<T>): boolean {
    return this.#options.skipsForbidden && part.state.phase === 'forbidden' && !part.hasSynced();
  }

  #track(work: Promise<unknown>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}
