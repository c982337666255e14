import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Notification } from '../processor/notification.ts';
import { NumberRing } from './number-ring.ts';
import type { FieldChange, TimedStep } from './protocol.ts';

/** Of all objects together. */
const MAX_CHANGES = 10_000;
/** Of one object. */
const MAX_VERSIONS = 50;
/**
 * Of how many changes the state before is held, for objects that nobody looks at. Each keeps the bytes of an object alive, which the cache
 * would have used again.
 */
const MAX_STATES = 1_000;
/** An object counts as looked at for this long after a page has asked for it. */
const LOOK_MS = 30_000;
/** Of one informer; each of eight pages shows one at a time. */
const MAX_LOOKS = 16;

const TYPES = ['add', 'update', 'delete'] as const;

/** One change of an object that a page looks at. */
export interface Change {
  /** Grows with each. */
  readonly seq: number;
  readonly type: (typeof TYPES)[number];
  readonly version: string;
  /** When it was stored, in monotonic time. */
  readonly storedMs: number;
  /** The id of the store change, and of the frames or the list that brought it; 0: not known. */
  readonly id: number;
  readonly from: number;
  /** The state before, until `difference` is known; absent for an add, and when it is not held any more. */
  before: Cached | undefined;
  /** Unset until it has been found out. */
  difference: { readonly changes: readonly FieldChange[]; readonly more: number } | undefined;
  /** When its bytes arrived, in monotonic time; undefined when that is not known. */
  arrivedMs: number | undefined;
  /** The calls of handlers and the runs that it has caused so far, in monotonic time. */
  readonly calls: TimedStep[];
  readonly runs: TimedStep[];
}

/** An object that a page looks at. */
export interface Look {
  /** The oldest first, at most 50. */
  readonly changes: Change[];
  /** How many calls and runs have been searched for those that belong to the changes. */
  searched: { calls: number; runs: number };
  askedMs: number;
}

/**
 * The last changes. It holds the objects as the cache does, in their bytes, and decodes nothing: what a change costs while a page is open is a row
 * of numbers and three references.
 */
export class ChangeBook {
  /** informer, type, storedMs, id, from */
  readonly #rows = new NumberRing(MAX_CHANGES);
  readonly #keys: string[] = [];
  readonly #versions: string[] = [];
  readonly #before: (Cached | undefined)[] = [];
  /** By informer, by key. */
  readonly #looks = new Map<number, Map<string, Look>>();

  /** @param from the id of what brought it; 0: not known. */
  add(informer: number, notification: Notification<KubernetesObject>, from: number): void {
    const { type, object, old, atMs, change } = notification;
    const { key, resourceVersion } = object;
    const row = this.#rows.count;
    this.#keys[row % MAX_CHANGES] = key;
    this.#versions[row % MAX_CHANGES] = resourceVersion;
    this.#before[row % MAX_STATES] = old;
    this.#rows.push(informer, TYPES.indexOf(type), atMs, change, from);
    if (this.#looks.size === 0) return;
    const changes = this.#looks.get(informer)?.get(key)?.changes;
    if (changes !== undefined && changes.push(this.#change(row)) > MAX_VERSIONS) changes.shift();
  }

  /** What is known of one object. It is followed from now on, for as long as somebody asks now and then. */
  look(informer: number, key: string, nowMs: number): Look {
    const looks = this.#looks.get(informer) ?? new Map<string, Look>();
    this.#looks.set(informer, looks);
    const searched = { calls: 0, runs: 0 };
    const look = looks.get(key) ?? { changes: this.#changesOf(informer, key), searched, askedMs: nowMs };
    look.askedMs = nowMs;
    // The one that was asked for last is the last.
    looks.delete(key);
    looks.set(key, look);
    this.#forgetLooks(nowMs);
    return look;
  }

  #forgetLooks(nowMs: number): void {
    for (const [informer, looks] of this.#looks) {
      for (const [key, { askedMs }] of looks) {
        if (looks.size <= MAX_LOOKS && nowMs - askedMs <= LOOK_MS) break;
        looks.delete(key);
      }
      if (looks.size === 0) this.#looks.delete(informer);
    }
  }

  #changesOf(informer: number, key: string): Change[] {
    const rows = this.#rows;
    const changes: Change[] = [];
    for (let row = rows.count - 1; row >= rows.first && changes.length < MAX_VERSIONS; row--) {
      if (rows.get(row, 0) === informer && this.#keys[row % MAX_CHANGES] === key) changes.push(this.#change(row));
    }
    return changes.reverse();
  }

  #change(row: number): Change {
    const rows = this.#rows;
    return {
      seq: row + 1,
      type: TYPES[rows.get(row, 1)] as Change['type'],
      version: this.#versions[row % MAX_CHANGES] ?? '',
      storedMs: rows.get(row, 2),
      id: rows.get(row, 3),
      from: rows.get(row, 4),
      before: row >= rows.count - MAX_STATES ? this.#before[row % MAX_STATES] : undefined,
      difference: undefined,
      arrivedMs: undefined,
      calls: [],
      runs: [],
    };
  }
}
