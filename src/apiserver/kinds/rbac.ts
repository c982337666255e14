import { type FieldError, invalid, notSupported, required } from '../request/field-error.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, asString, ensureObject, isObject, type JsonObject, jsonEqual } from '../values/json.ts';
import { dnsSubdomain, pathSegment } from '../values/name-rules.ts';
import { items, setDefault } from './defaulting.ts';

const GROUP = 'rbac.authorization.k8s.io';

function ruleErrors(rule: JsonObject, field: string, namespaced: boolean): FieldError[] {
  const empty = (name: string) => asArray(rule[name]).length === 0;
  const errors: FieldError[] = [];
  if (empty('verbs')) errors.push(required(`${field}.verbs`, 'verbs must contain at least one value'));
  if (!empty('nonResourceURLs')) {
    const refuse = (detail: string) => invalid(`${field}.nonResourceURLs`, rule.nonResourceURLs, detail);
    if (namespaced) errors.push(refuse('namespaced rules cannot apply to non-resource URLs'));
    if (!empty('apiGroups') || !empty('resources') || !empty('resourceNames')) {
      errors.push(refuse('rules cannot apply to both regular resources and non-resource URLs'));
    }
    return errors;
  }
  if (empty('apiGroups')) {
    errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (empty('resources')) {
    errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

function aggregationErrors({ aggregationRule }: JsonObject): FieldError[] {
  if (!isObject(aggregationRule) || asArray(aggregationRule.clusterRoleSelectors).length > 0) return [];
  const detail = 'at least one clusterRoleSelector required if aggregationRule is non-nil';
  return [required('aggregationRule.clusterRoleSelectors', detail)];
}

export const roleStrategy = (namespaced: boolean): Strategy => ({
  createOnUpdate: true,
  validate: (object) => [
    ...items(object.rules).flatMap((rule, index) => ruleErrors(rule, `rules[${index}]`, namespaced)),
    ...(namespaced ? [] : aggregationErrors(object)),
  ],
});

function roleRefErrors(object: JsonObject, kinds: readonly string[]): FieldError[] {
  const { apiGroup, kind, name } = asObject(object.roleRef);
  const errors: FieldError[] = [];
  if (asString(apiGroup) !== GROUP) errors.push(notSupported('roleRef.apiGroup', asString(apiGroup), [GROUP]));
  if (!kinds.includes(asString(kind))) errors.push(notSupported('roleRef.kind', asString(kind), kinds));
  const text = asString(name);
  if (text === '') errors.push(required('roleRef.name'));
  else errors.push(...pathSegment(text, false).map((problem) => invalid('roleRef.name', text, problem)));
  return errors;
}

function subjectErrors(subject: JsonObject, field: string, namespaced: boolean): FieldError[] {
  const [kind, name, group] = [subject.kind, subject.name, subject.apiGroup].map(asString);
  const errors: FieldError[] = name === '' ? [required(`${field}.name`)] : [];
  if (kind === 'ServiceAccount') {
    const problems = name ? dnsSubdomain(name, false) : [];
    errors.push(...problems.map((problem) => invalid(`${field}.name`, name, problem)));
    if (group !== '') errors.push(notSupported(`${field}.apiGroup`, group, ['']));
    if (!namespaced && asString(subject.namespace) === '') errors.push(required(`${field}.namespace`));
  } else if (kind === 'User' || kind === 'Group') {
    if (group !== GROUP) errors.push(notSupported(`${field}.apiGroup`, group, [GROUP]));
  } else {
    errors.push(notSupported(`${field}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  }
  return errors;
}

export const roleBindingStrategy = (namespaced: boolean): Strategy => ({
  createOnUpdate: true,
  defaults(object) {
    setDefault(ensureObject(object, 'roleRef'), 'apiGroup', GROUP);
    for (const subject of items(object.subjects)) {
      if (subject.kind === 'User' || subject.kind === 'Group') setDefault(subject, 'apiGroup', GROUP);
    }
  },
  validate: (object) => [
    ...roleRefErrors(object, namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole']),
    ...items(object.subjects).flatMap((one, index) => subjectErrors(one, `subjects[${index}]`, namespaced)),
  ],
  validateUpdate(object, old) {
    if (jsonEqual(object.roleRef, old.roleRef)) return [];
    const { apiGroup, kind, name } = asObject(object.roleRef);
    const shown = { APIGroup: asString(apiGroup), Kind: asString(kind), Name: asString(name) };
    return [invalid('roleRef', shown, 'cannot change roleRef')];
  },
});
