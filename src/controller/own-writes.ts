import { metaNamespaceKey } from '../api/key.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { type Resource, resourceName } from '../api/resource.ts';
import type { TransportRequest } from '../api/transport.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import type { Clock, Timer } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import { monotonicMs, schedulerOf } from '../observe/scheduler.ts';
import type { ControllerCaches } from './controller-caches.ts';
import { isHeld, namespaceOf, type OwnWrite, requestedKey, writtenObjects } from './own-write.ts';

/** How long a key waits for the caches after its run. */
const MAX_WAIT_MS = 5_000;

type Informer = SharedIndexInformer<KubernetesObject>;

/** A write that may have reached the server. */
export interface Doubt {
  readonly resource: Resource;
  readonly namespace: string;
  /** Undefined: the name is not known. */
  readonly key: string | undefined;
}

/** Whether the caches hold what was waited for, or the time was up. */
export type WaitResult = 'caught_up' | 'gave_up';

/** What a key has written and the caches do not hold yet. */
interface Account {
  readonly writes: Map<string, OwnWrite>;
  readonly doubts: Map<string, Doubt>;
  /** When nobody waits for the caches any more. */
  untilMs: number;
  /** Set while the key wants to run. */
  waiting: Wait | undefined;
}

interface Wait {
  readonly timer: Timer;
  readonly priority: number;
  readonly onReady: OnReady;
}

/** With the priority with which the key is to run. */
type OnReady = (result: WaitResult, priority: number) => void;

export interface OwnWritesOptions {
  name: string;
  caches: ControllerCaches;
  clock: Clock;
  logger: Logger;
}

/**
 * What the runs of a controller have written, until its caches hold it: the version, or after a delete that the uid has gone. Objects that
 * a cache does not take in are not waited for.
 */
export class OwnWrites {
  readonly #options: OwnWritesOptions;
  readonly #accounts = new Map<string, Account>();
  /** By cache and key of the written object: the keys that wait for it. */
  readonly #writers = new Map<Informer, Map<string, Set<string>>>();
  readonly #unobserve: (() => void)[] = [];

