import type { Api } from '../api.ts';
import type { DeleteOptions } from '../request/delete-options.ts';
import { conflict, notFound } from '../request/status-error.ts';
import { asString, type JsonObject } from '../values/json.ts';
import { FOREGROUND_FINALIZER, finalizersOf, metadataOf, ORPHAN_FINALIZER, timestamp } from '../values/object-meta.ts';
import { admissionRequest, keyFor, ObjectWriter, type WriteOptions } from './object-writer.ts';
import type { ServedResource } from './served-resource.ts';
import { finishNow, type Steps } from './steps.ts';
import { StoredObject } from './stored-object.ts';

export interface Deletion {
  readonly object: StoredObject;
  /** False when finalizers, a grace period or the kind itself keep the object for now. */
  readonly deleted: boolean;
}

/** Deletes with finalizers, grace periods, propagation policies and preconditions, as the generic registry does. */
export class ObjectDeleter {
  readonly #api: Api;
  readonly #writer: ObjectWriter;

  constructor(api: Api) {
    this.#api = api;
    this.#writer = new ObjectWriter(api);
  }

  /** For the server itself. */
  delete(resource: ServedResource, name: string, options: DeleteOptions, write: WriteOptions): Deletion {
    return finishNow(this.deletion(resource, name, options, write));
  }

  /** When somebody else writes the object while a webhook is asked, all begins again. */
  *deletion(resource: ServedResource, name: string, options: DeleteOptions, write: WriteOptions): Steps<Deletion> {
    for (;;) {
      const deletion = yield* this.#tryDelete(resource, name, options, write);
      if (!deletion) continue;
      if (!write.user || deletion.deleted) return deletion;
      return { ...deletion, object: yield* resource.show(deletion.object) };
    }
  }

