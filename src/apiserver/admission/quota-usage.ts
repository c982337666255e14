import { LabelSelector } from '../../api/label-selector.ts';
import { items } from '../kinds/defaulting.ts';
import { qosClassOf } from '../kinds/quality-of-service.ts';
import { asArray, asObject, asString, getPath, isObject, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { type Amount, type Amounts, addAmounts, count, parseAmount, ZERO } from '../values/resource-amounts.ts';
import { containerResources, podResources } from './pod-resources.ts';

/** How objects of one resource count against quotas. */
export interface QuotaKind {
  /** Of the names in a quota, those that this resource has a share in. */
  matching(names: readonly string[]): string[];
  usage(object: JsonObject, nowMs: number): Amounts;
  /** Whether the object is within a scope; unset: scopes are not for this kind. */
  inScope?(object: JsonObject, selector: JsonObject): boolean;
  /** What is missing for the object to be counted at all. */
  constraint?(object: JsonObject, names: readonly string[]): string | undefined;
  /** Whether updates may change what is used. */
  readonly updates?: boolean;
}

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];
const POD_NAMES = new Set([
  'count/pods',
  'pods',
  ...COMPUTE,
  ...COMPUTE.map((name) => `requests.${name}`),
  ...COMPUTE.map((name) => `limits.${name}`),
]);
/** Containers must say what they need of these, when a quota limits them. */
const REQUIRED = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];
const CLASS = '.storageclass.storage.k8s.io/';
const CLAIM_NAMES = ['persistentvolumeclaims', 'requests.storage'];
const SERVICE_NAMES = new Set(['count/services', 'services', 'services.nodeports', 'services.loadbalancers']);
const ALIASES = new Set(['configmaps', 'resourcequotas', 'replicationcontrollers', 'secrets']);

/** By `plural.group`. */
export function quotaKindOf(resource: string): QuotaKind {
  const known = KINDS.get(resource);
  if (known) return known;
  const names = [`count/${resource}`, ...(ALIASES.has(resource) ? [resource] : [])];
  return {
    matching: (wanted) => wanted.filter((name) => names.includes(name)),
    usage: () => new Map(names.map((name) => [name, count(1)])),
  };
}

/** The resources, by `plural.group`, that a name in a quota counts objects of. */
export function resourceOfName(name: string): string | undefined {
  if (name.startsWith('count/')) return name.slice('count/'.length);
  if (ALIASES.has(name)) return name;
  if (SERVICE_NAMES.has(name)) return 'services';
  if (isClaimName(name)) return 'persistentvolumeclaims';
  return isPodName(name) ? 'pods' : undefined;
}

/** All scopes of a quota, in one form. */
export function scopesOf(quota: JsonObject): JsonObject[] {
  const spec = asObject(quota.spec);
  const named = asArray(spec.scopes).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...named, ...items(asObject(spec.scopeSelector).matchExpressions)];
}

export function isWithinScopes(kind: QuotaKind, quota: JsonObject, object: JsonObject): boolean {
  return scopesOf(quota).every((selector) => kind.inScope?.(object, selector) ?? false);
}

const pods: QuotaKind = {
  matching: (names) => names.filter(isPodName),
  usage(pod, nowMs) {
    const counted: Map<string, Amount> = new Map([['count/pods', count(1)]]);
    if (!isCharged(pod, nowMs)) return counted;
    return addAmounts(counted, computeUsage(podResources(pod, 'requests'), podResources(pod, 'limits')));
  },
  inScope: podInScope,
  constraint(pod, names) {
    if (isObject(asObject(pod.spec).resources)) return undefined;
    const required = REQUIRED.filter((name) => names.includes(name)).sort();
    const spec = asObject(pod.spec);
    const containers = [...items(spec.containers), ...items(spec.initContainers)];
    const missing = required.flatMap((name) => {
      const without = containers.filter(
        (one) => !computeUsage(containerResources(one, 'requests'), containerResources(one, 'limits')).has(name),
      );
      const who = [...new Set(without.map((container) => asString(container.name)))].sort();
      return who.length === 0 ? [] : [`${name} for: ${who.join(',')}`];
    });
    return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
  },
};

const services: QuotaKind = {
  updates: true,
  matching: (names) => names.filter((name) => SERVICE_NAMES.has(name)),
  usage(service) {
    const spec = asObject(service.spec);
    const ports = items(spec.ports);
    const balanced = spec.type === 'LoadBalancer';
    const allocated = balanced && spec.allocateLoadBalancerNodePorts === false;
    const open = allocated ? ports.filter(({ nodePort }) => Number(nodePort ?? 0) !== 0) : ports;
    return new Map([
      ['count/services', count(1)],
      ['services', count(1)],
      ['services.nodeports', spec.type === 'NodePort' || balanced ? count(open.length) : ZERO],
      ['services.loadbalancers', balanced ? count(1) : ZERO],
    ]);
  },
};

