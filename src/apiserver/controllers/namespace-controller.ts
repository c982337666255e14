import type { Api } from '../api.ts';
import { StatusError } from '../request/status-error.ts';
import { ObjectDeleter } from '../storage/object-deleter.ts';
import { ObjectWriter } from '../storage/object-writer.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { Change } from '../storage/storage.ts';
import { asArray, asString, ensureObject, getPath } from '../values/json.ts';
import { WorkLoop } from './work-loop.ts';

/**
 * Empties namespaces that are being deleted and then lets them go. There is no kubelet here that would end a pod, so pods
 * of such a namespace are deleted without grace.
 */
export class NamespaceController {
  readonly #api: Api;
  readonly #loop: WorkLoop;
  readonly #terminating = new Set<string>();
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
    if (table.name !== 'namespaces') {
      const namespace = (current ?? previous)?.namespace ?? '';
      if (this.#terminating.has(namespace)) this.#later(namespace);
    } else if (!current) {
      this.#terminating.delete(previous?.name ?? '');
    } else if (current.metadataBytes().includes('deletionTimestamp')) {
      this.#terminating.add(current.name);
      this.#later(current.name);
    }
  }

  #later(namespace: string): void {
    this.#loop.add(namespace, () => this.#empty(namespace));
  }

  #empty(namespace: string): void {
    const namespaces = this.#api.registry.find('', 'v1', 'namespaces');
    const stored = namespaces?.table.objects.get(namespace);
    // It may have come back meanwhile, when the server was restored to an older state.
    if (!namespaces || !stored?.metadataBytes().includes('deletionTimestamp')) return;
    let left = 0;
    for (const table of this.#api.store.tables()) {
      const resource = this.#api.registry.forTable(table);
      if (!resource?.namespaced) continue;
      for (const { name } of table.objects.values('', `${namespace}/`)) this.#delete(resource, namespace, name);
      left += table.objects.values('', `${namespace}/`).length;
    }
    if (left === 0) this.#finalize(namespaces, namespace);
  }

  #delete(resource: ServedResource, namespace: string, name: string): void {
    const options = { propagationPolicy: 'Background', gracePeriodSeconds: 0, dryRun: false };
    try {
      new ObjectDeleter(this.#api).delete(resource, name, options, { namespace, dryRun: false, warn: () => {} });
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    }
  }

  #finalize(namespaces: ServedResource, namespace: string): void {
    const options = { namespace: '', dryRun: false, subresource: 'finalize', warn: () => {} };
    new ObjectWriter(this.#api).update(namespaces, namespace, options, (object) => {
      const finalizers = asArray(getPath(object, 'spec', 'finalizers')).map(asString);
      const left = finalizers.filter((name) => name !== 'kubernetes');
      const spec = ensureObject(object, 'spec');
      if (left.length > 0) spec.finalizers = left;
      else delete spec.finalizers;
      return object;
    });
  }
}
