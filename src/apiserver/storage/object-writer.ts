import { type AdmissionRequest, Reinvocation } from '../admission/admission.ts';
import type { Api } from '../api.ts';
import type { User } from '../request/access.ts';
import type { FieldError } from '../request/field-error.ts';
import {
  alreadyExists,
  generatedNameExists,
  invalidObject,
  modifiedMeanwhile,
  notFound,
  StorageLimit,
  statusError,
} from '../request/status-error.ts';
import {
  asObject,
  asString,
  cloneJson,
  ensureObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
} from '../values/json.ts';
import { anyName, dnsSubdomain } from '../values/name-rules.ts';
import {
  finalizersOf,
  finalizerWarnings,
  metadataOf,
  timestamp,
  validateMetadata,
  validateMetadataUpdate,
} from '../values/object-meta.ts';
import { shownObject } from './outside-conversion.ts';
import { keepOwnersOnce } from './owner-references.ts';
import type { ServedResource } from './served-resource.ts';
import { finishNow, resultOf, type Steps } from './steps.ts';
import type { StoredObject } from './stored-object.ts';
import type { WriteContext } from './strategy.ts';

/** How a write is to be carried out, beside the object. */
export interface WriteOptions {
  readonly namespace: string;
  readonly dryRun: boolean;
  readonly subresource?: string;
  /** Who writes; unset for the server itself. */
  readonly user?: User;
  /** What the client asked for beside the write, as webhooks and policies see it. */
  readonly asked?: JsonObject;
  /** Whether it is one of many that a client did not name. Default false. */
  readonly unnamed?: boolean;
  /** Whether an object that is too large to be stored may be stored without its owners instead. Default true. */
  readonly mayForgetOwners?: boolean;
  warn(message: string): void;
}

const NAME_ATTEMPTS = 8;

/**
 * Creates and updates with the rules that all kinds share: identity, generation, optimistic concurrency, finalizers,
 * and the kind's own strategy in between. Objects are in the storage version; where somebody outside converts, those of clients are in
 * the version that is served, and those of the server itself in the one that they are stored as. All happens in one turn, so that
 * what was read is still true when it is written, unless a webhook has to be asked: then what it was asked about is compared with
 * what is there.
 */
export class ObjectWriter {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  context(options: WriteOptions): WriteContext {
    const { clock, identity } = this.#api;
    return {
      nowMs: clock.now(),
      namespace: options.namespace,
      dryRun: options.dryRun,
      ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
      ...(options.user === undefined ? {} : { user: options.user }),
      random: () => identity.random(),
      warn: (message) => options.warn(message),
    };
  }

  /** For the server itself, whom no plugin is asked about. */
  create(resource: ServedResource, object: JsonObject, options: WriteOptions): StoredObject {
    return finishNow(this.creation(resource, object, options));
  }

  *creation(resource: ServedResource, object: JsonObject, options: WriteOptions): Steps<StoredObject> {
    let isStored = false;
    let stored: StoredObject;
    try {
      stored = yield* this.#tryCreation(resource, object, options);
      isStored = !options.dryRun;
    } finally {
      resource.strategy.afterAttempt?.(object, isStored);
    }
    return yield* this.#shown(resource, stored, options);
  }

  *#tryCreation(resource: ServedResource, object: JsonObject, options: WriteOptions): Steps<StoredObject> {
    const { identity, clock } = this.#api;
    const { strategy, table } = resource;
    const context = this.context(options);
    const sent = ensureObject(object, 'metadata');
    for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink']) delete sent[field];
    if (resource.namespaced) sent.namespace = options.namespace;
    strategy.admit?.(object);
    const admission = options.user && this.#api.admission.active(resource);
    const name = asString(sent.name);
    const asked = admission && admissionRequest(resource, 'CREATE', { name, object }, context, options.asked);
    if (asked) yield* admission.mutate(asked);
    const metadata = ensureObject(object, 'metadata');
    metadata.uid = identity.uid();
    metadata.creationTimestamp = timestamp(clock.now());
    const generated = this.#chooseName(resource, metadata);

