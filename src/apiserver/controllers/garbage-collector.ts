import type { Api } from '../api.ts';
import type { DeleteOptions } from '../request/delete-options.ts';
import { StatusError } from '../request/status-error.ts';
import { ObjectDeleter } from '../storage/object-deleter.ts';
import { keyFor, ObjectWriter } from '../storage/object-writer.ts';
import type { Change } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { asArray, asObject, asString, type JsonObject } from '../values/json.ts';
import { FOREGROUND_FINALIZER, finalizersOf, metadataOf, ORPHAN_FINALIZER } from '../values/object-meta.ts';
import { OwnerGraph, type Place } from './owner-graph.ts';
import { WorkLoop } from './work-loop.ts';

/** The real garbage collector does not watch them either. */
const IGNORED_TABLE = 'events';

/** What became of the owners that an object names, by their uids. */
interface Owners {
  /** There, and not waiting: they keep the object. */
  readonly solid: readonly string[];
  readonly absent: readonly string[];
  /** Deleted in the foreground: there until their dependents have gone. */
  readonly waiting: readonly string[];
}

/**
 * Follows owner references as the garbage collector of kube-controller-manager does: deletes what has lost its last
 * owner, acts out foreground and orphan deletion, and removes references to owners that are gone or about to go. An
 * object whose owner is of a kind that nobody serves is left alone until that kind is served.
 */
export class GarbageCollector {
  readonly #api: Api;
  readonly #loop: WorkLoop;
  readonly #graph = new OwnerGraph();
  /** Objects whose owners are of unknown kinds, and what was served when that was found out. */
  readonly #unresolved = new Set<string>();
  #servedAtLook = 0;
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

  #observe(change: Change): void {
    const { table, previous, current } = change;
    if (table.name === IGNORED_TABLE) return;
    this.#graph.apply(change);
    this.#lookAgain();
    // An owner that waits for its dependents may now be free.
    for (const owner of previous?.owners ?? []) this.#later(owner);
    if (!current) {
      for (const uid of this.#graph.dependentUids(previous?.uid ?? '')) this.#later(uid);
      return;
    }
    if (current.owners.length > 0) this.#later(current.uid);
    if (!isMarked(current)) return;
    this.#later(current.uid);
    if (!previous || !isMarked(previous)) {
      for (const uid of this.#graph.dependentUids(current.uid)) this.#later(uid);
    }
  }

  /** Kinds that are new may be those that some owners are of. */
  #lookAgain(): void {
    const { generation } = this.#api.registry;
    if (this.#unresolved.size === 0 || generation === this.#servedAtLook) return;
    for (const uid of this.#unresolved) this.#later(uid);
    this.#unresolved.clear();
  }

  #later(uid: string): void {
    this.#loop.add(uid, () => this.#process(uid));
  }

  #process(uid: string): void {
    const found = this.#graph.find(uid);
    if (!found) return;
    const { place, stored } = found;
    const object = { metadata: stored.metadata() };
    if (object.metadata.deletionTimestamp !== undefined) {
      const finalizers = finalizersOf(object);
      if (finalizers.includes(ORPHAN_FINALIZER)) this.#orphan(place, stored);
      else if (finalizers.includes(FOREGROUND_FINALIZER)) this.#awaitDependents(place, stored);
      return;
    }
    if (stored.owners.length > 0) this.#checkOwners(place, stored, object);
  }