  *#tryDelete(
    resource: ServedResource,
    name: string,
    options: DeleteOptions,
    write: WriteOptions,
  ): Steps<Deletion | undefined> {
    const existing = resource.table.objects.get(keyFor(write.namespace, name));
    if (!existing) throw notFound(resource, name);
    const shown = write.user ? yield* resource.show(existing) : existing;
    if (resource.table.objects.get(existing.key) !== existing) return undefined;
    const object = existing.decode();
    const { strategy } = resource;
    strategy.checkDelete?.(object);
    const warning = strategy.warnOnDelete?.(options);
    if (warning !== undefined) write.warn(warning);
    this.#checkPreconditions(resource, existing, options);
    const admission = write.user && this.#api.admission.active(resource);
    if (admission) {
      const old = shown.decode();
      const context = { ...this.#writer.context(write), subresource: '' };
      const asked = admissionRequest(
        resource,
        'DELETE',
        { name: write.unnamed ? '' : name, old },
        context,
        write.asked,
      );
      yield* admission.mutate(asked);
      yield* admission.validate(asked);
      if (resource.table.objects.get(existing.key) !== existing) return undefined;
    }

    const begun = strategy.beginDelete?.(object, options, this.#writer.context(write));
    if (begun) return { object: this.#put(resource, begun, existing, write), deleted: false };
    if (strategy.holdsDelete?.(object)) return { object: existing, deleted: false };

    const grace = this.#grace(resource, object, options);
    if (grace === 'pending') return { object: existing, deleted: false };
    const finalizers = deletionFinalizers(resource, object, options);
    if (finalizers) metadataOf(object).finalizers = finalizers;
    const held = finalizersOf(object).length > 0;
    if (grace === undefined && held) {
      this.#markAsDeleting(object);
      return { object: this.#put(resource, object, existing, write), deleted: false };
    }
    if (grace !== undefined) {
      const marked = this.#put(resource, object, existing, write);
      if (held || grace > 0) return { object: marked, deleted: false };
      return this.#remove(resource, marked, write);
    }
    return this.#remove(resource, existing, write);
  }

  #remove(resource: ServedResource, existing: StoredObject, write: WriteOptions): Deletion {
    if (write.dryRun) return { object: existing, deleted: true };
    const removed = this.#api.store.remove(resource.table, existing.key) ?? existing;
    resource.strategy.afterDelete?.(removed.decode(), this.#writer.context(write));
    return { object: removed, deleted: true };
  }

  #put(resource: ServedResource, object: JsonObject, existing: StoredObject, write: WriteOptions): StoredObject {
    const { table } = resource;
    const next = new StoredObject(object, existing.revision, table.fieldsOf(object), existing.apiVersion);
    if (write.dryRun) return next;
    if (next.body.equals(existing.body)) return existing;
    return this.#api.store.put(table, object, existing.apiVersion);
  }

  #checkPreconditions(resource: ServedResource, existing: StoredObject, options: DeleteOptions): void {
    const version = String(existing.revision);
    const subject = { group: resource.group, plural: resource.kind };
    if (options.uid !== undefined && options.uid !== existing.uid) {
      const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${existing.uid}). The object might have been deleted and then recreated`;
      throw conflict(subject, existing.name, why);
    }
    if (options.resourceVersion !== undefined && options.resourceVersion !== version) {
      const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${version}). The object might have been modified`;
      throw conflict(subject, existing.name, why);
    }
  }

  /**
   * The seconds that this deletion leaves the object, written into its metadata; undefined when the kind knows no
   * grace; `pending` when an earlier deletion already gave it no more than this one would.
   */
  #grace(resource: ServedResource, object: JsonObject, options: DeleteOptions): number | 'pending' | undefined {
    const { strategy } = resource;
    if (!strategy.gracePeriod) return undefined;
    const metadata = metadataOf(object);
    const asked = options.gracePeriodSeconds;
    const requested = asked !== undefined && asked < 0 ? 1 : asked;
    if (metadata.deletionTimestamp !== undefined) {
      const present = Number(metadata.deletionGracePeriodSeconds ?? 0);
      if (present === 0) return undefined;
      if (requested === undefined || requested >= present) return 'pending';
      return this.#shorten(metadata, present, requested);
    }
    const seconds = strategy.gracePeriod(object, requested);
    if (seconds === undefined) return undefined;
    metadata.deletionTimestamp = timestamp(this.#api.clock.now() + seconds * 1000);
    metadata.deletionGracePeriodSeconds = seconds;
    if (typeof metadata.generation === 'number' && metadata.generation > 0) metadata.generation += 1;
    return seconds;
  }

  #shorten(metadata: JsonObject, present: number, requested: number): number {
    const nowMs = this.#api.clock.now();
    const wantedMs = Date.parse(asString(metadata.deletionTimestamp)) - (present - requested) * 1000;
    const late = wantedMs < nowMs;
    const seconds = late && requested !== 0 ? 1 : requested;
    metadata.deletionTimestamp = timestamp(late ? nowMs : wantedMs);
    metadata.deletionGracePeriodSeconds = seconds;
    return seconds;
  }

  #markAsDeleting(object: JsonObject): void {
    const metadata = metadataOf(object);
    const nowMs = this.#api.clock.now();
    const already = metadata.deletionTimestamp;
    if (already === undefined && typeof metadata.generation === 'number' && metadata.generation > 0) {
      metadata.generation += 1;
    }
    if (already === undefined || Date.parse(asString(already)) > nowMs) metadata.deletionTimestamp = timestamp(nowMs);
    metadata.deletionGracePeriodSeconds = 0;
  }
}

/** The finalizers that the propagation policy asks for, or undefined when they are already as they should be. */
function deletionFinalizers(
  resource: ServedResource,
  object: JsonObject,
  options: DeleteOptions,
): string[] | undefined {
  const present = finalizersOf(object);
  const policy = resource.strategy.garbageCollection ?? 'background';
  const wanted: string[] = present.filter((name) => name !== ORPHAN_FINALIZER && name !== FOREGROUND_FINALIZER);
  if (policy !== 'unsupported') {
    if (shouldOrphan(present, policy, options)) wanted.push(ORPHAN_FINALIZER);
    if (shouldWaitForDependents(present, options)) wanted.push(FOREGROUND_FINALIZER);
  }
  const same = wanted.length === present.length && wanted.every((name) => present.includes(name));
  return same ? undefined : wanted;
}

function shouldOrphan(present: readonly string[], policy: string, options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return options.orphanDependents;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Orphan';
  if (present.includes(ORPHAN_FINALIZER)) return true;
  if (present.includes(FOREGROUND_FINALIZER)) return false;
  return policy === 'orphan';
}

function shouldWaitForDependents(present: readonly string[], options: DeleteOptions): boolean {
  if (options.orphanDependents !== undefined) return false;
  if (options.propagationPolicy !== undefined) return options.propagationPolicy === 'Foreground';
  if (present.includes(FOREGROUND_FINALIZER)) return true;
  return false;
}
