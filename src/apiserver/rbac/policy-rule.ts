import { quote } from '../apply/go-value.ts';
import type { Attributes } from '../request/access.ts';
import { asArray, asObject, asString, type JsonValue } from '../values/json.ts';

/** One rule of a role, with every list filled. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  /** `pods`, `pods/status`, or, for all kinds that have it, `*` before `/status`. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

const NOTHING: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** What members of `system:masters` may do, and who has all rights. */
export const ALL_RIGHTS: readonly PolicyRule[] = [
  { ...NOTHING, verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { ...NOTHING, verbs: ['*'], nonResourceURLs: ['*'] },
];

export function parseRules(rules: JsonValue | undefined): PolicyRule[] {
  return asArray(rules).map((item) => {
    const rule = asObject(item);
    const texts = (field: keyof PolicyRule) => asArray(rule[field]).map(asString);
    return {
      verbs: texts('verbs'),
      apiGroups: texts('apiGroups'),
      resources: texts('resources'),
      resourceNames: texts('resourceNames'),
      nonResourceURLs: texts('nonResourceURLs'),
    };
  });
}

export function ruleAllows(rule: PolicyRule, wanted: Attributes): boolean {
  if (!hasOrAll(rule.verbs, wanted.verb)) return false;
  const { path } = wanted;
  if (path !== undefined) return rule.nonResourceURLs.some((url) => url === '*' || coversPath(url, path));
  const { resource, subresource, name } = wanted;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  return (
    hasOrAll(rule.apiGroups, wanted.group) &&
    rule.resources.some(
      (text) => text === '*' || text === combined || (subresource !== '' && text === `*/${subresource}`),
    ) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  );
}

/** Those of the second rights, taken apart to single ones, that no rule of the first grants. */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(singleRights).filter((right) => !held.some((rule) => ruleCovers(rule, right)));
}

function singleRights({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): PolicyRule[] {
  const rights: PolicyRule[] = [];
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const right = { ...NOTHING, verbs: [verb], apiGroups: [group], resources: [resource] };
        if (resourceNames.length === 0) rights.push(right);
        for (const name of resourceNames) rights.push({ ...right, resourceNames: [name] });
      }
    }
  }
  for (const url of nonResourceURLs) {
    for (const verb of verbs) rights.push({ ...NOTHING, verbs: [verb], nonResourceURLs: [url] });
  }
  return rights;
}

/** `right` has at most one value in each list. */
function ruleCovers(rule: PolicyRule, right: PolicyRule): boolean {
  const names =
    rule.resourceNames.length === 0 || right.resourceNames.some((name) => rule.resourceNames.includes(name));
  return (
    right.verbs.every((verb) => hasOrAll(rule.verbs, verb)) &&
    right.apiGroups.every((group) => hasOrAll(rule.apiGroups, group)) &&
    right.resources.every((resource) => coversResource(rule.resources, resource)) &&
    names &&
    right.nonResourceURLs.every((url) => rule.nonResourceURLs.some((own) => coversPath(own, url)))
  );
}

function coversResource(own: readonly string[], resource: string): boolean {
  if (hasOrAll(own, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && own.includes(`*${resource.slice(slash)}`);
}

function coversPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
}

function hasOrAll(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

/** One line for each resource that something is missing of, in the words of the real server. */
export function rightsText(missing: readonly PolicyRule[]): string {
  const byResource = new Map<string, PolicyRule>();
  for (const right of missing) {
    const { apiGroups, resources, resourceNames, nonResourceURLs, verbs } = right;
    // Rights to paths are not put together.
    const key = JSON.stringify(nonResourceURLs.length > 0 ? right : [apiGroups, resources, resourceNames]);
    const known = byResource.get(key);
    byResource.set(key, known ? { ...known, verbs: [...known.verbs, ...verbs] } : right);
  }
  return [...new Set([...byResource.values()].map(ruleText))].sort().join('\n');
}

function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ] as const;
  const filled = parts.filter(([, list]) => list.length > 0);
  return `{${filled.map(([label, list]) => `${label}:${listText(list)}`).join(', ')}}`;
}

/** `%q` of a list. */
export function listText(list: readonly string[]): string {
  return `[${list.map(quote).join(' ')}]`;
}
