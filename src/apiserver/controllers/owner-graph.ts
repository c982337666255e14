import type { Change, Table } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';

/** Where an object is stored. */
export interface Place {
  readonly table: Table;
  readonly key: string;
}

/** Which objects there are, by uid, and which name which as their owner. An owner need not exist. */
export class OwnerGraph {
  readonly #places = new Map<string, Place>();
  /** By the uid of the owner; a dependent stands under each of its owners. */
  readonly #dependents = new Map<string, Set<string>>();

  apply({ table, previous, current }: Change): void {
    for (const owner of previous?.owners ?? []) this.#unlink(owner, previous?.uid ?? '');
    if (previous && previous.uid !== current?.uid) this.#places.delete(previous.uid);
    if (!current) return;
    this.#places.set(current.uid, { table, key: current.key });
    for (const owner of current.owners) this.#link(owner, current.uid);
  }

  find(uid: string): { place: Place; stored: StoredObject } | undefined {
    const place = this.#places.get(uid);
    const stored = place?.table.objects.get(place.key);
    return place && stored?.uid === uid ? { place, stored } : undefined;
  }

  dependentUids(owner: string): string[] {
    return [...(this.#dependents.get(owner) ?? [])];
  }

  /** The dependents that are still there. */
  dependents(owner: string): { place: Place; stored: StoredObject }[] {
    return this.dependentUids(owner).flatMap((uid) => this.find(uid) ?? []);
  }

  #link(owner: string, uid: string): void {
    const known = this.#dependents.get(owner) ?? new Set<string>();
    known.add(uid);
    this.#dependents.set(owner, known);
  }

  #unlink(owner: string, uid: string): void {
    const known = this.#dependents.get(owner);
    known?.delete(uid);
    if (known?.size === 0) this.#dependents.delete(owner);
  }
}
