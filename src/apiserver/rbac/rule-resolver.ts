import { quote } from '../apply/go-value.ts';
import { items } from '../kinds/defaulting.ts';
import type { Attributes, Decision, User } from '../request/access.ts';
import type { Store, Table } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { aggregate } from '../values/go-errors.ts';
import { asObject, asString, type JsonObject } from '../values/json.ts';
import { type PolicyRule, parseRules, ruleAllows } from './policy-rule.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** What a binding refers to. */
export interface RoleRef {
  readonly kind: string;
  readonly name: string;
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

interface Binding {
  readonly stored: StoredObject;
  readonly role: RoleRef;
  readonly subjects: readonly Subject[];
}

/** What a user may do in a namespace, as far as it could be found out. */
export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  /** Of bindings to roles that do not exist. */
  readonly errors: readonly string[];
}

/** Reads who may do what from roles and bindings, as they are stored now. */
export class RuleResolver {
  readonly #tables: Readonly<Record<'roles' | 'rolebindings' | 'clusterroles' | 'clusterrolebindings', Table>>;
  /** By the state that was read, so that nothing is read twice and nothing is outdated. */
  readonly #bindings = new WeakMap<StoredObject, Binding>();
  readonly #rules = new WeakMap<StoredObject, readonly PolicyRule[]>();

  constructor(store: Store) {
    const table = (plural: string) => store.table(`${plural}.${RBAC_GROUP}`);
    this.#tables = {
      roles: table('roles'),
      rolebindings: table('rolebindings'),
      clusterroles: table('clusterroles'),
      clusterrolebindings: table('clusterrolebindings'),
    };
  }

  /** Whether a rule allows it, and which binding has brought that rule; or which bindings lead nowhere. */
  decide(user: User, wanted: Attributes): Decision {
    const problems: string[] = [];
    for (const { stored, role, subject, namespace } of this.#bindingsOf(user, wanted.namespace)) {
      const rules = this.rulesOfRole(role, namespace);
      if (!rules) problems.push(absent(role));
      else if (rules.some((rule) => ruleAllows(rule, wanted))) {
        return { allowed: true, reason: `RBAC: allowed by ${sourceText(stored, role, subject)}` };
      }
    }
    return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${aggregate(problems)}` };
  }

  rulesFor(user: User, namespace: string): ResolvedRules {
    const found: PolicyRule[] = [];
    const errors: string[] = [];
    for (const { role, namespace: where } of this.#bindingsOf(user, namespace)) {
      const rules = this.rulesOfRole(role, where);
      if (rules) found.push(...rules);
      else errors.push(absent(role));
    }
    return { rules: found, errors };
  }

  /** `namespace` is that of the binding. Undefined when there is no such role. */
  rulesOfRole({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const { roles, clusterroles } = this.#tables;
    const stored = kind === 'Role' ? roles.objects.get(`${namespace}/${name}`) : clusterroles.objects.get(name);
    if (!stored) return undefined;
    let rules = this.#rules.get(stored);
    if (!rules) {
      rules = parseRules(stored.decode().rules);
      this.#rules.set(stored, rules);
    }
    return rules;
  }

  *#bindingsOf(
    user: User,
    namespace: string,
  ): Generator<Binding & { readonly subject: Subject; readonly namespace: string }> {
    const { clusterrolebindings, rolebindings } = this.#tables;
    for (const stored of clusterrolebindings.objects.values()) {
      const binding = this.#binding(stored);
      const subject = binding.subjects.find((one) => isSubject(user, one, ''));
      if (subject) yield { ...binding, subject, namespace: '' };
    }
    if (namespace === '') return;
    for (const stored of rolebindings.objects.values('', `${namespace}/`)) {
      const binding = this.#binding(stored);
      const subject = binding.subjects.find((one) => isSubject(user, one, namespace));
      if (subject) yield { ...binding, subject, namespace };
    }
  }

  #binding(stored: StoredObject): Binding {
    const known = this.#bindings.get(stored);
    if (known) return known;
    const object = stored.decode();
    const binding = { stored, role: roleRefOf(object), subjects: items(object.subjects).map(subjectOf) };
    this.#bindings.set(stored, binding);
    return binding;
  }
}

export function roleRefOf(binding: JsonObject): RoleRef {
  const { kind, name } = asObject(binding.roleRef);
  return { kind: asString(kind), name: asString(name) };
}

function subjectOf({ kind, name, namespace }: JsonObject): Subject {
  return { kind: asString(kind), name: asString(name), namespace: asString(namespace) };
}

/** A service account without a namespace is of the namespace of the binding. */
function isSubject(user: User, { kind, name, namespace }: Subject, bindingNamespace: string): boolean {
  if (kind === 'User') return user.name === name;
  if (kind === 'Group') return user.groups.includes(name);
  const where = namespace === '' ? bindingNamespace : namespace;
  return kind === 'ServiceAccount' && where !== '' && user.name === `system:serviceaccount:${where}:${name}`;
}

function sourceText({ name, namespace }: StoredObject, role: RoleRef, subject: Subject): string {
  const account = `${subject.name}/${subject.namespace === '' ? namespace : subject.namespace}`;
  const who = `${subject.kind} ${quote(subject.kind === 'ServiceAccount' ? account : subject.name)}`;
  const binding =
    namespace === '' ? `ClusterRoleBinding ${quote(name)}` : `RoleBinding ${quote(`${name}/${namespace}`)}`;
  return `${binding} of ${role.kind} ${quote(role.name)} to ${who}`;
}

function absent({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.${RBAC_GROUP} ${quote(name)} not found`;
}
