import { defaultRoleLines } from './tables/default-roles.ts';

/*
 * The table has a line for each object, `=plural;namespace;name;labels;selectors;role;subjects`, and after that of a role one for
 * each of its rules, `verbs;apiGroups;resources;resourceNames;nonResourceURLs`; lists with commas, empty ends left out.
 * - labels are those that say "true", beside those that all of these objects have; selectors, too, by the label alone.
 * - role: `Kind|name`; subjects: `Kind|namespace|name`.
 */

/** A role or a binding that a new cluster begins with. */
export interface DefaultRole {
  /** `clusterroles` */
  readonly plural: string;
  /** Empty for those of the whole cluster. */
  readonly namespace: string;
  /** Without kind and apiVersion. */
  readonly object: { metadata: { name: string; namespace?: string } } & Record<string, unknown>;
}

const GROUP = 'rbac.authorization.k8s.io';

export function defaultRoles(): DefaultRole[] {
  const blocks = defaultRoleLines.slice(1).split('\n=');
  return blocks.map((block) => {
    const [head = '', ...rules] = block.split('\n');
    return parseRole(head.split(';'), rules);
  });
}

function parseRole(head: readonly string[], rules: readonly string[]): DefaultRole {
  const [plural = '', namespace = '', name = '', labels = '', selectors = '', role = '', subjects = ''] = head;
  const metadata = {
    name,
    ...(namespace === '' ? {} : { namespace }),
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...trueLabels(labels) },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  };
  if (plural.endsWith('bindings')) {
    const [kind, to] = role.split('|');
    const roleRef = { apiGroup: GROUP, kind, name: to };
    const bound = subjects === '' ? {} : { subjects: subjects.split(',').map(parseSubject) };
    return { plural, namespace, object: { metadata, roleRef, ...bound } };
  }
  const aggregationRule = { clusterRoleSelectors: listOf(selectors).map((one) => ({ matchLabels: trueLabels(one) })) };
  const aggregation = selectors === '' ? {} : { aggregationRule };
  return { plural, namespace, object: { metadata, ...aggregation, rules: rules.map(parseRule) } };
}

function parseRule(line: string): Record<string, string[]> {
  const [verbs = '', groups = '', resources = '', names = '', urls = ''] = line.split(';');
  return {
    verbs: listOf(verbs),
    // The core group is the empty text.
    ...(resources === '' ? {} : { apiGroups: groups.split(','), resources: listOf(resources) }),
    ...(names === '' ? {} : { resourceNames: listOf(names) }),
    ...(urls === '' ? {} : { nonResourceURLs: listOf(urls) }),
  };
}

function parseSubject(text: string): Record<string, string> {
  const [kind = '', namespace = '', name = ''] = text.split('|');
  return kind === 'ServiceAccount' ? { kind, name, namespace } : { kind, apiGroup: GROUP, name };
}

function trueLabels(keys: string): Record<string, string> {
  return Object.fromEntries(listOf(keys).map((key) => [key, 'true']));
}

function listOf(text: string): string[] {
  return text === '' ? [] : text.split(',');
}
