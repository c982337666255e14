import { type FieldError, forbidden } from '../request/field-error.ts';
import { keepField } from '../storage/object-writer.ts';
import type { Strategy } from '../storage/strategy.ts';
import { asArray, asObject, asString, ensureObject, getPath, type JsonObject } from '../values/json.ts';
import { timestamp } from '../values/object-meta.ts';
import { items, specOf } from './defaulting.ts';
import { nameWarnings } from './name-warnings.ts';
import { defaultPodSpec } from './pod-spec.ts';
import {
  keepAllButEphemeralContainers,
  keepAllButResources,
  validateEphemeralContainers,
  validateEphemeralContainersUpdate,
  validateResize,
} from './pod-subresources.ts';
import { validatePodSpec, validatePodSpecUpdate } from './pod-validation.ts';
import { podWarnings } from './pod-warnings.ts';
import { qosClassOf } from './quality-of-service.ts';

const TOLERATION_SECONDS = 300;
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

function requestsFromLimits(container: JsonObject): void {
  const resources = asObject(container.resources);
  const limits = asObject(resources.limits);
  if (Object.keys(limits).length === 0) return;
  ensureObject(container, 'resources').requests = { ...limits, ...asObject(resources.requests) };
}

/** What an admission plugin that is always on adds to pods: they bear a node that is gone for five minutes. */
function tolerateLostNodes(spec: JsonObject): void {
  const tolerations = items(spec.tolerations);
  for (const key of TAINTS) {
    const covered = tolerations.some(
      (item) =>
        (item.key === key || item.key === undefined) && ['NoExecute', undefined].includes(item.effect as string),
    );
    if (covered) continue;
    tolerations.push({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: TOLERATION_SECONDS });
  }
  spec.tolerations = tolerations;
}

/** The first of the addresses has a field of its own, which older clients set alone. */
function syncAddresses(object: JsonObject): void {
  const status = asObject(object.status);
  for (const [one, many] of [
    ['podIP', 'podIPs'],
    ['hostIP', 'hostIPs'],
  ] as const) {
    const first = asString(asObject(asArray(status[many])[0]).ip);
    const alone = asString(status[one]);
    if (alone !== '' && alone !== first) status[many] = [{ ip: alone }];
    else if (first !== '') status[one] = first;
  }
}

/** What a pod says for as long as it has scheduling gates. */
function gatedCondition(nowMs: number): JsonObject {
  return {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: timestamp(nowMs),
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
}

export const podStrategy: Strategy = {
  generation: true,
  returnDeletedObject: true,
  warnings: (object, old) => (old ? [] : [...nameWarnings(object, old, "the Pod's hostname"), ...podWarnings(object)]),

  defaults(object) {
    const spec = specOf(object);
    defaultPodSpec(spec);
    for (const container of [...items(spec.containers), ...items(spec.initContainers)]) requestsFromLimits(container);
    spec.enableServiceLinks ??= true;
    syncAddresses(object);
    if (spec.hostNetwork !== true) return;
    for (const container of items(spec.containers)) {
      for (const port of items(container.ports)) port.hostPort ??= port.containerPort;
    }
  },

  admit(object) {
    tolerateLostNodes(specOf(object));
  },

  prepareForCreate(object, context) {
    const spec = specOf(object);
    if (Number(spec.terminationGracePeriodSeconds) < 0) spec.terminationGracePeriodSeconds = 1;
    object.status = { phase: 'Pending', qosClass: qosClassOf(object) };
    if (items(spec.schedulingGates).length > 0) asObject(object.status).conditions = [gatedCondition(context.nowMs)];
  },

  prepareForUpdate(object, old, { subresource }) {
    if (subresource === 'ephemeralcontainers') keepAllButEphemeralContainers(object, old);
    else if (subresource === 'resize') keepAllButResources(object, old);
    tolerateLostNodes(specOf(object));
  },

  prepareForStatusUpdate(object, old) {
    keepField(object, old, 'spec');
    const status = ensureObject(object, 'status');
    const before = asObject(old.status);
    if (before.qosClass !== undefined) status.qosClass = before.qosClass;
    keepField(ensureObject(object, 'metadata'), asObject(old.metadata), 'ownerReferences');
  },

  validate: (object): FieldError[] => [
    ...validatePodSpec(specOf(object), 'spec'),
    ...validateEphemeralContainers(specOf(object)),
  ],
  validateCreate: (object): FieldError[] =>
    items(specOf(object).ephemeralContainers).length === 0
      ? []
      : [forbidden('spec.ephemeralContainers', 'cannot be set on create')],
  validateUpdate(object, old, { subresource }) {
    if (subresource === 'ephemeralcontainers') return validateEphemeralContainersUpdate(specOf(object), specOf(old));
    if (subresource === 'resize') return validateResize(object, old);
    return subresource === 'binding' ? [] : validatePodSpecUpdate(specOf(object), specOf(old));
  },

  /** A pod that is on no node, or has finished, has nobody to wait for. */
  gracePeriod(object, requested) {
    const own = getPath(object, 'spec', 'terminationGracePeriodSeconds');
    let seconds = requested ?? (typeof own === 'number' ? own : 30);
    if (asString(getPath(object, 'spec', 'nodeName')) === '') seconds = 0;
    if (['Succeeded', 'Failed'].includes(asString(getPath(object, 'status', 'phase')))) seconds = 0;
    return seconds < 0 ? 1 : seconds;
  },
};
