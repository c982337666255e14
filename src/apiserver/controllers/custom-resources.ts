import type { WebhookClient } from '../admission/webhook/webhook-client.ts';
import type { Api } from '../api.ts';
import { trackUpdate } from '../apply/managed-fields.ts';
import { mergeSchemaOfStructural } from '../apply/merge-schema.ts';
import { type CustomVersion, customVersions } from '../crd/custom-resource.ts';
import { parseDefinition, storageVersion } from '../crd/definition.ts';
import { updateDefinitionStatus } from '../crd/definition-status.ts';
import { CLEANUP_FINALIZER } from '../kinds/custom-resource-definition.ts';
import { statusError } from '../request/status-error.ts';
import { ObjectDeleter } from '../storage/object-deleter.ts';
import { ObjectWriter } from '../storage/object-writer.ts';
import { ServedResource } from '../storage/served-resource.ts';
import type { Change, Table } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asString, getPath, type JsonObject, jsonEqual } from '../values/json.ts';
import { finalizersOf, metadataOf } from '../values/object-meta.ts';
import { WorkLoop } from './work-loop.ts';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/**
 * Serves custom resources: gives new definitions their names and status, puts their versions into the registry before the
 * next request is answered, and empties a definition that is being deleted. Part of every server, as in the real one.
 */
export class CustomResources {
  readonly #api: Api;
  readonly #webhooks: WebhookClient;
  readonly #loop: WorkLoop;
  readonly #served = new Map<string, readonly ServedResource[]>();
  /** Tables of custom resources, with the name of their definition. */
  readonly #tables = new Map<Table, string>();
  /** How a webhook converts, by the name of the definition. */
  readonly #conversions = new Map<string, JsonObject[string]>();
  readonly #listener = (change: Change) => this.#observe(change);

  constructor(api: Api, webhooks: WebhookClient) {
    this.#api = api;
    this.#webhooks = webhooks;
    this.#loop = new WorkLoop({ clock: api.clock, logger: api.logger, atOnce: true });
    api.store.listeners.add(this.#listener);
  }

  stop(): void {
    this.#api.store.listeners.delete(this.#listener);
    this.#loop.stop();
  }

  #observe({ table, previous, current }: Change): void {
    if (table.name !== DEFINITIONS) {
      const definition = current ? undefined : this.#tables.get(table);
      if (definition !== undefined) this.#later(definition);
      return;
    }
    const name = (current ?? previous)?.name ?? '';
    if (current) this.#later(name);
    else this.#withdraw(name);
  }

