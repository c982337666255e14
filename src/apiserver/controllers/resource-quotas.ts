import { writeQuotaStatus } from '../admission/quota-status.ts';
import { isWithinScopes, quotaKindOf, resourceOfName } from '../admission/quota-usage.ts';
import type { Api } from '../api.ts';
import type { Change, Table } from '../storage/storage.ts';
import { getPath, type JsonObject } from '../values/json.ts';
import { type Amount, addAmounts, onlyNames, parseAmounts, sameAmounts, ZERO } from '../values/resource-amounts.ts';
import { WorkLoop } from './work-loop.ts';

/** Counts what quotas limit, after every change in their namespaces and before the next request is answered. */
export class ResourceQuotas {
  readonly #api: Api;
  readonly #quotas: Table;
  readonly #loop: WorkLoop;
  readonly #listener = (change: Change) => this.#observe(change);

  constructor(api: Api) {
    this.#api = api;
    this.#quotas = api.store.table('resourcequotas');
    this.#loop = new WorkLoop({ clock: api.clock, logger: api.logger, atOnce: true });
    api.store.listeners.add(this.#listener);
  }

  stop(): void {
    this.#api.store.listeners.delete(this.#listener);
    this.#loop.stop();
  }

  #observe({ previous, current }: Change): void {
    if (this.#quotas.objects.size === 0) return;
    const namespace = (current ?? previous)?.namespace ?? '';
    if (namespace !== '') this.#loop.add(namespace, () => this.#count(namespace));
  }

  #count(namespace: string): void {
    for (const quota of this.#quotas.objects.values('', `${namespace}/`)) {
      const decoded = quota.decode();
      const hard = parseAmounts(getPath(decoded, 'spec', 'hard'));
      const before = parseAmounts(getPath(decoded, 'status', 'used'));
      const used = onlyNames(new Map([...before, ...this.#usage(namespace, decoded, [...hard.keys()])]), hard.keys());
      const known = parseAmounts(getPath(decoded, 'status', 'hard'));
      if (sameAmounts(hard, known) && sameAmounts(used, before)) continue;
      writeQuotaStatus(this.#api, quota, { hard, used }, 'kube-controller-manager');
    }
  }

  #usage(namespace: string, quota: JsonObject, names: readonly string[]): Map<string, Amount> {
    const nowMs = this.#api.clock.now();
    const total = new Map<string, Amount>();
    for (const resource of new Set(names.map(resourceOfName))) {
      const table = resource === undefined ? undefined : this.#api.store.table(resource);
      if (resource === undefined || !table || !this.#api.registry.forTable(table)) continue;
      const kind = quotaKindOf(resource);
      const matching = kind.matching(names);
      let used = new Map<string, Amount>(matching.map((name) => [name, ZERO]));
      for (const stored of table.objects.values('', `${namespace}/`)) {
        const object = stored.decode();
        if (isWithinScopes(kind, quota, object)) used = addAmounts(used, kind.usage(object, nowMs));
      }
      for (const [name, amount] of onlyNames(used, matching)) total.set(name, amount);
    }
    return total;
  }
}
