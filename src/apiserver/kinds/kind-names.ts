import { anyName, dnsLabel, ipAddressName, type NameRule, pathSegment } from '../values/name-rules.ts';

/**
 * The kinds whose names are not DNS subdomains, by `plural.group`, from the `ValidateObjectMeta` of Kubernetes' own
 * validation. Kinds that it does not judge at all (budgets, certificate requests, events) may have any name that fits into a path.
 */
export const NAME_RULES: ReadonlyMap<string, NameRule> = new Map([
  ['namespaces', dnsLabel],
  ['services', dnsLabel],
  ['statefulsets.apps', dnsLabel],
  ['ipaddresses.networking.k8s.io', ipAddressName],
  ['events', anyName],
  ['poddisruptionbudgets.policy', anyName],
  ['certificatesigningrequests.certificates.k8s.io', anyName],
  ['roles.rbac.authorization.k8s.io', pathSegment],
  ['rolebindings.rbac.authorization.k8s.io', pathSegment],
  ['clusterroles.rbac.authorization.k8s.io', pathSegment],
  ['clusterrolebindings.rbac.authorization.k8s.io', pathSegment],
]);
