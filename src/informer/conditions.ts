import type { KubernetesObject, Stored } from '../api/metadata.ts';
import type { CustomResourceDefinition } from '../generated/api/apiextensions/v1.ts';
import type { Deployment } from '../generated/api/apps/v1.ts';
import type { Job } from '../generated/api/batch/v1.ts';
import type { Pod } from '../generated/api/core/v1.ts';

interface Conditioned extends KubernetesObject {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] | null };
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: number;
}

/**
 * For `waitUntil`: whether `status.conditions` has this type with status `True`, said of the present generation of the object. Types are
 * compared without regard to case, as `kubectl wait --for=condition=…` does.
 *
 * ```ts
 * await informer.waitUntil('default/web', conditionTrue('Progressing'), { timeoutMs: 60_000 });
 * ```
 */
export function conditionTrue(type: string): <T extends KubernetesObject>(object: T | undefined) => object is T {
  const wanted = type.toLowerCase();
  const isTrue = <T extends KubernetesObject>(object: T | undefined): object is T => {
    const { metadata, status } = (object ?? {}) as Conditioned;
    const found = status?.conditions?.find((condition) => condition.type?.toLowerCase() === wanted);
    if (found?.status !== 'True') return false;
    const seen = found.observedGeneration ?? status?.observedGeneration;
    return seen === undefined || metadata?.generation === undefined || seen >= metadata.generation;
  };
  // What messages call it.
  Object.defineProperty(isTrue, 'name', { value: `condition ${type}` });
  return isTrue;
}

const available = conditionTrue('Available');
const complete = conditionTrue('Complete');
const ready = conditionTrue('Ready');
const established = conditionTrue('Established');

/** For `waitUntil`: the Deployment has enough pods that can be used (`Available`), and its controller has seen the newest spec. */
export function deploymentAvailable(object: Deployment | undefined): object is Stored<Deployment> {
  return available(object as KubernetesObject | undefined);
}

/** For `waitUntil`: the Job has succeeded (`Complete`). One that has failed never does: `conditionTrue('Failed')`. */
export function jobComplete(object: Job | undefined): object is Stored<Job> {
  return complete(object as KubernetesObject | undefined);
}

/** For `waitUntil`: the Pod serves requests (`Ready`). */
export function podReady(object: Pod | undefined): object is Stored<Pod> {
  return ready(object as KubernetesObject | undefined);
}

/** For `waitUntil`: the server serves the custom resource (`Established`). */
export function crdEstablished(
  object: CustomResourceDefinition | undefined,
): object is Stored<CustomResourceDefinition> {
  return established(object as KubernetesObject | undefined);
}

/** For `waitUntil`: there is no such object. One that is on its way out (finalizers, grace period) is still there. */
export function deleted(object: KubernetesObject | undefined): object is undefined {
  return object === undefined;
}
