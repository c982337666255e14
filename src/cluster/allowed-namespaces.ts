import type { KubernetesList, KubernetesObject } from '../api/metadata.ts';
import { anything, aSignal, checkedOptions, type OptionChecks, texts } from '../api/option-check.ts';
import { checkNamespace, type Resource, resourceName } from '../api/resource.ts';
import { mustBeResource } from '../api/resource-check.ts';
import type { ApiRequests } from './api-requests.ts';
import { listAll } from './list-pages.ts';

/** What `cluster.allowed` is asked. */
export interface AllowedOptions {
  /** All of them must be allowed: `['list', 'watch']` for an informer. */
  verbs: readonly string[];
  /** Of what. A cluster-scoped one is a `TypeError`. */
  resource: Resource;
  /** Where. Unset: in all namespaces that there are. */
  namespaces?: readonly string[] | undefined;
  /** Ends the requests. */
  signal?: AbortSignal | undefined;
}

const CHECKS: OptionChecks<AllowedOptions> = {
  verbs: texts,
  resource: anything, // has a message of its own
  namespaces: texts,
  signal: aSignal,
};

interface ResourceRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

interface RulesReview {
  readonly status?: { readonly resourceRules?: readonly ResourceRule[]; readonly incomplete?: boolean };
}

/** How many namespaces are asked about at a time. */
const AT_A_TIME = 8;
const REVIEWS = '/apis/authorization.k8s.io/v1';

/** See `Cluster.allowed`. */
export async function allowedNamespaces(requests: ApiRequests, options: AllowedOptions): Promise<string[]> {
  checkedOptions('cluster.allowed', options, CHECKS, ['verbs', 'resource']);
  const { verbs, resource, signal } = options;
  if (verbs.length === 0) {
    throw new TypeError("allowed needs at least one verb: { verbs: ['list', 'watch'], resource }");
  }
  mustBeResource('allowed', resource);
  if (!resource.namespaced)
    throw new TypeError(`${resourceName(resource)} is cluster-scoped: no namespace has a say in it`);
  const ask: Ask = (kind, spec) =>
    requests.json({
      method: 'POST',
      path: `${REVIEWS}/${kind.toLowerCase()}s`,
      body: JSON.stringify({ kind, apiVersion: 'authorization.k8s.io/v1', spec }),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      signal,
    });
  const waiting = new Set(options.namespaces?.map(checkNamespace) ?? (await namespacesOf(requests, signal)));
  const allowed: string[] = [];
  const work = async () => {
    for (const namespace of waiting) {
      waiting.delete(namespace);
      if (await areAllowed(ask, namespace, options)) allowed.push(namespace);
    }
  };
  // Once a question has failed the others are of no use.
  await Promise.all(Array.from({ length: AT_A_TIME }, work)).finally(() => waiting.clear());
  return allowed.sort();
}

async function namespacesOf(requests: ApiRequests, signal: AbortSignal | undefined): Promise<string[]> {
  const { items } = await listAll<KubernetesObject>(async ({ limit = 0, continue: token = '' }) => {
    const query = new URLSearchParams({ limit: String(limit), ...(token && { continue: token }) }).toString();
    const answer = await requests.json({ method: 'GET', path: '/api/v1/namespaces', query, signal });
    return answer as KubernetesList<KubernetesObject>;
  }, {});
  return items.flatMap(({ metadata }) => metadata?.name ?? []);
}

/** Asks for a review of what the login may do, and gives the answer. */
type Ask = (kind: string, spec: unknown) => Promise<unknown>;

async function areAllowed(ask: Ask, namespace: string, { verbs, resource }: AllowedOptions): Promise<boolean> {
  const { status } = (await ask('SelfSubjectRulesReview', { namespace })) as RulesReview;
  const rules = (status?.resourceRules ?? []).filter((rule) => concerns(rule, resource));
  const { group, version, plural } = resource;
  for (const verb of new Set(verbs)) {
    if (rules.some((rule) => includes(rule.verbs, verb))) continue;
    // An authorizer that cannot list its rules may still allow it.
    if (!status?.incomplete) return false;
    const resourceAttributes = { namespace, verb, group, version, resource: plural };
    const answer = await ask('SelfSubjectAccessReview', { resourceAttributes });
    if ((answer as { status?: { allowed?: boolean } }).status?.allowed !== true) return false;
  }
  return true;
}

/** A rule for objects by name does not allow to list. */
function concerns(rule: ResourceRule, { group, plural }: Resource): boolean {
  return includes(rule.apiGroups, group) && includes(rule.resources, plural) && !rule.resourceNames?.length;
}

function includes(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((item) => item === '*' || item === value) ?? false;
}
