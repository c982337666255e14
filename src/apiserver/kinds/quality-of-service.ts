import { asObject, getKey, type JsonObject, jsonEqual } from '../values/json.ts';
import { items } from './defaulting.ts';

const COUNTED = ['cpu', 'memory'];

/** BestEffort, Burstable or Guaranteed, by what the containers of a pod ask for. */
export function qosClassOf(pod: JsonObject): string {
  const spec = asObject(pod.spec);
  const containers = [...items(spec.containers), ...items(spec.initContainers)];
  let anything = false;
  let guaranteed = true;
  for (const container of containers) {
    const resources = asObject(container.resources);
    const requests = asObject(resources.requests);
    const limits = asObject(resources.limits);
    for (const name of COUNTED) {
      const [request, limit] = [getKey(requests, name), getKey(limits, name)];
      if (isPositive(request) || isPositive(limit)) anything = true;
      if (!isPositive(limit) || !jsonEqual(request ?? limit, limit)) guaranteed = false;
    }
  }
  if (!anything) return 'BestEffort';
  return guaranteed && containers.length > 0 ? 'Guaranteed' : 'Burstable';
}

function isPositive(quantity: unknown): boolean {
  return quantity !== undefined && quantity !== '0';
}