const claims: QuotaKind = {
  updates: true,
  matching: (names) => names.filter(isClaimName),
  usage(claim) {
    const annotated = asString(asObject(metadataOf(claim).annotations)['volume.beta.kubernetes.io/storage-class']);
    const storageClass = annotated || asString(getPath(claim, 'spec', 'storageClassName'));
    const used = new Map<string, Amount>([
      ['persistentvolumeclaims', count(1)],
      ['count/persistentvolumeclaims', count(1)],
    ]);
    const asked = parseAmount(getPath(claim, 'spec', 'resources', 'requests', 'storage'));
    const allocated = parseAmount(getPath(claim, 'status', 'allocatedResources', 'storage'));
    const storage = asked && allocated && allocated.nanos > asked.nanos ? allocated : asked;
    if (storage) used.set('requests.storage', storage);
    if (storageClass === '') return used;
    for (const name of CLAIM_NAMES) {
      const amount = used.get(name);
      if (amount) used.set(`${storageClass}${CLASS}${name}`, amount);
    }
    return used;
  },
  inScope(claim, selector) {
    if (selector.scopeName !== 'VolumeAttributesClass') return false;
    const name = asString(getPath(claim, 'spec', 'volumeAttributesClassName'));
    return selects(selector, name);
  },
};

const KINDS = new Map<string, QuotaKind>([
  ['pods', pods],
  ['services', services],
  ['persistentvolumeclaims', claims],
]);

function isPodName(name: string): boolean {
  return (
    POD_NAMES.has(name) ||
    /^(?:requests\.)?hugepages-/.test(name) ||
    /^requests\.(?!.*kubernetes\.io\/).+\/.+/.test(name)
  );
}

function isClaimName(name: string): boolean {
  if (name === 'count/persistentvolumeclaims' || CLAIM_NAMES.includes(name)) return true;
  return CLAIM_NAMES.some((suffix) => name.endsWith(`${CLASS}${suffix}`));
}

/** A pod that has finished, or should have by now, uses nothing. */
function isCharged(pod: JsonObject, nowMs: number): boolean {
  if (['Failed', 'Succeeded'].includes(asString(getPath(pod, 'status', 'phase')))) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadataOf(pod);
  if (deletionTimestamp === undefined || typeof deletionGracePeriodSeconds !== 'number') return true;
  return nowMs <= Date.parse(asString(deletionTimestamp)) + deletionGracePeriodSeconds * 1000;
}

function computeUsage(requests: Amounts, limits: Amounts): Map<string, Amount> {
  const used = new Map<string, Amount>([['pods', count(1)]]);
  for (const name of COMPUTE) {
    const [request, limit] = [requests.get(name), limits.get(name)];
    if (request) used.set(name, request).set(`requests.${name}`, request);
    if (limit) used.set(`limits.${name}`, limit);
  }
  for (const [name, amount] of requests) {
    if (name.startsWith('hugepages-')) used.set(name, amount).set(`requests.${name}`, amount);
    else if (name.includes('/')) used.set(`requests.${name}`, amount);
  }
  return used;
}

function podInScope(pod: JsonObject, selector: JsonObject): boolean {
  const spec = asObject(pod.spec);
  switch (selector.scopeName) {
    case 'Terminating':
      return isTerminating(pod);
    case 'NotTerminating':
      return !isTerminating(pod);
    case 'BestEffort':
      return qosClassOf(pod) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(pod) !== 'BestEffort';
    case 'PriorityClass':
      return selects(selector, asString(spec.priorityClassName));
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(asObject(spec.affinity));
    default:
      return false;
  }
}

/** The scope of pods that end by themselves. */
export function isTerminating(pod: JsonObject): boolean {
  const seconds = getPath(pod, 'spec', 'activeDeadlineSeconds');
  return typeof seconds === 'number' && seconds >= 0;
}

function selects({ operator, values }: JsonObject, name: string): boolean {
  const labels: Record<string, string> = name === '' ? {} : { class: name };
  const expression = { key: 'class', operator: asString(operator), values: asArray(values).map(asString) };
  return LabelSelector.fromObject({ matchExpressions: [expression] } as never).matches(labels);
}

function crossesNamespaces(affinity: JsonObject): boolean {
  return ['podAffinity', 'podAntiAffinity'].some((part) => {
    const rules = asObject(affinity[part]);
    const required = items(rules.requiredDuringSchedulingIgnoredDuringExecution);
    const preferred = items(rules.preferredDuringSchedulingIgnoredDuringExecution);
    const terms = [...required, ...preferred.map(({ podAffinityTerm }) => asObject(podAffinityTerm))];
    return terms.some((term) => asArray(term.namespaces).length > 0 || isObject(term.namespaceSelector));
  });
}
