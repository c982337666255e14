import type { Cached } from '../api/cached.ts';
import type { StoreValue } from '../observe/channels.ts';
import { Ring } from './ring.ts';

/** Of all objects together. */
const MAX_CHANGES = 10_000;
/** Of one object. */
const MAX_VERSIONS = 50;

/** One change of a cache. */
export interface Change {
  /** Grows with each. */
  readonly seq: number;
  /** `informer.id`. */
  readonly informer: number;
  readonly type: 'add' | 'update' | 'delete';
  readonly key: string;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** When it was stored, in monotonic time. */
  readonly storedMs: number;
  /** What joins it to the bytes that brought it, and to the calls and runs that it caused. */
  value: StoreValue | undefined;
  /** The new state; of a delete, the last one. Absent once newer versions of the object have taken its place. */
  object: Cached | undefined;
  /** The state before. */
  old: Cached | undefined;
}

/**
 * The last changes, by object. It holds the objects as the cache does, in their bytes, and decodes nothing: what a change costs while a
 * page is open is a few references.
 */
export class ChangeBook {
  readonly #ring = new Ring<Change>(MAX_CHANGES);
  /** By informer, by key. */
  readonly #byObject = new Map<number, Map<string, Change[]>>();

  add(change: Change): void {
    const { informer, key } = change;
    const ofInformer = this.#of(informer);
    const ofObject = ofInformer.get(key);
    if (ofObject === undefined) ofInformer.set(key, [change]);
    else if (ofObject.push(change) > MAX_VERSIONS) forget(ofObject.shift());
    const evicted = this.#ring.push(change);
    if (evicted !== undefined) this.#evict(evicted);
  }

  /** The oldest first. */
  of(informer: number, key: string): readonly Change[] {
    return this.#byObject.get(informer)?.get(key) ?? [];
  }

  #of(informer: number): Map<string, Change[]> {
    const known = this.#byObject.get(informer);
    if (known !== undefined) return known;
    const made = new Map<string, Change[]>();
    this.#byObject.set(informer, made);
    return made;
  }

  #evict(change: Change): void {
    const { informer, key } = change;
    const ofInformer = this.#of(informer);
    const ofObject = ofInformer.get(key);
    // It is not there any more when newer versions of its object have taken its place.
    if (ofObject?.[0] !== change) return;
    ofObject.shift();
    if (ofObject.length === 0) ofInformer.delete(key);
  }
}

function forget(change: Change | undefined): void {
  if (change === undefined) return;
  change.object = undefined;
  change.old = undefined;
}
