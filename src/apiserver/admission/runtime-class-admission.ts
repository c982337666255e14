import { items, specOf } from '../kinds/defaulting.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { Store, Table } from '../storage/storage.ts';
import { asObject, asString, isObject, type JsonObject, jsonEqual } from '../values/json.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { refusal } from './refusal.ts';

/** Pods that name a RuntimeClass get its overhead and its scheduling, and are refused when it does not exist. */
export class RuntimeClassAdmission implements AdmissionPlugin {
  readonly #classes: Table;

  constructor(store: Store) {
    this.#classes = store.table('runtimeclasses.node.k8s.io');
  }

  isActive({ group, plural }: ServedResource): boolean {
    return plural === 'pods' && group === '';
  }

  mutate(request: AdmissionRequest): void {
    const pod = newPod(request);
    const runtimeClass = pod && this.#classOf(request, pod);
    if (!runtimeClass) return;
    const spec = specOf(pod);
    const { podFixed } = asObject(runtimeClass.overhead);
    if (isObject(podFixed)) {
      if (isObject(spec.overhead) && !jsonEqual(spec.overhead, podFixed)) throw refusal(request, OTHER_OVERHEAD);
      spec.overhead = podFixed;
    }
    if (isObject(runtimeClass.scheduling)) addScheduling(request, spec, runtimeClass.scheduling);
  }

  validate(request: AdmissionRequest): void {
    const pod = newPod(request);
    if (!pod) return;
    const { overhead } = specOf(pod);
    const podFixed = asObject(this.#classOf(request, pod)?.overhead).podFixed;
    if (podFixed !== undefined) {
      if (!jsonEqual(overhead, podFixed)) throw refusal(request, OTHER_OVERHEAD);
    } else if (overhead !== undefined) {
      throw refusal(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    }
  }

  #classOf(request: AdmissionRequest, pod: JsonObject): JsonObject | undefined {
    const name = specOf(pod).runtimeClassName;
    if (name === undefined) return undefined;
    const found = this.#classes.objects.get(asString(name));
    if (!found) throw refusal(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
    return found.decode();
  }
}

const OTHER_OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

function newPod({ operation, subresource, object }: AdmissionRequest): JsonObject | undefined {
  return subresource === '' && operation === 'CREATE' ? object : undefined;
}

function addScheduling(request: AdmissionRequest, spec: JsonObject, scheduling: JsonObject): void {
  const selector = { ...asObject(spec.nodeSelector) };
  for (const [key, value] of Object.entries(asObject(scheduling.nodeSelector))) {
    const own = selector[key];
    if (own !== undefined && own !== value) {
      const [theirs, ours] = [`runtimeClass.scheduling.nodeSelector[${key}]`, `pod.spec.nodeSelector[${key}]`];
      throw refusal(request, `conflict: ${theirs} = ${value}; ${ours} = ${own}`);
    }
    selector[key] = value;
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  const tolerations = items(spec.tolerations);
  const added = items(scheduling.tolerations).filter((one) => !tolerations.some((other) => jsonEqual(one, other)));
  if (added.length > 0) spec.tolerations = [...tolerations, ...added];
}
