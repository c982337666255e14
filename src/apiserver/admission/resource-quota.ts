import type { Api } from '../api.ts';
import { qualified } from '../request/status-error.ts';
import type { Table } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { getPath, type JsonObject } from '../values/json.ts';
import {
  type Amount,
  type Amounts,
  addAmounts,
  amountsText,
  increase,
  onlyNames,
  parseAmounts,
} from '../values/resource-amounts.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { writeQuotaStatus } from './quota-status.ts';
import { isTerminating, isWithinScopes, type QuotaKind, quotaKindOf } from './quota-usage.ts';
import { refusal } from './refusal.ts';

const IGNORED = new Set(['bindings', 'events', 'events.events.k8s.io']);

/**
 * Holds the quotas of a namespace against what is created and grown in it. It judges by the status of a quota, as the real
 * server does, and adds to it in the same turn as the object is stored: two requests cannot both have the last of it.
 */
export class ResourceQuota implements AdmissionPlugin {
  readonly #api: Api;
  readonly #quotas: Table;

  constructor(api: Api) {
    this.#api = api;
    this.#quotas = api.store.table('resourcequotas');
  }

  isActive(): boolean {
    return this.#quotas.objects.size > 0;
  }

  validate(request: AdmissionRequest): void {
    for (const charge of this.#charges(request)) {
      if (charge.kind.constraint && request.object) {
        const problem = charge.kind.constraint(request.object, charge.names);
        if (problem !== undefined) throw refusal(request, `failed quota: ${charge.quota.name}: ${problem}`);
      }
      const unknown = charge.names.filter((name) => !charge.used.has(name));
      if (unknown.length > 0) {
        const names = charge.names.toSorted().join(',');
        throw refusal(request, `status unknown for quota: ${charge.quota.name}, resources: ${names}`);
      }
      if (request.subresource !== 'status') checkCharge(request, charge);
    }
  }

  committed(request: AdmissionRequest): void {
    for (const { quota, hard, used, requested } of this.#charges(request)) {
      if (requested.size === 0) continue;
      writeQuotaStatus(this.#api, quota, { hard, used: addAmounts(used, requested) }, 'kube-apiserver');
    }
  }

  #charges(request: AdmissionRequest): Charge[] {
    const { resource, object, namespace, operation } = request;
    const name = qualified(resource.plural, resource.group);
    if (!object || !resource.namespaced || IGNORED.has(name)) return [];
    const kind = quotaKindOf(name);
    if (!handles(request, kind)) return [];
    const nowMs = this.#api.clock.now();
    const usage = kind.usage(object, nowMs);
    const before = operation === 'UPDATE' && request.old ? request.old : undefined;
    const charges: Charge[] = [];
    for (const quota of this.#quotas.objects.values('', `${namespace}/`)) {
      const decoded = quota.decode();
      const hard = parseAmounts(getPath(decoded, 'status', 'hard'));
      const names = kind.matching([...hard.keys()]);
      if (names.length === 0 || !isWithinScopes(kind, decoded, object)) continue;
      const more = before && isWithinScopes(kind, decoded, before) ? increase(usage, kind.usage(before, nowMs)) : usage;
      const requested = new Map([...onlyNames(more, hard.keys())].filter(([, { nanos }]) => nanos !== 0n));
      const used = parseAmounts(getPath(decoded, 'status', 'used'));
      charges.push({ quota, kind, hard, used, names, requested });
    }
    return charges;
  }
}

/** What a write takes of one quota. */
interface Charge {
  readonly quota: StoredObject;
  readonly kind: QuotaKind;
  readonly hard: Amounts;
  readonly used: Amounts;
  readonly names: readonly string[];
  readonly requested: Map<string, Amount>;
}

function handles({ resource, operation, subresource, object, old }: AdmissionRequest, kind: QuotaKind): boolean {
  if (resource.plural === 'pods' && resource.group === '') {
    if (operation === 'CREATE') return subresource === '';
    return subresource === 'resize' || (subresource === '' && changesScope(object, old));
  }
  if (subresource === 'status') return resource.plural === 'persistentvolumeclaims' && resource.group === '';
  if (subresource !== '') return false;
  return operation === 'CREATE' || (operation === 'UPDATE' && kind.updates === true);
}

function changesScope(object: JsonObject | undefined, old: JsonObject | undefined): boolean {
  return object !== undefined && old !== undefined && isTerminating(object) !== isTerminating(old);
}

function checkCharge(request: AdmissionRequest, { quota, hard, used, requested }: Charge): void {
  const after = addAmounts(used, requested);
  const exceeded = [...requested.keys()].filter((name) => {
    const limit = hard.get(name);
    return limit !== undefined && (after.get(name)?.nanos ?? 0n) > limit.nanos;
  });
  if (exceeded.length === 0) return;
  const text = (amounts: Amounts) => amountsText(onlyNames(amounts, exceeded));
  throw refusal(
    request,
    `exceeded quota: ${quota.name}, requested: ${text(requested)}, used: ${text(used)}, limited: ${text(hard)}`,
  );
}
