import { ApiError } from '../api/api-error.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { apiVersionOf, type Resource } from '../api/resource.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Reconcile, Recorder } from './controller.ts';
import type { Declaration } from './controller-definition.ts';

/** A named part of `/healthz` or `/readyz`. */
export interface Check {
  name: string;
  ok: boolean;
  message?: string;
}

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

/** The parts that a manager puts together and that are useful on their own. */
export interface ControllerHelpers {
  setControllerReference<T extends KubernetesObject>(owner: KubernetesObject, ownerResource: Resource, object: T): T;
  withFinalizer(
    name: string,
    cleanup: Reconcile<KubernetesObject>,
    reconcile: Reconcile<KubernetesObject>,
    resource: Resource,
  ): Reconcile<KubernetesObject>;
  newRecorder(options: {
    cluster: Cluster;
    controller: string;
    clock: Clock;
    logger: Logger;
    random?: () => number;
  }): Recorder & { stop(): Promise<void> };
  newHealthServer(options: {
    port: number;
    host?: string;
    healthz: () => readonly Check[];
    readyz: () => readonly Check[];
    metrics?: Metrics;
    logger: Logger;
  }): { start(): Promise<void>; stop(): Promise<void>; readonly port: number };
  rbacRules(declarations: readonly Declaration[]): PolicyRule[];
}

/** Stand-ins, to be replaced by the real ones where they are wired. */
export const controllerHelpers: ControllerHelpers = {
  setControllerReference(owner, ownerResource, object) {
    const { name = '', uid = '', namespace } = owner.metadata ?? {};
    const references = object.metadata?.ownerReferences ?? [];
    const other = references.find((reference) => reference.controller && reference.uid !== uid);
    if (other) {
      throw new TypeError(
        `${ownerResource.kind} ${name} cannot become the controller of ${object.metadata?.name}, because ${other.kind} ${other.name} controls it already.`,
      );
    }
    const reference = {
      apiVersion: apiVersionOf(ownerResource),
      kind: ownerResource.kind,
      name,
      uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    const ownerReferences = [...references.filter((one) => one.uid !== uid), reference];
    return {
      ...object,
      metadata: { ...(namespace !== undefined && { namespace }), ...object.metadata, ownerReferences },
    };
  },
  withFinalizer: (name, cleanup, reconcile, resource) => async (context) => {
    const { object } = context;
    if (!object) return reconcile(context);
    const { finalizers = [], resourceVersion, deletionTimestamp } = object.metadata;
    const patch = (wanted: readonly string[]) =>
      context
        .client(resource)
        .patch(context.name, { metadata: { finalizers: wanted, resourceVersion } })
        .catch((error: unknown) => {
          if (!(error instanceof ApiError && error.kind === 'not-found')) throw error;
        });
    if (deletionTimestamp === undefined) {
      if (!finalizers.includes(name)) await patch([...finalizers, name]);
      return reconcile(context);
    }
    if (!finalizers.includes(name)) return undefined;
    const result = await cleanup(context);
    await patch(finalizers.filter((one) => one !== name));
    return result;
  },
  newRecorder: () => ({ record: () => {}, stop: async () => {} }),
  newHealthServer: () => {
    throw new TidewatchError('misuse', 'health: the server is not wired yet.');
  },
  rbacRules: (declarations) =>
    declarations.map(({ resource, verbs = ['get', 'list', 'watch'] }) => ({
      apiGroups: [resource.group],
      resources: [resource.plural],
      verbs: [...verbs],
    })),
};
