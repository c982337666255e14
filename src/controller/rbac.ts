import type { KubernetesObject, ObjectMeta } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';

/** What a controller does with a resource. */
export interface RbacDeclaration {
  readonly resource: Pick<Resource, 'group' | 'plural' | 'namespaced'>;
  readonly use: 'for' | 'owns' | 'watches' | 'reads' | { readonly writes: readonly string[] };
}

/** What a manager does besides. */
export interface RbacUses {
  /** Whether it writes events. Default false. */
  events?: boolean | undefined;
  /** Whether it takes part in a leader election. Default false. */
  leases?: boolean | undefined;
  /** Whether it shares its keys with other processes. Default false. */
  sharding?: boolean | undefined;
}

/** `rbac.authorization.k8s.io/v1`. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/** A Role or a ClusterRole. */
export interface RbacRole extends KubernetesObject {
  apiVersion: 'rbac.authorization.k8s.io/v1';
  kind: 'ClusterRole' | 'Role';
  metadata: ObjectMeta & { name: string };
  rules: PolicyRule[];
}

const READ = ['get', 'list', 'watch'];
const CHANGE = ['patch', 'update'];
const EVENTS: RbacDeclaration = {
  resource: { group: 'events.k8s.io', plural: 'events', namespaced: true },
  use: { writes: ['create', 'patch'] },
};
const LEASES: RbacDeclaration = {
  resource: { group: 'coordination.k8s.io', plural: 'leases', namespaced: true },
  use: { writes: ['create', 'get', 'update'] },
};
const SHARDING: RbacDeclaration = {
  ...LEASES,
  use: { writes: ['create', 'delete', 'get', 'list', 'update', 'watch'] },
};

/**
 * The rights that these declarations need, and no others. Resources of a group with the same verbs share a rule; all is sorted, so that the
 * same declarations give the same text.
 */
export function rbacRules(declarations: Iterable<RbacDeclaration>, uses: RbacUses = {}): PolicyRule[] {
  const besides = [uses.events && EVENTS, uses.leases && LEASES, uses.sharding && SHARDING];
  const all = [...declarations, ...besides.filter((use) => typeof use === 'object')];
  const verbs = new Map<string, Map<string, Set<string>>>();
  for (const { resource, use } of all) {
    for (const [name, wanted] of rightsOf(resource.plural, use)) {
      const group = entry(verbs, resource.group, () => new Map<string, Set<string>>());
      const known = entry(group, name, () => new Set<string>());
      for (const verb of wanted) known.add(verb);
    }
  }
  return [...verbs].sort(byName).flatMap(([group, resources]) => rulesOf(group, resources));
}

/**
 * The roles for these declarations: a ClusterRole; with `namespace`, a Role for the namespaced resources there, and a ClusterRole only
 * if there are others. They are plain objects, to be created or written as YAML.
 */
export function rbacRoles(
  name: string,
  declarations: Iterable<RbacDeclaration>,
  uses: RbacUses & { namespace?: string | undefined } = {},
): RbacRole[] {
  const { namespace } = uses;
  const all = [...declarations];
  if (namespace === undefined) return [role('ClusterRole', { name }, rbacRules(all, uses))];
  const inNamespace = rbacRules(
    all.filter(({ resource }) => resource.namespaced),
    uses,
  );
  const elsewhere = rbacRules(all.filter(({ resource }) => !resource.namespaced));
  const roles = [role('Role', { name, namespace }, inNamespace), role('ClusterRole', { name }, elsewhere)];
  return roles.filter(({ rules }) => rules.length > 0);
}

function role(kind: RbacRole['kind'], metadata: RbacRole['metadata'], rules: PolicyRule[]): RbacRole {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata, rules };
}

function rightsOf(plural: string, use: RbacDeclaration['use']): [resource: string, verbs: readonly string[]][] {
  if (typeof use === 'object') return [[plural, use.writes]];
  switch (use) {
    case 'for':
      return [
        [plural, [...READ, ...CHANGE]],
        [`${plural}/status`, CHANGE],
        // A server with OwnerReferencesPermissionEnforcement asks for it when an object of this kind becomes an owner.
        [`${plural}/finalizers`, CHANGE],
      ];
    case 'owns':
      return [[plural, [...READ, ...CHANGE, 'create', 'delete']]];
    case 'watches':
    case 'reads':
      return [[plural, READ]];
  }
}

function rulesOf(group: string, resources: ReadonlyMap<string, ReadonlySet<string>>): PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const [resource, verbs] of [...resources].sort(byName)) {
    if (verbs.size === 0) continue;
    const sorted = verbs.has('*') ? ['*'] : [...verbs].sort();
    const rule = entry(rules, sorted.join(), () => ({ apiGroups: [group], resources: [], verbs: sorted }));
    rule.resources.push(resource);
  }
  return [...rules.values()];
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
