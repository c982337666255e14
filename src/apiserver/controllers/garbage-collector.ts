import type { Api } from '../api.ts';
import type { DeleteOptions } from '../delete-options.ts';
import { asArray, asObject, asString, type JsonObject } from '../json.ts';
import { ObjectDeleter } from '../object-deleter.ts';
import { FOREGROUND_FINALIZER, finalizersOf, metadataOf, ORPHAN_FINALIZER } from '../object-meta.ts';
import { ObjectWriter } from '../object-writer.ts';
import type { ServedResource } from '../served-resource.ts';
import { StatusError } from '../status-error.ts';
import type { Change, Table } from '../store.ts';
import type { StoredObject } from '../stored-object.ts';
import { WorkLoop } from './work-loop.ts';

interface Place {
  readonly table: Table;
  readonly key: string;
}

/**
 * Follows owner references as the garbage collector of kube-controller-manager does: deletes what has lost its last
 * owner, acts out foreground and orphan deletion, and removes references to owners that are gone.
 */
export class GarbageCollector {
  readonly #api: Api;
  readonly #loop: WorkLoop;
  readonly #byUid = new Map<string, Place>();
  /** By the uid of the owner; a dependent stands under each of its owners. */
  readonly #dependents = new Map<string, Map<string, Place>>();
  readonly #listener = (change: Change) => this.#observe(change);

  constructor(api: Api) {
    this.#api = api;
    this.#loop = new WorkLoop(api.logger);
    api.store.listeners.add(this.#listener);
  }

  stop(): void {
    this.#api.store.listeners.delete(this.#listener);
    this.#loop.stop();
  }

  #observe({ table, previous, current }: Change): void {
    for (const owner of previous?.owners ?? []) this.#unlink(owner, previous as StoredObject);
    if (current) {
      const place = { table, key: current.key };
      this.#byUid.set(current.uid, place);
      for (const owner of current.owners) this.#link(owner, current.uid, place);
      if (current.owners.length > 0) this.#later(current.uid);
      this.#checkFinalizers(current);
    } else if (previous) {
      this.#byUid.delete(previous.uid);
      for (const uid of this.#dependents.get(previous.uid)?.keys() ?? []) this.#later(uid);
      // An owner that waits for its dependents may now be free.
      for (const owner of previous.owners) this.#later(owner);
    }
  }

  #link(owner: string, uid: string, place: Place): void {
    const known = this.#dependents.get(owner) ?? new Map<string, Place>();
    known.set(uid, place);
    this.#dependents.set(owner, known);
  }

