import type { Api } from '../api.ts';
import { trackUpdate } from '../apply/managed-fields.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { JsonObject } from '../values/json.ts';
import { type Amounts, amountsJson } from '../values/resource-amounts.ts';

/** Writes what a quota allows and what is used of it, in the name of `manager`. */
export function writeQuotaStatus(
  api: Api,
  quota: StoredObject,
  status: { hard: Amounts; used: Amounts },
  manager: string,
): void {
  const resource = api.registry.find('', 'v1', 'resourcequotas');
  if (!resource) return;
  const before: JsonObject = quota.decode();
  const after = { ...quota.decode(), status: { hard: amountsJson(status.hard), used: amountsJson(status.used) } };
  const { kind, apiVersion } = resource;
  const tracked = trackUpdate({
    before: { ...before, kind, apiVersion },
    after: { ...after, kind, apiVersion },
    schema: resource.mergeSchema,
    manager,
    subresource: 'status',
    apiVersion,
    kind,
    hasStatusSubresource: true,
    now: api.clock.now(),
  });
  api.store.put(resource.table, tracked);
}
