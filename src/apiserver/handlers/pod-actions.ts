import { LabelSelector, type LabelSelectorObject } from '../../api/label-selector.ts';
import type { Status } from '../../api/status.ts';
import type { Api } from '../api.ts';
import { deleteOptionsFrom } from '../request/delete-options.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { badRequest, conflict, notFound, statusError } from '../request/status-error.ts';
import { ObjectDeleter } from '../storage/object-deleter.ts';
import { keyFor, ObjectWriter } from '../storage/object-writer.ts';
import { finish } from '../storage/steps.ts';
import { asArray, asObject, asString, ensureObject, getPath, isObject, type JsonObject } from '../values/json.ts';
import { metadataOf, timestamp } from '../values/object-meta.ts';
import { documentResponse } from './object-response.ts';
import { BINDING, EVICTION, subresourceBody } from './subresource-body.ts';
import { writeQuery } from './write-decoding.ts';
import { writeOptions } from './write-handlers.ts';

function success(scope: ResourceScope): ServerResponse {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return documentResponse(201, Buffer.from(JSON.stringify(status)), scope.output);
}

/** Replaces or adds a condition of a pod. */
function setCondition(pod: JsonObject, condition: JsonObject): void {
  const status = ensureObject(pod, 'status');
  const others = asArray(status.conditions).filter((item) => asObject(item).type !== condition.type);
  status.conditions = [...others, condition];
}

/** Puts a pod on a node: what a scheduler does. Also for POST to `bindings`, where the body names the pod. */
export async function handleBinding(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const query = writeQuery(scope, 'CreateOptions');
  const binding = subresourceBody(scope, BINDING, query);
  const name = scope.info.resource === 'pods' ? scope.info.name : asString(metadataOf(binding).name);
  const node = asString(getPath(binding, 'target', 'name'));
  // The real server forgets to make a Status of it.
  if (node === '') throw statusError(500, '', 'target.name: Required value');
  const pods = api.registry.find('', 'v1', 'pods');
  if (!pods?.table.objects.has(keyFor(scope.namespace, name))) throw notFound({ group: '', plural: 'pods' }, name);
  const options = { ...writeOptions(scope, query), subresource: 'binding' };
  const steps = new ObjectWriter(api).updating(pods, name, options, (pod) => {
    const spec = ensureObject(pod, 'spec');
    const refuse = (why: string) => conflict({ group: '', plural: 'pods/binding' }, name, why);
    const present = asString(spec.nodeName);
    if (present !== '') throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(present)}`);
    if (metadataOf(pod).deletionTimestamp !== undefined) {
      throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
    }
    spec.nodeName = node;
    const now = timestamp(api.clock.now());
    setCondition(pod, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now });
    return pod;
  });
  await finish(steps);
  return success(scope);
}

/** Deletes a pod unless a disruption budget forbids it. */
export async function handleEviction(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, info, namespace } = scope;
  const query = writeQuery(scope, 'CreateOptions');
  const eviction = subresourceBody(scope, EVICTION, query);
  if (asString(metadataOf(eviction).name) !== info.name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const pod = resource.table.objects.get(keyFor(namespace, info.name));
  if (!pod) throw notFound(resource, info.name);
  const options = deleteOptionsFrom(asObject(eviction.deleteOptions), scope.request.query);
  const dryRun = options.dryRun || query.dryRun;
  const write = { ...writeOptions(scope, { dryRun }), subresource: 'status' };
  if (!isFinished(pod.decode())) {
    checkBudgets(api, namespace, pod.labels ?? {});
    const steps = new ObjectWriter(api).updating(resource, info.name, write, (object) => {
      const now = timestamp(api.clock.now());
      const type = { type: 'DisruptionTarget', status: 'True', lastProbeTime: null, lastTransitionTime: now };
      setCondition(object, { ...type, reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' });
      return object;
    });
    await finish(steps);
  }
  await finish(new ObjectDeleter(api).deletion(resource, info.name, options, write));
  return success(scope);
}

function isFinished(pod: JsonObject): boolean {
  return ['Succeeded', 'Failed', 'Pending'].includes(asString(getPath(pod, 'status', 'phase')));
}

function checkBudgets(api: Api, namespace: string, labels: Readonly<Record<string, string>>): void {
  const budgets = api.store.table('poddisruptionbudgets.policy').objects.values('', `${namespace}/`);
  for (const stored of budgets) {
    const budget = stored.decode();
    const selector = getPath(budget, 'spec', 'selector');
    if (!isObject(selector) || !LabelSelector.fromObject(selector as LabelSelectorObject).matches(labels)) continue;
    const allowed = getPath(budget, 'status', 'disruptionsAllowed');
    if (typeof allowed === 'number' && allowed > 0) continue;
    const healthy = Number(getPath(budget, 'status', 'currentHealthy') ?? 0);
    const desired = Number(getPath(budget, 'status', 'desiredHealthy') ?? 0);
    const message = `The disruption budget ${stored.name} needs ${desired} healthy pods and has ${healthy} currently`;
    throw statusError(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
      causes: [{ reason: 'DisruptionBudget', message }],
    });
  }
}