  #unlink(owner: string, dependent: StoredObject): void {
    const known = this.#dependents.get(owner);
    known?.delete(dependent.uid);
    if (known?.size === 0) this.#dependents.delete(owner);
  }

  #later(uid: string): void {
    this.#loop.add(uid, () => this.#process(uid));
  }

  /** Only objects that a deletion has marked need a look. */
  #checkFinalizers(current: StoredObject): void {
    const text = current.metadataBytes();
    if (text.includes('deletionTimestamp') && text.includes('finalizers')) this.#later(current.uid);
  }

  #process(uid: string): void {
    const place = this.#byUid.get(uid);
    const stored = place?.table.objects.get(place.key);
    if (!place || !stored || stored.uid !== uid) return;
    const resource = this.#api.registry.forTable(place.table);
    if (!resource) return;
    const object = stored.decode();
    if (metadataOf(object).deletionTimestamp !== undefined) {
      const finalizers = finalizersOf(object);
      if (finalizers.includes(ORPHAN_FINALIZER)) this.#orphan(resource, stored);
      else if (finalizers.includes(FOREGROUND_FINALIZER)) this.#deleteDependents(resource, stored);
      return;
    }
    if (stored.owners.length > 0) this.#checkOwners(resource, stored, object);
  }

  /** Dependents that block the deletion go first; when none is left, so does the finalizer. */
  #deleteDependents(resource: ServedResource, owner: StoredObject): void {
    let blocking = 0;
    for (const [uid, place] of this.#dependents.get(owner.uid) ?? []) {
      const dependent = place.table.objects.get(place.key);
      if (!dependent || dependent.uid !== uid) continue;
      const object = dependent.decode();
      if (!blocks(object, owner.uid)) continue;
      blocking++;
      if (metadataOf(object).deletionTimestamp !== undefined) continue;
      const foreground = (this.#dependents.get(uid)?.size ?? 0) > 0;
      this.#delete(place, dependent, foreground ? 'Foreground' : policyOf(object));
    }
    if (blocking === 0) this.#removeFinalizer(resource, owner, FOREGROUND_FINALIZER);
  }

  #orphan(resource: ServedResource, owner: StoredObject): void {
    for (const [uid, place] of this.#dependents.get(owner.uid) ?? []) {
      const dependent = place.table.objects.get(place.key);
      if (dependent?.uid === uid) this.#removeOwners(place, dependent, new Set([owner.uid]));
    }
    this.#removeFinalizer(resource, owner, ORPHAN_FINALIZER);
  }

  #checkOwners(resource: ServedResource, stored: StoredObject, object: JsonObject): void {
    const gone = new Set<string>();
    let waiting = 0;
    let solid = 0;
    for (const uid of stored.owners) {
      const owner = this.#owner(uid, stored);
      if (!owner) gone.add(uid);
      else if (waitsForDependents(owner) && blocks(object, uid)) waiting++;
      else solid++;
    }
    const place = { table: resource.table, key: stored.key };
    if (solid > 0) {
      if (gone.size > 0) this.#removeOwners(place, stored, gone);
      return;
    }
    if (gone.size === 0 && waiting === 0) return;
    const foreground = waiting > 0 && (this.#dependents.get(stored.uid)?.size ?? 0) > 0;
    this.#delete(place, stored, foreground ? 'Foreground' : policyOf(object));
  }

  /** An owner in another namespace is none. */
  #owner(uid: string, dependent: StoredObject): StoredObject | undefined {
    const place = this.#byUid.get(uid);
    const owner = place?.table.objects.get(place.key);
    if (owner?.uid !== uid) return undefined;
    return owner.namespace === '' || owner.namespace === dependent.namespace ? owner : undefined;
  }

  #delete({ table }: Place, stored: StoredObject, propagationPolicy: string): void {
    const resource = this.#api.registry.forTable(table);
    if (!resource) return;
    const options: DeleteOptions = { propagationPolicy, uid: stored.uid, dryRun: false };
    ignoringAbsence(() =>
      new ObjectDeleter(this.#api).delete(resource, stored.name, options, this.#writeOptions(stored)),
    );
  }

  #removeOwners({ table }: Place, stored: StoredObject, gone: ReadonlySet<string>): void {
    this.#update(table, stored, (object) => {
      const metadata = metadataOf(object);
      const left = asArray(metadata.ownerReferences).filter((item) => !gone.has(asString(asObject(item).uid)));
      if (left.length > 0) metadata.ownerReferences = left;
      else delete metadata.ownerReferences;
    });
  }

  #removeFinalizer(resource: ServedResource, stored: StoredObject, finalizer: string): void {
    this.#update(resource.table, stored, (object) => {
      const metadata = metadataOf(object);
      const left = finalizersOf(object).filter((name) => name !== finalizer);
      if (left.length > 0) metadata.finalizers = left;
      else delete metadata.finalizers;
    });
  }

  #update(table: Table, stored: StoredObject, change: (object: JsonObject) => void): void {
    const resource = this.#api.registry.forTable(table);
    if (!resource) return;
    ignoringAbsence(() =>
      new ObjectWriter(this.#api).update(resource, stored.name, this.#writeOptions(stored), (object) => {
        change(object);
        return object;
      }),
    );
  }

  #writeOptions(stored: StoredObject) {
    return { namespace: stored.namespace, dryRun: false, warn: () => {} };
  }
}

function references(object: JsonObject): JsonObject[] {
  return asArray(metadataOf(object).ownerReferences).map(asObject);
}

function blocks(dependent: JsonObject, ownerUid: string): boolean {
  return references(dependent).some((item) => item.uid === ownerUid && item.blockOwnerDeletion === true);
}

function waitsForDependents(owner: StoredObject): boolean {
  const object = { metadata: owner.metadata() };
  return object.metadata.deletionTimestamp !== undefined && finalizersOf(object).includes(FOREGROUND_FINALIZER);
}

function policyOf(object: JsonObject): string {
  const finalizers = finalizersOf(object);
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}

/** Somebody was faster: nothing is left to do. */
function ignoringAbsence(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof StatusError) || ![404, 409].includes(error.status.code)) throw error;
  }
}