    if (resource.hasStatus && !strategy.statusOnCreate) {
      keepField(object, { status: resource.init.emptyStatus }, 'status');
    }
    keepOwnersOnce(metadata, options.warn);
    if (strategy.generation) metadata.generation = 1;
    strategy.prepareForCreate?.(object, context);
    const aboutMetadata = this.#validateMetadata(resource, metadata, options);
    const ownErrors = [
      ...(strategy.validate?.(object, context) ?? []),
      ...(strategy.validateCreate?.(object, context) ?? []),
    ];
    this.#judge(resource, object, strategy.nameRule === anyName ? ownErrors : [...aboutMetadata, ...ownErrors]);
    this.#judge(resource, object, aboutMetadata);
    strategy.canonicalize?.(object);
    for (const text of strategy.warnings?.(object, undefined) ?? []) options.warn(text);
    // Before the last plugins are asked: what they count is stored in the turn in which they count it.
    const encoded = yield* this.#encoded(resource, object, options);
    if (asked) yield* admission.validate(asked);
    const key = keyOf(metadata);
    const present = table.objects.get(key);
    if (present) {
      const name = asString(metadata.name);
      if (generated) throw generatedNameExists(resource, name);
      throw alreadyExists(resource, name, present.metadata().deletionTimestamp !== undefined);
    }
    if (asString(metadata.resourceVersion) !== '') {
      throw statusError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    const stored = options.dryRun ? shownObject(resource, object, 0) : this.#put(resource, encoded, options);
    if (asked) admission.committed(asked);
    return stored;
  }

  /**
   * Replaces an object by what `change` makes of it. `change` gets a copy of the present state and may return another
   * object; a result that equals the present state is not written, and keeps its resourceVersion. For the server itself.
   */
  update(
    resource: ServedResource,
    name: string,
    options: WriteOptions,
    change: (old: JsonObject) => JsonObject,
  ): StoredObject {
    return finishNow(this.updating(resource, name, options, change));
  }

  /** When somebody else writes the object while a webhook is asked, all begins again, `change` included. */
  *updating(
    resource: ServedResource,
    name: string,
    options: WriteOptions,
    change: (old: JsonObject) => JsonObject,
  ): Steps<StoredObject> {
    for (;;) {
      const stored = yield* this.#tryUpdate(resource, name, options, change);
      if (stored) return stored;
    }
  }

