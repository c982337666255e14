import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts';
import { quote } from '../apply/go-value.ts';
import type { Access } from '../request/access.ts';
import { forbiddenResource, notFound, type StatusError, statusError } from '../request/status-error.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import { aggregate } from '../values/go-errors.ts';
import { asArray, asObject, asString, type JsonObject, jsonEqual } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { ALL_RIGHTS, listText, missingRights, type PolicyRule, parseRules, rightsText } from './policy-rule.ts';
import { RBAC_GROUP, type RuleResolver, roleRefOf } from './rule-resolver.ts';

/**
 * Nobody gives away what they do not have: who writes a role must hold its rights, or may `escalate`; who writes a binding must
 * hold the rights of its role, or may `bind` it.
 */
export class EscalationCheck implements AdmissionPlugin {
  readonly #resolver: RuleResolver;
  readonly #access: Access;

  constructor(resolver: RuleResolver, access: Access) {
    this.#resolver = resolver;
    this.#access = access;
  }

  isActive({ group }: ServedResource): boolean {
    return group === RBAC_GROUP;
  }

  mutate(request: AdmissionRequest): void {
    const { resource, operation, user, object, old, subresource } = request;
    if (operation === 'DELETE' || !object || subresource !== '') return;
    if (user.groups.includes('system:masters')) return;
    if (old && isBookkeeping(object, old)) return;
    if (resource.plural.endsWith('bindings')) this.#checkBinding(request, object);
    else this.#checkRole(request, object);
  }

  #checkRole(request: AdmissionRequest, object: JsonObject): void {
    const { resource, namespace, name, user, old } = request;
    const right = { verb: 'escalate', group: RBAC_GROUP, resource: resource.plural, subresource: '', namespace };
    // A request that creates has no name in its path.
    if (this.#access.allows(user, { ...right, name: old ? name : '' })) return;
    this.#demand(request, parseRules(object.rules));
    if (!hasAggregation(object) && !hasAggregation(old)) return;
    if (this.#missing(request, ALL_RIGHTS).length === 0) return;
    throw this.#refusal(request, 'must have cluster-admin privileges to use the aggregationRule');
  }

  #checkBinding(request: AdmissionRequest, object: JsonObject): void {
    const { namespace, user } = request;
    const role = roleRefOf(object);
    const right = { verb: 'bind', group: asString(asObject(object.roleRef).apiGroup), subresource: '', namespace };
    const plural = { ClusterRole: 'clusterroles', Role: 'roles' }[role.kind];
    // The real server forgets to make a Status of it.
    if (plural === undefined) throw statusError(500, '', `unsupported role reference kind: ${quote(role.kind)}`);
    if (this.#access.allows(user, { ...right, resource: plural, name: role.name })) return;
    const rules = this.#resolver.rulesOfRole(role, namespace);
    // It names the resource of the request where it means the role's.
    if (!rules) throw notFound(request.resource, role.name);
    this.#demand(request, rules);
  }

  #missing({ user, namespace }: AdmissionRequest, rules: readonly PolicyRule[]): PolicyRule[] {
    return missingRights(this.#resolver.rulesFor(user, namespace).rules, rules);
  }

  #demand(request: AdmissionRequest, rules: readonly PolicyRule[]): void {
    const missing = this.#missing(request, rules);
    if (missing.length === 0) return;
    const { user, namespace } = request;
    const { errors } = this.#resolver.rulesFor(user, namespace);
    const who = `user ${quote(user.name)} (groups=${listText(user.groups)})`;
    const why = `${who} is attempting to grant RBAC permissions not currently held:\n${rightsText(missing)}`;
    throw this.#refusal(request, errors.length === 0 ? why : `${why}; resolution errors: [${aggregate(errors)}]`);
  }

  #refusal({ resource, object }: AdmissionRequest, why: string): StatusError {
    return forbiddenResource(resource, asString(metadataOf(object ?? {}).name), why);
  }
}

function hasAggregation(role: JsonObject | undefined): boolean {
  return asArray(asObject(role?.aggregationRule).clusterRoleSelectors).length > 0;
}

/** Whether nothing but what the garbage collector writes is different. */
function isBookkeeping(object: JsonObject, old: JsonObject): boolean {
  const kept = (state: JsonObject): JsonObject => {
    const { kind: _kind, apiVersion: _apiVersion, ...rest } = state;
    const { ownerReferences: _o, finalizers: _f, managedFields: _m, ...metadata } = metadataOf(state);
    return { ...rest, metadata };
  };
  return jsonEqual(kept(object), kept(old));
}
