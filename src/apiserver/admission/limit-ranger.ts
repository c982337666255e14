import { items, specOf } from '../kinds/defaulting.ts';
import type { Store, Table } from '../storage/storage.ts';
import { asObject, asString, ensureObject, type JsonObject } from '../values/json.ts';
import { metadataOf } from '../values/object-meta.ts';
import { type Amount, type Amounts, amountText, parseAmounts } from '../values/resource-amounts.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { containerResources, podResources } from './pod-resources.ts';
import { refusal } from './refusal.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';

/** The LimitRanges of a namespace, held against new pods and claims: defaults first, then bounds. */
export class LimitRanger implements AdmissionPlugin {
  readonly #ranges: Table;

  constructor(store: Store) {
    this.#ranges = store.table('limitranges');
  }

  isActive(): boolean {
    return this.#ranges.objects.size > 0;
  }

  mutate(request: AdmissionRequest): void {
    const { object, resource } = request;
    if (!object || !concerns(request) || resource.plural !== 'pods') return;
    for (const limits of this.#limits(request.namespace)) giveDefaults(object, limits);
  }

  validate(request: AdmissionRequest): void {
    const { object, resource } = request;
    if (!object || !concerns(request)) return;
    for (const limits of this.#limits(request.namespace)) {
      const errors = resource.plural === 'pods' ? podErrors(object, limits) : claimErrors(object, limits);
      const [first] = errors;
      if (first === undefined) continue;
      const all = [...new Set(errors)];
      throw refusal(request, all.length === 1 ? first : `[${all.join(', ')}]`);
    }
  }

  /** The items of each range. */
  #limits(namespace: string): JsonObject[][] {
    const ranges = this.#ranges.objects.values('', `${namespace}/`);
    return ranges.map((range) => items(asObject(range.decode().spec).limits));
  }
}

/** Pods when they are created or resized, claims always; what is being deleted may change as it likes. */
function concerns({ resource, operation, subresource, old }: AdmissionRequest): boolean {
  if (resource.group !== '' || operation === 'DELETE') return false;
  if (old && metadataOf(old).deletionTimestamp !== undefined) return false;
  if (resource.plural === 'pods') return operation === 'CREATE' ? subresource === '' : subresource === 'resize';
  return resource.plural === 'persistentvolumeclaims' && subresource === '';
}

function giveDefaults(pod: JsonObject, limits: readonly JsonObject[]): void {
  const ofContainers = limits.filter(({ type }) => type === 'Container');
  const defaults = (field: string) => Object.assign({}, ...ofContainers.map((limit) => asObject(limit[field])));
  const [requests, bounds] = [defaults('defaultRequest') as JsonObject, defaults('default') as JsonObject];
  const notes: string[] = [];
  const spec = specOf(pod);
  for (const [list, label] of [
    [spec.containers, 'container'],
    [spec.initContainers, 'init container'],
  ] as const) {
    for (const container of items(list)) {
      const resources = ensureObject(container, 'resources');
      const who = `${label} ${asString(container.name)}`;
      const ofLimits = fill(resources, 'limits', bounds);
      const ofRequests = fill(resources, 'requests', requests);
      if (ofRequests.length > 0) notes.push(`${ofRequests.join(', ')} request for ${who}`);
      if (ofLimits.length > 0) notes.push(`${ofLimits.join(', ')} limit for ${who}`);
    }
  }
  if (notes.length === 0) return;
  const metadata = metadataOf(pod);
  metadata.annotations = {
    ...asObject(metadata.annotations),
    [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}`,
  };
}

/** The names that were filled in, sorted. */
function fill(resources: JsonObject, part: string, defaults: JsonObject): string[] {
  const present = asObject(resources[part]);
  const missing = Object.keys(defaults).filter((name) => present[name] === undefined);
  if (missing.length > 0) {
    resources[part] = { ...present, ...Object.fromEntries(missing.map((name) => [name, defaults[name]])) };
  }
  return missing.sort();
}

function podErrors(pod: JsonObject, limits: readonly JsonObject[]): string[] {
  const spec = specOf(pod);
  return limits.flatMap((limit) => {
    if (limit.type === 'Pod') return boundErrors(limit, podResources(pod, 'requests'), podResources(pod, 'limits'));
    if (limit.type !== 'Container') return [];
    return [...items(spec.containers), ...items(spec.initContainers)].flatMap((container) =>
      boundErrors(limit, containerResources(container, 'requests'), containerResources(container, 'limits')),
    );
  });
}

function claimErrors(claim: JsonObject, limits: readonly JsonObject[]): string[] {
  const requests = parseAmounts(asObject(specOf(claim).resources).requests ?? {});
  return limits
    .filter(({ type }) => type === 'PersistentVolumeClaim')
    .flatMap((limit) => [
      ...each(limit.min, (name, least) => belowMin('PersistentVolumeClaim', name, least, requests, new Map())),
      ...each(limit.max, (name, most) => aboveMaxRequest('PersistentVolumeClaim', name, most, requests)),
    ]);
}

function boundErrors(limit: JsonObject, requests: Amounts, limits: Amounts): string[] {
  const type = asString(limit.type);
  return [
    ...each(limit.min, (name, least) => belowMin(type, name, least, requests, limits)),
    ...each(limit.max, (name, most) => aboveMax(type, name, most, requests, limits)),
    ...each(limit.maxLimitRequestRatio, (name, ratio) => aboveRatio(type, name, ratio, requests, limits)),
  ];
}

function each(value: JsonObject[string], judge: (name: string, amount: Amount) => string | undefined): string[] {
  return [...parseAmounts(value)].flatMap(([name, amount]) => judge(name, amount) ?? []);
}

function belowMin(type: string, name: string, least: Amount, requests: Amounts, limits: Amounts): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const rule = `minimum ${name} usage per ${type} is ${amountText(least)}`;
  if (!request) return `${rule}.  No request is specified`;
  if (request.nanos < least.nanos) return `${rule}, but request is ${amountText(request)}`;
  return limit && limit.nanos < least.nanos ? `${rule}, but limit is ${amountText(limit)}` : undefined;
}

function aboveMaxRequest(type: string, name: string, most: Amount, requests: Amounts): string | undefined {
  const request = requests.get(name);
  const rule = `maximum ${name} usage per ${type} is ${amountText(most)}`;
  if (!request) return `${rule}.  No request is specified`;
  return request.nanos > most.nanos ? `${rule}, but request is ${amountText(request)}` : undefined;
}

function aboveMax(type: string, name: string, most: Amount, requests: Amounts, limits: Amounts): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const rule = `maximum ${name} usage per ${type} is ${amountText(most)}`;
  if (!limit) return `${rule}.  No limit is specified`;
  if (limit.nanos > most.nanos) return `${rule}, but limit is ${amountText(limit)}`;
  return request && request.nanos > most.nanos ? `${rule}, but request is ${amountText(request)}` : undefined;
}

function aboveRatio(type: string, name: string, ratio: Amount, requests: Amounts, limits: Amounts): string | undefined {
  const [request, limit] = [requests.get(name), limits.get(name)];
  const rule = `${name} max limit to request ratio per ${type} is ${amountText(ratio)}`;
  if (!request || request.nanos === 0n) return `${rule}, but no request is specified or request is 0`;
  if (!limit || limit.nanos === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const observed = Number(limit.nanos) / Number(request.nanos);
  return observed > Number(ratio.nanos) / 1e9 ? `${rule}, but provided ratio is ${observed.toFixed(6)}` : undefined;
}