  constructor(options: OwnWritesOptions) {
    this.#options = options;
    for (const informer of options.caches.informers) {
      const writers = new Map<string, Set<string>>();
      this.#writers.set(informer, writers);
      this.#unobserve.push(
        informer.observe(({ object }) => {
          if (writers.size > 0) this.#changed(writers, object.key);
        }),
      );
    }
  }

  /** How many keys have written what is not in the caches yet. */
  get pending(): number {
    return this.#accounts.size;
  }

  /** The server has done a write of a run. */
  written(key: string, resource: Resource, request: TransportRequest, answer: unknown): void {
    const objects = writtenObjects(resource, request, answer);
    if (objects === undefined) {
      this.inDoubt(key, resource, request);
      return;
    }
    for (const { object, isDeletion } of objects) this.#add(key, resource, object, isDeletion);
  }

  /** Nobody knows whether the server has done a write of a run. */
  inDoubt(key: string, resource: Resource, request: TransportRequest): void {
    if (this.#options.caches.informersOf(resource).length === 0) return;
    const doubt = { resource, namespace: namespaceOf(resource, request), key: requestedKey(resource, request) };
    this.#accountOf(key).doubts.set(`${resourceName(resource)} ${doubt.namespace} ${doubt.key}`, doubt);
  }

  /** The time that the key waits for the caches begins. */
  runEnded(key: string): void {
    const account = this.#accounts.get(key);
    if (account) account.untilMs = this.#latest();
  }

  hasDoubts(key: string): boolean {
    return (this.#accounts.get(key)?.doubts.size ?? 0) > 0;
  }

  /** The doubts of a key, which are none any more. */
  takeDoubts(key: string): readonly Doubt[] {
    const account = this.#accounts.get(key);
    if (!account) return [];
    const doubts = [...account.doubts.values()];
    account.doubts.clear();
    this.#forgetSettled(key, account);
    return doubts;
  }

  putBack(key: string, doubt: Doubt): void {
    this.#accountOf(key).doubts.set(`${resourceName(doubt.resource)} ${doubt.namespace} ${doubt.key}`, doubt);
  }

  /** An object as the server has it now; `isGone`: it has none of that uid. */
  seen(key: string, resource: Resource, object: KubernetesObject, isGone = false): void {
    this.#add(key, resource, object, isGone);
    this.runEnded(key);
  }

  /** Whether the key may run: the caches hold what it wrote, or it has waited long enough, which is reported. */
  isCaughtUp(key: string): boolean {
    const account = this.#accounts.get(key);
    if (!account) return true;
    for (const [id, write] of account.writes) if (isHeld(write)) this.#remove(key, account, id, write);
    if (account.writes.size > 0) {
      if (monotonicMs(this.#options.clock) < account.untilMs) return false;
      this.#giveUp(key, account);
    }
    this.#stopWaiting(account);
    this.#forgetSettled(key, account);
    return true;
  }

  /** Calls back once, when `isCaughtUp` turns true. Of several calls for a key the last one holds, with the highest priority of all. */
  whenCaughtUp(key: string, priority: number, onReady: OnReady): void {
    const account = this.#accountOf(key);
    const before = this.#stopWaiting(account);
    const waitMs = account.untilMs - monotonicMs(this.#options.clock);
    const timer = this.#options.clock.setTimeout(() => this.#wake(key, account), waitMs);
    account.waiting = { timer, priority: Math.max(priority, before?.priority ?? priority), onReady };
  }

  stop(): void {
    for (const unobserve of this.#unobserve) unobserve();
    for (const { waiting } of this.#accounts.values()) waiting?.timer.clear();
    this.#accounts.clear();
    for (const writers of this.#writers.values()) writers.clear();
  }

  /** When a key that begins to wait now has waited long enough. */
  #latest(): number {
    return monotonicMs(this.#options.clock) + MAX_WAIT_MS;
  }

  #add(key: string, resource: Resource, object: KubernetesObject, isDeletion: boolean): void {
    // The answer of a subresource need not be an object of the cluster.
    if (!object.metadata?.name) return;
    const objectKey = metaNamespaceKey(object);
    const { resourceVersion: version = '', uid = '', deletionTimestamp } = object.metadata;
    // What is gone at once is answered with its last state, which the cache may hold.
    const resourceVersion = isDeletion && deletionTimestamp === undefined ? '' : version;
    for (const informer of this.#options.caches.informersOf(resource)) {
      const mayBeGone = isDeletion || !informer.takesIn(object);
      const write: OwnWrite = { informer, key: objectKey, resourceVersion, uid, mayBeGone };
      const id = `${informer.name} ${objectKey}`;
      const account = this.#accountOf(key);
      const before = account.writes.get(id);
      if (before) this.#remove(key, account, id, before);
      if (!isHeld(write)) {
        account.writes.set(id, write);
        // Also for a write that nobody awaited, and that is answered after its run has ended.
        account.untilMs = this.#latest();
        this.#writersOf(write).add(key);
      }
      this.#forgetSettled(key, account);
    }
  }

  #changed(writers: Map<string, Set<string>>, changed: string): void {
    for (const key of writers.get(changed) ?? []) {
      const account = this.#accounts.get(key);
      if (!account) continue;
      for (const [id, write] of account.writes) {
        if (write.key === changed && isHeld(write)) this.#remove(key, account, id, write);
      }
      if (account.writes.size > 0) continue;
      // The event of the write is on its way to the queue, too; one run is enough for both.
      if (account.waiting) schedulerOf(this.#options.clock).nextTurn(() => this.#wake(key, account));
      this.#forgetSettled(key, account);
    }
  }

  #wake(key: string, account: Account): void {
    const waiting = this.#stopWaiting(account);
    this.#forgetSettled(key, account);
    waiting?.onReady(account.writes.size > 0 ? 'gave_up' : 'caught_up', waiting.priority);
  }

  #stopWaiting(account: Account): Wait | undefined {
    const { waiting } = account;
    account.waiting = undefined;
    waiting?.timer.clear();
    return waiting;
  }

  #giveUp(key: string, account: Account): void {
    const missing = [...account.writes.values()].map((write) => `${write.informer.name} ${write.key}`);
    this.#options.logger.warn(
      `controller ${this.#options.name}: ${key} runs although the caches do not hold what its last run wrote ${MAX_WAIT_MS} ms ago ` +
        `(${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ', …' : ''}). It may see an older state; look at the state of the informer.`,
    );
    for (const [id, write] of account.writes) this.#remove(key, account, id, write);
  }

  #remove(key: string, account: Account, id: string, write: OwnWrite): void {
    account.writes.delete(id);
    const writers = this.#writersOf(write);
    writers.delete(key);
    if (writers.size === 0) this.#writers.get(write.informer)?.delete(write.key);
  }

  #writersOf({ informer, key }: OwnWrite): Set<string> {
    const writers = this.#writers.get(informer);
    const known = writers?.get(key);
    if (known) return known;
    const made = new Set<string>();
    writers?.set(key, made);
    return made;
  }

  #accountOf(key: string): Account {
    const known = this.#accounts.get(key);
    if (known) return known;
    const account: Account = { writes: new Map(), doubts: new Map(), untilMs: 0, waiting: undefined };
    this.#accounts.set(key, account);
    return account;
  }

  #forgetSettled(key: string, account: Account): void {
    if (account.writes.size > 0 || account.doubts.size > 0 || account.waiting) return;
    if (this.#accounts.get(key) === account) this.#accounts.delete(key);
  }
}