  *#tryUpdate(
    resource: ServedResource,
    name: string,
    options: WriteOptions,
    change: (old: JsonObject) => JsonObject,
  ): Steps<StoredObject | undefined> {
    const existing = resource.table.objects.get(keyFor(options.namespace, name));
    if (!existing) throw notFound(resource, name);
    const shown = options.user ? yield* resource.show(existing) : existing;
    const old = shown.decode();
    const changed = change(cloneJson(old));
    // What may have to begin again must find what the client sent as it was.
    const mayWait = options.user && (resource.shown !== undefined || this.#api.admission.mayWait(resource));
    const object = mayWait ? cloneJson(changed) : changed;
    let stored: StoredObject | undefined;
    try {
      stored = yield* this.#replace(resource, { object, old, existing, shown }, options);
    } finally {
      const isStored = stored !== shown && resource.table.objects.get(existing.key) === stored;
      resource.strategy.afterAttempt?.(object, isStored);
    }
    if (stored === undefined || stored === shown) return stored;
    return yield* this.#shown(resource, stored, options);
  }

  /** Undefined when somebody else wrote the object meanwhile; `shown` when nothing had to be written. */
  *#replace(
    resource: ServedResource,
    {
      object,
      old,
      existing,
      shown,
    }: { object: JsonObject; old: JsonObject; existing: StoredObject; shown: StoredObject },
    options: WriteOptions,
  ): Steps<StoredObject | undefined> {
    const { store } = this.#api;
    const { strategy, table } = resource;
    const context = this.context(options);
    const name = asString(metadataOf(old).name);
    this.#checkVersion(resource, name, object, existing);
    keepSystemFields(object, old);
    metadataOf(object).resourceVersion = String(existing.revision);
    keepOwnersOnce(metadataOf(object), options.warn);
    const admission = options.user && this.#api.admission.active(resource);
    const asked = admission && admissionRequest(resource, 'UPDATE', { name, object, old }, context, options.asked);
    if (asked) yield* admission.mutate(asked);
    this.#prepareUpdate(resource, object, old, context);
    const changes = validateMetadataUpdate(metadataOf(object), metadataOf(old));
    const errors = [
      ...this.#validateMetadata(resource, metadataOf(object), options),
      ...changes,
      // Built-in kinds check this once more on their own, and both findings are reported.
      ...(resource.init.custom ? [] : changes),
      ...(this.#validateUpdate(resource, object, old, context) ?? []),
    ];
    this.#judge(resource, object, errors);
    if (!isStatus(options.subresource)) for (const text of strategy.warnings?.(object, old) ?? []) options.warn(text);
    const isRemoved = isFinished(object, old) && (strategy.mayDeleteDuringUpdate?.(object) ?? true);
    const isKept = !isRemoved && isStoredAsNow(resource, existing) && equalButForTimes(object, old);
    const encoded = isRemoved || isKept ? object : yield* this.#encoded(resource, object, options);
    if (asked) yield* admission.validate(asked);
    if (table.objects.get(existing.key) !== existing) return undefined;

    if (isRemoved) {
      if (options.dryRun) return shownObject(resource, object, existing.revision);
      store.remove(table, existing.key);
      strategy.afterDelete?.(object, context);
      return shownObject(resource, object, existing.revision);
    }
    if (isKept) return shown;
    const stored = options.dryRun
      ? shownObject(resource, object, existing.revision)
      : this.#put(resource, encoded, options, existing);
    if (asked) admission.committed(asked);
    return stored;
  }

  /** What is to be stored for an object of a client. */
  *#encoded({ init }: ServedResource, object: JsonObject, { user }: WriteOptions): Steps<JsonObject> {
    return init.outside && user ? yield* resultOf(init.outside.toStorage(cloneJson(object))) : object;
  }

  /** What the client is told that was stored. */
  *#shown(resource: ServedResource, stored: StoredObject, { user, dryRun }: WriteOptions): Steps<StoredObject> {
    return user && !dryRun ? yield* resource.show(stored) : stored;
  }

  /** `managedFields` may be large: what would fit without them is stored without them. */
  #put(
    { table }: ServedResource,
    object: JsonObject,
    { mayForgetOwners = true, user }: WriteOptions,
    existing?: StoredObject,
  ): StoredObject {
    const { store } = this.#api;
    const version = user || !existing ? table.storageVersion : existing.apiVersion;
    try {
      return store.put(table, object, version);
    } catch (error) {
      if (!(error instanceof StorageLimit) || !mayForgetOwners) throw error;
      delete metadataOf(object).managedFields;
      return store.put(table, object, version);
    }
  }

  #validateMetadata(resource: ServedResource, metadata: JsonObject, options: WriteOptions): FieldError[] {
    const { namespaced, strategy } = resource;
    const { custom } = resource.init;
    if (custom) for (const text of finalizerWarnings(metadata)) options.warn(text);
    return validateMetadata(metadata, { namespaced, custom, nameRule: strategy.nameRule ?? dnsSubdomain });
  }

  #chooseName(resource: ServedResource, metadata: JsonObject): boolean {
    const prefix = asString(metadata.generateName);
    if (asString(metadata.name) !== '' || prefix === '') return false;
    for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
      metadata.name = this.#api.identity.generatedName(prefix);
      if (!resource.table.objects.has(keyOf(metadata))) break;
    }
    return true;
  }

  #checkVersion(resource: ServedResource, name: string, object: JsonObject, existing: StoredObject): void {
    const metadata = metadataOf(object);
    const version = asString(metadata.resourceVersion);
    if (version === '' || version === '0') {
      if (resource.strategy.unconditionalUpdate ?? true) return;
      const error: FieldError = {
        reason: 'FieldValueInvalid',
        field: 'metadata.resourceVersion',
        message: 'Invalid value: 0: must be specified for an update',
      };
      throw invalidObject({ group: resource.group, kind: resource.plural }, name, [error]);
    }
    if (!/^[0-9]+$/.test(version)) {
      throw statusError(500, '', `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
    }
    if (version !== String(existing.revision)) throw modifiedMeanwhile(resource, name);
  }

  #prepareUpdate(resource: ServedResource, object: JsonObject, old: JsonObject, context: WriteContext): void {
    const { strategy } = resource;
    // A binding writes spec and status at once, and does not change what is wanted.
    if (context.subresource === 'binding') return;
    if (isStatus(context.subresource)) {
      if (strategy.prepareForStatusUpdate) strategy.prepareForStatusUpdate(object, old, context);
      else keepAllButStatus(object, old);
      if (resource.init.custom) keepMetadata(object, old);
      return;
    }
    if (resource.hasStatus) keepField(object, old, 'status');
    strategy.prepareForUpdate?.(object, old, context);
    if (strategy.generation && desiredStateChanged(object, old, resource.hasStatus)) {
      metadataOf(object).generation = Number(metadataOf(old).generation ?? 0) + 1;
    }
  }

  #validateUpdate(resource: ServedResource, object: JsonObject, old: JsonObject, context: WriteContext) {
    const { strategy } = resource;
    if (isStatus(context.subresource)) return strategy.validateStatusUpdate?.(object, old, context);
    return [
      ...(strategy.validate?.(object, context) ?? []),
      ...(strategy.validateUpdate?.(object, old, context) ?? []),
    ];
  }

  #judge(resource: ServedResource, object: JsonObject, errors: readonly FieldError[]): void {
    if (errors.length === 0) return;
    const { kind, group, strategy } = resource;
    throw invalidObject({ kind, group: strategy.errorGroup ?? group }, asString(metadataOf(object).name), errors);
  }
}

/** What plugins are told of a write. The user is known: writes of the server itself are not asked about. */
export function admissionRequest(
  resource: ServedResource,
  operation: AdmissionRequest['operation'],
  { name, object, old }: { name: string; object?: JsonObject; old?: JsonObject },
  context: WriteContext,
  options: JsonObject = { kind: OPTIONS[operation], apiVersion: 'meta.k8s.io/v1' },
): AdmissionRequest {
  const { namespace, subresource = '', user = NOBODY, dryRun } = context;
  const { random, warn } = context;
  const seen = { operation, resource, subresource, namespace, name, object, old, user, dryRun, options };
  return { ...seen, random, warn, reinvocation: new Reinvocation() };
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions', CONNECT: '' } as const;

const NOBODY: User = { name: '', groups: [] };

/** Subresources that write the status and leave the rest alone. */
function isStatus(subresource: string | undefined): boolean {
  return subresource === 'status' || subresource === 'approval';
}

export function keyFor(namespace: string, name: string): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

function keyOf(metadata: JsonObject): string {
  return keyFor(asString(metadata.namespace), asString(metadata.name));
}

/** What no update may change, whatever the client sent. */
function keepSystemFields(object: JsonObject, old: JsonObject): void {
  const metadata = ensureObject(object, 'metadata');
  const before = metadataOf(old);
  if (asString(metadata.uid) === '') metadata.uid = before.uid;
  metadata.creationTimestamp = before.creationTimestamp;
  keepField(metadata, before, 'generation');
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  else delete metadata.deletionTimestamp;
  if (metadata.deletionGracePeriodSeconds === undefined) keepField(metadata, before, 'deletionGracePeriodSeconds');
  if (before.deletionTimestamp === undefined) delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

export function keepField(object: JsonObject, old: JsonObject, field: string): void {
  const value = old[field];
  if (value === undefined) delete object[field];
  else object[field] = cloneJson(value as JsonValue);
}

/** A status update changes the status and bookkeeping metadata, nothing else. */
function keepAllButStatus(object: JsonObject, old: JsonObject): void {
  for (const field of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (field !== 'status' && field !== 'metadata' && field !== 'kind' && field !== 'apiVersion') {
      keepField(object, old, field);
    }
  }
}

/** Of what is sent to the status of a custom resource, nothing of the metadata is taken but who owns what. */
export function keepMetadata(object: JsonObject, old: JsonObject): void {
  const { managedFields } = metadataOf(object);
  const { managedFields: _before, ...kept } = metadataOf(old);
  object.metadata = managedFields === undefined ? kept : { ...kept, managedFields };
}

/** Without a subresource of its own, the status is part of what is wanted. */
function desiredStateChanged(object: JsonObject, old: JsonObject, hasStatus: boolean): boolean {
  const desired = ({ metadata: _m, status, kind: _k, apiVersion: _a, ...rest }: JsonObject) =>
    hasStatus || status === undefined ? rest : { ...rest, status };
  return !jsonEqual(desired(object), desired(old));
}

/** Deleted, with no finalizers left and no time to wait. */
function isFinished(object: JsonObject, old: JsonObject): boolean {
  if (finalizersOf(object).length > 0) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadataOf(old);
  return deletionTimestamp !== undefined && (deletionGracePeriodSeconds ?? 0) === 0;
}

/** An update that changes nothing still stores an object again that is stored as another version. */
function isStoredAsNow({ shown, table }: ServedResource, { apiVersion }: StoredObject): boolean {
  return shown === undefined || apiVersion === table.storageVersion;
}

/** Equal apart from the times in managedFields, which move with every write. */
function equalButForTimes(object: JsonObject, old: JsonObject): boolean {
  const bare = ({ kind: _k, apiVersion: _a, metadata, ...rest }: JsonObject) => {
    const { managedFields, ...others } = asObject(metadata);
    const entries = Array.isArray(managedFields)
      ? managedFields.map((entry) => ({ ...asObject(entry), time: '' }))
      : null;
    return { ...rest, metadata: { ...others, managedFields: entries } };
  };
  return jsonEqual(bare(object), bare(old));
}
