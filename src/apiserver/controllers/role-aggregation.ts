import { LabelSelector, type LabelSelectorObject } from '../../api/label-selector.ts';
import type { Api } from '../api.ts';
import { trackUpdate } from '../apply/managed-fields.ts';
import { items } from '../kinds/defaulting.ts';
import { RBAC_GROUP } from '../rbac/rule-resolver.ts';
import type { Table } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { asArray, asObject, isObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { WorkLoop } from './work-loop.ts';

const MANAGER = 'clusterrole-aggregation-controller';

/** Fills cluster roles that have an aggregation rule with the rules of the roles that it selects. */
export class RoleAggregation {
  readonly #api: Api;
  readonly #table: Table;
  readonly #loop: WorkLoop;
  readonly #listener = () => this.#loop.add('the aggregated cluster roles', () => this.#aggregateAll());

  constructor(api: Api) {
    this.#api = api;
    this.#table = api.store.table(`clusterroles.${RBAC_GROUP}`);
    this.#loop = new WorkLoop({ clock: api.clock, logger: api.logger, atOnce: true });
    this.#table.listeners.add(this.#listener);
  }

  stop(): void {
    this.#table.listeners.delete(this.#listener);
    this.#loop.stop();
  }

  /** A role that others select is changed by this too, and brings the next round. */
  #aggregateAll(): void {
    const all = this.#table.objects.values().map((stored) => ({ stored, role: stored.decode() }));
    for (const { stored, role } of all) {
      const { aggregationRule } = role;
      if (!isObject(aggregationRule)) continue;
      const rules = aggregated(aggregationRule, stored, all);
      if (!jsonEqual(rules, asArray(role.rules))) this.#write(role, rules);
    }
  }

  #write(role: JsonObject, rules: JsonObject[]): void {
    const resource = this.#api.registry.forTable(this.#table);
    if (!resource) return;
    const { kind, apiVersion } = resource;
    const tracked = trackUpdate({
      before: { ...role, kind, apiVersion },
      after: { ...role, kind, apiVersion, rules },
      schema: resource.mergeSchema,
      manager: MANAGER,
      apiVersion,
      kind,
      hasStatusSubresource: false,
      now: this.#api.clock.now(),
    });
    this.#api.store.put(this.#table, tracked);
  }
}

interface NamedRole {
  readonly stored: StoredObject;
  readonly role: JsonObject;
}

/** The rules of all that is selected, by selector and then by name, each once. */
function aggregated(rule: JsonObject, own: StoredObject, all: readonly NamedRole[]): JsonObject[] {
  const rules: JsonObject[] = [];
  for (const item of items(rule.clusterRoleSelectors)) {
    const selector = LabelSelector.fromObject(item as LabelSelectorObject);
    for (const { stored, role } of all) {
      if (stored.name === own.name || !selector.matches(stored.labels ?? {})) continue;
      for (const one of asArray(role.rules).map(asObject)) {
        if (!rules.some((known) => jsonEqual(known, one))) rules.push(one);
      }
    }
  }
  return rules;
}