  #later(name: string): void {
    this.#loop.add(name, () => this.#reconcile(name));
  }

  #reconcile(name: string): void {
    const stored = this.#api.store.table(DEFINITIONS).objects.get(name);
    if (!stored) return;
    const crd = stored.decode();
    if (metadataOf(crd).deletionTimestamp !== undefined && finalizersOf(crd).includes(CLEANUP_FINALIZER)) {
      this.#serve(name, crd, true);
      this.#empty(name, crd);
      return;
    }
    if (this.#writeStatus(stored, crd)) return;
    this.#serve(name, crd, false);
  }

  /** Whether the status had to be written; the change brings the definition back. */
  #writeStatus(stored: StoredObject, crd: JsonObject): boolean {
    const { store, clock } = this.#api;
    const table = store.table(DEFINITIONS);
    const others = table.objects
      .values()
      .filter((other) => other.name !== stored.name)
      .map((other) => other.decode());
    if (!updateDefinitionStatus(crd, others, clock.now())) return false;
    const definitions = this.#api.registry.forTable(table);
    if (!definitions) return false;
    const { kind, apiVersion, mergeSchema } = definitions;
    const tracked = trackUpdate({
      before: { ...stored.decode(), kind, apiVersion },
      after: { ...crd, kind, apiVersion },
      schema: mergeSchema,
      manager: 'kube-apiserver',
      subresource: 'status',
      apiVersion,
      kind,
      hasStatusSubresource: true,
      now: clock.now(),
    });
    store.put(table, tracked);
    return true;
  }

  #serve(name: string, crd: JsonObject, terminating: boolean): void {
    const before = this.#served.get(name) ?? [];
    const table = this.#api.store.table(name);
    this.#tables.set(table, name);
    const { identity } = this.#api;
    const versions = customVersions(crd, { webhooks: this.#webhooks, uid: () => identity.uid() });
    const definition = parseDefinition(crd);
    table.storageVersion = `${definition.group}/${storageVersion(definition)?.name ?? ''}`;
    this.#endConverted(name, table, getPath(crd, 'spec', 'conversion'));
    for (const version of versions) table.addSelectable(version.strategy.selectableFields ?? []);
    const after = versions
      .toSorted((a, b) => Number(b.storage) - Number(a.storage))
      .map((version) => servedVersion(version, table, terminating));
    for (const resource of before) this.#api.registry.remove(resource);
    for (const resource of after) this.#api.registry.add(resource);
    this.#served.set(name, after);
  }

  /** Watches go by the conversion that they began with: when it is another, they have to begin again. */
  #endConverted(name: string, table: Table, conversion: JsonObject[string]): void {
    const before = this.#conversions.get(name);
    this.#conversions.set(name, conversion);
    if (before !== undefined && !jsonEqual(before, conversion)) this.#api.watches.endAll(table);
  }

  /** The definition has gone, and with it everything that was served. */
  #withdraw(name: string): void {
    const table = this.#api.store.table(name);
    for (const resource of this.#served.get(name) ?? []) this.#api.registry.remove(resource);
    this.#served.delete(name);
    this.#tables.delete(table);
    this.#conversions.delete(name);
    this.#api.watches.endAll(table);
    // Names that it held are free for others now.
    for (const { name: other } of this.#api.store.table(DEFINITIONS).objects.values()) this.#later(other);
  }

  #empty(name: string, crd: JsonObject): void {
    const table = this.#api.store.table(name);
    const [resource] = this.#served.get(name) ?? [];
    if (resource) {
      const deleter = new ObjectDeleter(this.#api);
      for (const object of table.objects.values()) {
        if (object.metadataBytes().includes('deletionTimestamp')) continue;
        const write = { namespace: object.namespace, dryRun: false, warn: () => {} };
        deleter.delete(resource, object.name, { propagationPolicy: 'Background', dryRun: false }, write);
      }
    }
    if (table.objects.size > 0) return;
    const definitions = this.#api.registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    if (!definitions) return;
    const options = { namespace: '', dryRun: false, warn: () => {} };
    new ObjectWriter(this.#api).update(definitions, asString(getPath(crd, 'metadata', 'name')), options, (object) => {
      const left = finalizersOf(object).filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
      if (left.length > 0) metadataOf(object).finalizers = left;
      else delete metadataOf(object).finalizers;
      return object;
    });
  }
}

function servedVersion(version: CustomVersion, table: Table, terminating: boolean): ServedResource {
  const { strategy, conversion, outside, scale, warning, schema, storage: _storage, decode, ...rest } = version;
  return new ServedResource({
    ...rest,
    table,
    strategy: terminating ? refusingCreation(strategy) : strategy,
    custom: true,
    schema: '',
    customSchema: schema,
    decode,
    ...(conversion ? { conversion } : {}),
    ...(outside ? { outside } : {}),
    ...(scale ? { scale } : {}),
    ...(warning === undefined ? {} : { warning }),
    mergeSchema: () => mergeSchemaOfStructural(schema),
    emptyObject: {},
    emptyStatus: undefined,
  });
}

function refusingCreation(strategy: Strategy): Strategy {
  return {
    ...strategy,
    prepareForCreate() {
      const message = 'create not allowed while custom resource definition is terminating';
      throw statusError(405, 'MethodNotAllowed', message);
    },
  };
}
