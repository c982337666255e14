import type { KubernetesObject } from '../api/metadata.ts';
import type { CodecMemory } from '../codec/codec.ts';
import { aborted } from '../observe/interruption.ts';
import { monotonicMs, TimeSlice } from '../observe/scheduler.ts';
import { Notification } from '../processor/notification.ts';
import type { WatchErrorHandler } from '../reflector/reflector-options.ts';
import { OldestVersion } from './caught-up.ts';
import { InformerPart, type InformerSource, type PartOptions } from './informer-part.ts';
import { combinedState, type InformerState, missingNamespace } from './informer-state.ts';
import type { InformerPartStatus } from './informer-status.ts';

export interface InformerPartsOptions<T extends KubernetesObject> {
  /** Those that are wanted, each with a part of its own. Undefined: one part, which brings everything. */
  namespaces: readonly string[] | undefined;
  /** Of one namespace, or of everything. */
  source: (namespace: string | undefined) => InformerSource<T>;
  /** What all parts have in common. */
  part: Omit<PartOptions<T>, 'version' | 'isInitial' | 'onIn' | 'onVersion' | 'onState'>;
  /** Whether the informer syncs without the namespaces that are forbidden. */
  skipsForbidden: boolean;
  /** All that was wanted at the beginning is in the store. Once. */
  onSynced: () => void;
  /** The first list of one part is in the store. */
  onJoined: () => void;
  /** A namespace goes, before its objects do. */
  onLeaving: (namespace: string) => void;
  onState: () => void;
}

/**
 * The parts of an informer: one for each namespace, or one for everything. Namespaces may come and go while the others run. What
 * is asked for one namespace happens in the order in which it was asked for; different namespaces do not wait for each other.
 */
export class InformerParts<T extends KubernetesObject> {
  readonly #options: InformerPartsOptions<T>;
  /** By the namespace that was asked for. */
  readonly #parts = new Map<string | undefined, InformerPart<T>>();
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
    this.#createdMs = options.part.clock.now();
    this.#wanted = new Set(options.namespaces);
    for (const namespace of options.namespaces ?? [undefined]) this.#make(namespace);
  }

  get size(): number {
    return this.#parts.size;
  }

  /** One for all parts; parts that are skipped count as long as there are no others. */
  get state(): InformerState {
    const busy = this.busy();
    const counted = busy.filter((part) => !this.#isSkipped(part));
    const shown = counted.length > 0 ? counted : busy;
    if (shown.length === 0) return { phase: 'idle', since: this.#createdMs };
    const combined = combinedState(shown, ({ state }) => state);
    if (counted.length === busy.length) return combined;
    const missing = [...this.#parts].filter(([, part]) => !part.coverage.isSpare && this.#isSkipped(part));
    return { ...combined, missing: missing.map(([namespace, part]) => missingNamespace(namespace, part.state)) };
  }

  /** Of a packed store, all parts together. */
  get memory(): CodecMemory | undefined {
    const memories = [...this.#parts.values()].flatMap(({ memory }) => memory ?? []);
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
    const needed = busy.filter((part) => !this.#isSkipped(part));
    if (needed.length === 0) return busy.length === 0 && this.#signal !== undefined;
    return needed.every((part) => part.hasSynced());
  }

  /** Whether the first list of one of them is in the store. */
  hasOneSynced(): boolean {
    return this.busy().some((part) => part.hasSynced());
  }

  lastSyncResourceVersion(): string {
    const oldest = new OldestVersion();
    for (const part of this.busy()) oldest.set(oldest.join(part.version.isLate), part.lastSyncResourceVersion());
    return oldest.value;
  }

  /** How many objects have changes on their way to the store. */
  get queued(): number {
    return this.busy().reduce((sum, part) => sum + part.queued, 0);
  }

  /** Those that bring something, for people. */
  get statuses(): readonly InformerPartStatus[] {
    return this.busy().map((part) => part.status);
  }

  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#watchErrorHandler = handler;
    for (const part of this.#parts.values()) part.setWatchErrorHandler(handler);
  }

  /** Those that bring something. */
  busy(): readonly InformerPart<T>[] {
    return [...this.#parts.values()].filter(({ coverage }) => !coverage.isSpare);
  }

  /** Those that bring, or may bring, objects of a namespace; "" for objects without one. */
  of(namespace: string): readonly InformerPart<T>[] {
    return [...this.#parts.values()].filter(({ coverage }) => coverage.covers(namespace));
  }

  /** Runs all parts, and those that come; resolves when the signal has aborted and all has ended. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const part of this.#parts.values()) this.#track(part.run(signal));
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
    const known = this.#parts.get(namespace);
    const part = known ?? this.#make(namespace);
    if (!known) this.#options.onState();
    if (this.#signal === undefined) return true;
    if (!known) this.#track(part.run(this.#signal));
    return await part.joined.promise;
  }

  /** See `FactoryNamespaces.remove`. */
  async remove(namespace: string): Promise<boolean> {
    this.#wanted.delete(namespace);
    const part = this.#parts.get(namespace);
    if (part === undefined) return this.#leaving.get(namespace) ?? false;
    // It is cluster-scoped, as the server has told: this part brings everything, whatever the namespaces are.
    if (part.coverage.namespace === undefined) return true;
    this.#parts.delete(namespace);
    part.coverage.leave?.();
    this.#options.onLeaving(namespace);
    const leaving = this.#empty(part, namespace).finally(() => this.#leaving.delete(namespace));
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

  #make(namespace: string | undefined): InformerPart<T> {
    const { table } = this.#options.part;
    const version = this.#versions.join(this.#isSynced);
    const part = new InformerPart(this.#options.source(namespace), {
      ...this.#options.part,
      version,
      isInitial: () => !this.#isSynced,
      onIn: () => {
        part.joined.resolve(true);
        this.#options.onJoined();
        this.#checkSynced();
      },
      onVersion: this.#versions.reporter(version, table.bookmark.bind(table)),
      onState: () => {
        if (this.#isSkipped(part)) {
          part.joined.resolve(false);
          this.#checkSynced();
        }
        this.#options.onState();
      },
    });
    // One that turns out to be spare never has a version.
    void part.coverage.settled?.then(() => part.coverage.isSpare && this.#versions.leave(version));
    if (this.#watchErrorHandler) part.setWatchErrorHandler(this.#watchErrorHandler);
    this.#parts.set(namespace, part);
    return part;
  }

  /** Stops the part, then notifies of its objects as deleted, in slices. False when the informer stopped before the end. */
  async #empty(part: InformerPart<T>, namespace: string): Promise<boolean> {
    const { table, audience, clock } = this.#options.part;
    await part.stop();
    const oldest = this.#versions.leave(part.version);
    if (oldest !== '') table.bookmark(oldest);
    const slice = new TimeSlice(clock);
    const prefix = `${namespace}/`;
    for (const key of table.keys()) {
      if (this.#signal?.aborted) return false;
      const object = key.startsWith(prefix) ? table.remove(key) : undefined;
      if (object) audience.distribute(Notification.delete(object, true, monotonicMs(clock)), false);
      if (slice.isDue()) await slice.pause();
    }
    return true;
  }

  #isSkipped(part: InformerPart<T>): boolean {
    return this.#options.skipsForbidden && part.phase === 'forbidden' && !part.hasSynced();
  }

  #track(work: Promise<unknown>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}
