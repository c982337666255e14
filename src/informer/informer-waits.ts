import type { Cached } from '../api/cached.ts';
import { metaNamespaceKey, splitMetaNamespaceKey } from '../api/key.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { checkedOptions, shown } from '../api/option-check.ts';
import { deferred, isPromise } from '../api/promise-like.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Clock } from '../observe/clock.ts';
import type { Notification } from '../processor/notification.ts';
import type { ObjectTable } from '../store/object-table.ts';
import { WAIT_CHECKS } from './call-options.ts';
import type { WaitOptions } from './informer.ts';
import type { InformerPart } from './informer-part.ts';
import type { InformerParts } from './informer-parts.ts';
import { waitFirst } from './wait.ts';

/** What is asked of each state of an object; undefined: there is none. */
export type CachedCondition<T extends KubernetesObject> = (object: Cached<T> | undefined) => boolean;

/** Somebody who waits for a state of one object. */
interface KeyWait<T extends KubernetesObject> {
  /** Looks at a state. */
  look(object: Cached<T> | undefined): void;
  fail(reason: unknown): void;
}

export interface InformerWaitsOptions<T extends KubernetesObject> {
  name: string;
  /** Throws for a key that none of its objects can have. */
  checkKey: (key: string) => void;
  parts: InformerParts<T>;
  table: ObjectTable<T>;
  /** Aborts when the informer stops. */
  stopping: AbortSignal;
  /** Calls back for each change of the store. Returns its way out. */
  observe: (observer: (notification: Notification<T>) => void) => () => void;
  /** How the informer fares, for messages. */
  standing: () => string;
  clock: Clock;
}

/** All that one can wait for with an informer. Each wait ends with the informer, and leaves nothing behind. */
export class InformerWaits<T extends KubernetesObject> {
  readonly #options: InformerWaitsOptions<T>;
  /** By key. They see each state that reaches the cache, in the turn in which it does. */
  readonly #waiting = new Map<string, Set<KeyWait<T>>>();
  /** The way out of `observe`, while somebody waits for an object. */
  #leave: (() => void) | undefined;

  constructor(options: InformerWaitsOptions<T>) {
    this.#options = options;
  }