  /** When no dependent blocks the deletion any more, the finalizer goes; those that do are looked at. */
  #awaitDependents(place: Place, owner: StoredObject): void {
    const blocking = this.#graph.dependents(owner.uid).filter(({ stored }) => blocks(stored, owner.uid));
    if (blocking.length === 0) this.#removeFinalizer(place, owner, FOREGROUND_FINALIZER);
    for (const { stored } of blocking) if (!waitsForDependents(stored)) this.#later(stored.uid);
  }

  #orphan(place: Place, owner: StoredObject): void {
    for (const { place: at, stored } of this.#graph.dependents(owner.uid)) this.#removeOwners(at, stored, [owner.uid]);
    this.#removeFinalizer(place, owner, ORPHAN_FINALIZER);
  }

  #checkOwners(place: Place, stored: StoredObject, object: JsonObject): void {
    const owners = this.#classify(stored, object);
    if (!owners) return;
    const { solid, absent, waiting } = owners;
    if (solid.length > 0) {
      // References to owners that wait would keep these from going.
      if (absent.length + waiting.length > 0) this.#removeOwners(place, stored, [...absent, ...waiting]);
      return;
    }
    const dependents = waiting.length > 0 ? this.#graph.dependents(stored.uid) : [];
    if (dependents.length === 0) {
      this.#delete(place, stored, policyOf(object));
      return;
    }
    // A dependent that already waits may be waiting for this very object, in a circle.
    if (dependents.some((dependent) => waitsForDependents(dependent.stored))) this.#unblockOwners(place, stored);
    this.#delete(place, stored, 'Foreground');
  }

  /** Undefined when one of the owners cannot be looked up at all; nothing is decided then. */
  #classify(stored: StoredObject, object: JsonObject): Owners | undefined {
    const owners = { solid: [] as string[], absent: [] as string[], waiting: [] as string[] };
    for (const reference of references(object)) {
      const uid = asString(reference.uid);
      const resource = this.#api.registry.findKind(asString(reference.apiVersion), asString(reference.kind));
      if (!resource) {
        this.#unresolved.add(stored.uid);
        this.#servedAtLook = this.#api.registry.generation;
        return undefined;
      }
      // What belongs to no namespace cannot be owned by something that does.
      if (resource.namespaced && stored.namespace === '') return undefined;
      const key = keyFor(resource.namespaced ? stored.namespace : '', asString(reference.name));
      const owner = resource.table.objects.get(key);
      if (owner?.uid !== uid) owners.absent.push(uid);
      else if (waitsForDependents(owner)) owners.waiting.push(uid);
      else owners.solid.push(uid);
    }
    return owners;
  }

  #delete({ table }: Place, stored: StoredObject, propagationPolicy: string): void {
    const resource = this.#api.registry.forTable(table);
    if (!resource) return;
    const options: DeleteOptions = { propagationPolicy, uid: stored.uid, dryRun: false };
    ignoringAbsence(() => new ObjectDeleter(this.#api).delete(resource, stored.name, options, writeOptions(stored)));
  }

  #removeOwners(place: Place, stored: StoredObject, uids: readonly string[]): void {
    this.#changeOwners(place, stored, (owners) => owners.filter((owner) => !uids.includes(asString(owner.uid))));
  }

  #unblockOwners(place: Place, stored: StoredObject): void {
    this.#changeOwners(place, stored, (owners) =>
      owners.map((owner) => (owner.blockOwnerDeletion === true ? { ...owner, blockOwnerDeletion: false } : owner)),
    );
  }

  #changeOwners(place: Place, stored: StoredObject, change: (owners: JsonObject[]) => JsonObject[]): void {
    this.#update(place, stored, (object) => setList(metadataOf(object), 'ownerReferences', change(references(object))));
  }

  #removeFinalizer(place: Place, stored: StoredObject, finalizer: string): void {
    this.#update(place, stored, (object) => {
      const left = finalizersOf(object).filter((name) => name !== finalizer);
      setList(metadataOf(object), 'finalizers', left);
    });
  }

  #update({ table }: Place, stored: StoredObject, change: (object: JsonObject) => void): void {
    const resource = this.#api.registry.forTable(table);
    if (!resource) return;
    ignoringAbsence(() =>
      new ObjectWriter(this.#api).update(resource, stored.name, writeOptions(stored), (object) => {
        change(object);
        return object;
      }),
    );
  }
}

function writeOptions({ namespace }: StoredObject) {
  return { namespace, dryRun: false, warn: () => {} };
}

function setList(metadata: JsonObject, field: string, list: (JsonObject | string)[]): void {
  if (list.length > 0) metadata[field] = list;
  else delete metadata[field];
}

function references(object: JsonObject): JsonObject[] {
  return asArray(metadataOf(object).ownerReferences).map(asObject);
}

/** A first glance without decoding; who says yes is looked at more closely. */
function isMarked(stored: StoredObject): boolean {
  const text = stored.metadataBytes();
  return text.includes('deletionTimestamp') && text.includes('finalizers');
}

function blocks(dependent: StoredObject, ownerUid: string): boolean {
  return references({ metadata: dependent.metadata() }).some(
    (reference) => reference.uid === ownerUid && reference.blockOwnerDeletion === true,
  );
}

function waitsForDependents(stored: StoredObject): boolean {
  if (!isMarked(stored)) return false;
  const metadata = stored.metadata();
  return metadata.deletionTimestamp !== undefined && finalizersOf({ metadata }).includes(FOREGROUND_FINALIZER);
}

/** Finalizers that already ask for a policy are honoured. */
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
