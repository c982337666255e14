import type { CachedChange } from '../api/cached.ts';
import { compareResourceVersions } from '../api/resource-version.ts';

/** How far the target is, and from where the next list or watch begins. */
export class SyncPosition {
  #resourceVersion = '';
  /** A list or watch from the last seen version failed because the server has it no more, or not yet. */
  #unavailable = false;
  /** The list at "0" came in pages, so the server lists from etcd, and will go on to. */
  #paginated = false;
  /** The versions of the present watch say how far it is. */
  #isInOrder = true;

  /** The last version seen; "" before the first list. */
  get resourceVersion(): string {
    return this.#resourceVersion;
  }

  /** A watch from here does not continue anything: it begins with the present state, and what was deleted meanwhile is missed. */
  get isNowhere(): boolean {
    return this.#resourceVersion === '' || this.#resourceVersion === '0';
  }

  get isPaginated(): boolean {
    return this.#paginated;
  }

  /** "0" lets the server answer the first list from its cache, "" makes it read from etcd. */
  get listFrom(): string {
    if (this.#unavailable) return '';
    return this.#resourceVersion === '' ? '0' : this.#resourceVersion;
  }

  get watchListFrom(): string {
    return this.#unavailable ? '' : this.#resourceVersion;
  }

  markUnavailable(): void {
    this.#unavailable = true;
  }

  markPaginated(): void {
    this.#paginated = true;
  }

  /** A whole state has been taken. The one way to a lower version: a list is the truth, an event is not. */
  replaced(resourceVersion: string): void {
    this.#resourceVersion = resourceVersion;
    this.#unavailable = false;
  }

  /**
   * A watch begins. One from nowhere begins with the present state in any order, so that the version of an ADDED says nothing
   * about how far it is until something else has come.
   */
  watching(): void {
    this.#isInOrder = !this.isNowhere;
  }

  /** An event or a bookmark has been taken. Never goes back; versions that cannot be ordered are believed. */
  advance(type: CachedChange['type'], resourceVersion: string): void {
    if (type !== 'ADDED') this.#isInOrder = true;
    if (resourceVersion === '' || !this.#isInOrder) return;
    const order = compareResourceVersions(resourceVersion, this.#resourceVersion);
    if (order === undefined || order > 0) this.#resourceVersion = resourceVersion;
  }

  /** Whether `resourceVersion` is known to be before the position. */
  isPast(resourceVersion: string): boolean {
    const order = compareResourceVersions(resourceVersion, this.#resourceVersion);
    return order !== undefined && order < 0;
  }

  /** As before the first list. */
  reset(): void {
    this.#resourceVersion = '';
    this.#unavailable = false;
    this.#paginated = false;
  }
}
