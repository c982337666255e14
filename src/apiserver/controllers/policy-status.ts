import { compileAdmissionPolicy } from '../admission/policy/compiled-policy.ts';
import { objectTypeOf } from '../admission/policy/object-types.ts';
import type { PolicyExpression } from '../admission/policy/policy-expression.ts';
import type { Api } from '../api.ts';
import { trackUpdate } from '../apply/managed-fields.ts';
import { items } from '../kinds/defaulting.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { Change, Table } from '../storage/storage.ts';
import { asArray, asObject, asString, getPath, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { WorkLoop } from './work-loop.ts';

const POLICIES = 'validatingadmissionpolicies.admissionregistration.k8s.io';
const MOST_TYPES = 10;

/** Checks the expressions of policies by the types of what they match, and writes what it finds into their status. */
export class PolicyStatus {
  readonly #api: Api;
  readonly #table: Table;
  readonly #loop: WorkLoop;
  readonly #listener = ({ current }: Change) => {
    if (current) this.#loop.add(current.name, () => this.#check(current.name));
  };

  constructor(api: Api) {
    this.#api = api;
    this.#table = api.store.table(POLICIES);
    this.#loop = new WorkLoop({ clock: api.clock, logger: api.logger, atOnce: true });
    this.#table.listeners.add(this.#listener);
  }

  stop(): void {
    this.#table.listeners.delete(this.#listener);
    this.#loop.stop();
  }

  #check(name: string): void {
    const policy = this.#table.objects.get(name)?.decode();
    const resource = this.#api.registry.forTable(this.#table);
    if (!policy || !resource) return;
    const { generation } = metadataOf(policy);
    if (getPath(policy, 'status', 'observedGeneration') === generation) return;
    const expressionWarnings = this.#warnings(policy);
    const typeChecking: JsonObject = expressionWarnings.length === 0 ? {} : { expressionWarnings };
    const { kind, apiVersion } = resource;
    const tracked = trackUpdate({
      before: { ...policy, kind, apiVersion },
      after: {
        ...policy,
        kind,
        apiVersion,
        status: { ...asObject(policy.status), observedGeneration: generation, typeChecking },
      },
      schema: resource.mergeSchema,
      manager: 'kube-controller-manager',
      subresource: 'status',
      apiVersion,
      kind,
      hasStatusSubresource: true,
      now: this.#api.clock.now(),
    });
    this.#api.store.put(this.#table, tracked);
  }

  #warnings(policy: JsonObject): JsonObject[] {
    const found = new Map<string, string[]>();
    for (const resource of this.#matched(policy)) {
      const what = `${resource.apiVersion}, Kind=${resource.kind}`;
      const compiled = compileAdmissionPolicy(policy, objectTypeOf(resource));
      const note = (field: string, expression: PolicyExpression | undefined) => {
        if (!expression?.problem?.startsWith('compilation failed')) return;
        found.set(field, [...(found.get(field) ?? []), `${what}: ${expression.problem}\n`]);
      };
      compiled.validations.forEach(({ expression, messageExpression }, index) => {
        note(`spec.validations[${index}].expression`, expression);
        note(`spec.validations[${index}].messageExpression`, messageExpression);
      });
    }
    return [...found].map(([fieldRef, texts]) => ({ fieldRef, warning: texts.join('\n') }));
  }

  /** What the rules of a policy name; wildcards are not looked into. */
  #matched(policy: JsonObject): ServedResource[] {
    const named = (list: JsonObject[string]) => asArray(list).map(asString);
    const found = new Set<ServedResource>();
    for (const rule of items(getPath(policy, 'spec', 'matchConstraints', 'resourceRules'))) {
      for (const group of named(rule.apiGroups)) {
        for (const version of named(rule.apiVersions)) {
          for (const plural of named(rule.resources)) {
            const resource = this.#api.registry.find(group, version, plural);
            if (resource && found.size < MOST_TYPES) found.add(resource);
          }
        }
      }
    }
    return [...found];
  }
}
