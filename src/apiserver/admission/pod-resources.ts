import { items } from '../kinds/defaulting.ts';
import { asObject, isObject, type JsonObject } from '../values/json.ts';
import { type Amount, type Amounts, addAmounts, maxAmounts, parseAmounts } from '../values/resource-amounts.ts';

/** Resources that a pod may ask for as a whole. */
const POD_LEVEL = /^(?:cpu|memory|hugepages-.*)$/;

export function containerResources(container: JsonObject, part: 'requests' | 'limits'): Amounts {
  return parseAmounts(asObject(container.resources)[part]);
}

/**
 * What a pod asks for at the same time at most: its containers and sidecars together, or one init container beside the
 * sidecars that were started before it; or what it asks for as a whole.
 */
export function podResources(pod: JsonObject, part: 'requests' | 'limits'): Map<string, Amount> {
  const spec = asObject(pod.spec);
  let all: Map<string, Amount> = new Map();
  for (const container of items(spec.containers)) all = addAmounts(all, containerResources(container, part));
  let sidecars: Map<string, Amount> = new Map();
  let starting: Map<string, Amount> = new Map();
  for (const container of items(spec.initContainers)) {
    const own = containerResources(container, part);
    if (container.restartPolicy === 'Always') {
      all = addAmounts(all, own);
      sidecars = addAmounts(sidecars, own);
      starting = maxAmounts(starting, sidecars);
    } else starting = maxAmounts(starting, addAmounts(own, sidecars));
  }
  all = maxAmounts(all, starting);
  if (!isObject(spec.resources)) return all;
  for (const [name, amount] of parseAmounts(spec.resources[part])) if (POD_LEVEL.test(name)) all.set(name, amount);
  return all;
}
