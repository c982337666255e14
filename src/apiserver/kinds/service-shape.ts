import { asArray, asString, type JsonObject } from '../values/json.ts';

/** The addresses that a service has or wants, its first in front. */
export function addressesOf(spec: JsonObject): string[] {
  return asArray(spec.clusterIPs).map(asString);
}

/** Nothing balances the load: the name stands for the addresses of the pods. */
export function isHeadless(spec: JsonObject): boolean {
  return addressesOf(spec)[0] === 'None';
}

/** Whether its ports may be reached at every node. */
export function usesNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** Whether the server chooses node ports where none are given. */
export function allocatesNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** Whether it can be reached from outside of the cluster. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  return usesNodePorts(spec) || (spec.type === 'ClusterIP' && asArray(spec.externalIPs).length > 0);
}

/** Whether a load balancer has to ask each node whether it has pods of the service. */
export function needsHealthCheck(spec: JsonObject): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}