  /** The first list of a part is in the store: what is absent there is known to be absent. */
  joined(): void {
    for (const key of [...this.#waiting.keys()]) this.#lookNow(key, (object) => this.#look(key, object));
  }

  /** The informer ceases to watch a namespace. */
  left(namespace: string): void {
    for (const [key, waits] of [...this.#waiting]) {
      if (splitMetaNamespaceKey(key).namespace !== namespace) continue;
      for (const wait of [...waits]) wait.fail(this.#gone(namespace, key));
    }
  }

  /** See `Informer.waitForSync`. */
  async forSync(synced: Promise<void>, options: WaitOptions): Promise<boolean> {
    const { name, stopping, clock, standing } = this.#options;
    const outcome = await waitFirst(synced, stopping, options, clock);
    if (outcome === 'timeout') {
      throw new TidewatchError('timeout', `${name} did not sync within ${options.timeoutMs} ms: ${standing()}`);
    }
    return outcome === 'done';
  }

  /** See `Informer.waitFor`. */
  async forVersion(version: string | KubernetesObject, given: WaitOptions): Promise<void> {
    const { name, parts, stopping, clock } = this.#options;
    const options = checkedOptions<WaitOptions>(`waitFor of ${name}`, given, WAIT_CHECKS);
    const isObject = typeof version === 'object' && version !== null;
    const wanted = isObject ? version.metadata?.resourceVersion : version;
    // No version is ever equal to a key.
    if (typeof wanted !== 'string' || wanted === '' || wanted.includes('/')) {
      const hint = isObject ? '' : `, and got ${shown(wanted)}: waitUntil(key, predicate) waits for an object`;
      throw new TypeError(`waitFor needs a resourceVersion, or an object that carries one${hint}`);
    }
    const key = isObject ? metaNamespaceKey(version) : undefined;
    if (key !== undefined && this.#holds(key, wanted)) return;
    const concerned = isObject
      ? this.#partsOf(version.metadata?.namespace ?? '', version.metadata?.name)
      : parts.busy();
    const waits = concerned.map((part) => part.waitFor(wanted));
    const reached = Promise.all(waits.map((wait) => wait.reached));
    const first = await waitFirst(reached, stopping, options, clock);
    for (const wait of waits) wait.cancel();
    const isLeft = first === 'done' && (await reached).includes(false);
    // All parts go when the informer stops.
    const outcome = isLeft && stopping.aborted ? 'stopped' : first;
    if (outcome === 'aborted') throw options.signal?.reason;
    const what = outcome === 'timeout' ? `${options.timeoutMs} ms passed` : 'the informer stopped';
    const message = `${name} has not reached version ${wanted} when ${what}: ${this.#options.standing()}`;
    if (outcome !== 'done') throw new TidewatchError(outcome, message);
    // A namespace that is gone has nothing to catch up with, unless its object was meant.
    if (isLeft && key !== undefined) throw this.#gone(splitMetaNamespaceKey(key).namespace, key);
  }

  /** See `Informer.waitUntil`. `what` is the name of the condition, for messages. Not asked again once it is met. */
  async untilMet(key: string, condition: CachedCondition<T>, what: string, given: WaitOptions): Promise<void> {
    const { name, stopping, clock, standing } = this.#options;
    const options = checkedOptions<WaitOptions>(`waitUntil of ${name}`, given, WAIT_CHECKS);
    this.#options.checkKey(key);
    const { namespace, name: objectName } = splitMetaNamespaceKey(key);
    this.#partsOf(namespace, objectName);
    const { met, look, cancel } = this.#wait(key, condition);
    this.#leave ??= this.#options.observe(({ type, object }) =>
      this.#look(object.key, type === 'delete' ? undefined : object),
    );
    try {
      this.#lookNow(key, look);
      const outcome = await waitFirst(met, stopping, options, clock);
      if (outcome === 'aborted') throw options.signal?.reason;
      if (outcome === 'done') return;
      const end = outcome === 'stopped' ? 'the informer stopped' : `${options.timeoutMs} ms passed`;
      const held = this.#options.table.get(key);
      const last = held ? `the cache has version ${held.resourceVersion} of it` : 'the cache does not have it';
      throw new TidewatchError(outcome, `${key} did not meet ${what} when ${end}: ${last}; ${name}: ${standing()}`);
    } finally {
      cancel();
      if (this.#waiting.size === 0) this.#leave = void this.#leave?.();
    }
  }

  /** `met` rejects when the condition throws, or the wait fails, and never settles after `cancel`. */
  #wait(key: string, condition: CachedCondition<T>) {
    const { promise: met, resolve, reject } = deferred();
    // Whoever gave up waiting does not hear of a failure that comes later.
    met.catch(() => {});
    const waits = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waits);
    const cancel = () => {
      waits.delete(wait);
      if (waits.size === 0 && this.#waiting.get(key) === waits) this.#waiting.delete(key);
    };
    const look = (object: Cached<T> | undefined) => {
      if (!waits.has(wait)) return;
      try {
        if (!isMet(condition, object)) return;
        resolve();
      } catch (thrown) {
        reject(thrown);
      }
      cancel();
    };
    const fail = (reason: unknown) => {
      reject(reason);
      cancel();
    };
    const wait: KeyWait<T> = { look, fail };
    waits.add(wait);
    return { met, look, cancel };
  }

  #look(key: string, object: Cached<T> | undefined): void {
    for (const wait of [...(this.#waiting.get(key) ?? [])]) wait.look(object);
  }

  /** An object that is absent is shown as absent only when that is known. */
  #lookNow(key: string, look: (object: Cached<T> | undefined) => void): void {
    const { parts, table } = this.#options;
    const object = table.get(key);
    const { namespace } = splitMetaNamespaceKey(key);
    if (object || parts.of(namespace).some((part) => part.hasSynced())) look(object);
  }

  /** Throws a `TypeError` when there is none. */
  #partsOf(namespace: string, objectName: string | undefined): readonly InformerPart<T>[] {
    const { name, parts } = this.#options;
    const found = parts.of(namespace);
    if (found.length > 0) return found;
    const own = parts.busy().map(({ coverage }) => coverage.namespace);
    const where = namespace ? `is in namespace ${namespace}` : 'has no namespace';
    throw new TypeError(
      `${name} never holds ${objectName}, which ${where}: it watches ${own.join(', ') || 'no namespace at present'}`,
    );
  }

  #holds(key: string, version: string): boolean {
    const held = this.#options.table.get(key);
    return held !== undefined && (compareResourceVersions(held.resourceVersion, version) ?? -1) >= 0;
  }

  #gone(namespace: string, key: string): TidewatchError {
    const { name } = this.#options;
    return new TidewatchError(
      'stopped',
      `${name} no longer watches namespace ${namespace}, which was removed while ${key} was waited for`,
    );
  }
}

function isMet<T extends KubernetesObject>(condition: CachedCondition<T>, object: Cached<T> | undefined): boolean {
  const answer: unknown = condition(object);
  if (isPromise(answer)) {
    throw new TypeError('the condition of waitUntil returned a promise: it must answer at once, with true or false');
  }
  return Boolean(answer);
}
