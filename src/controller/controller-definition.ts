import type { Settled } from '../api/defined.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import type { MapToKeys, Predicate, Reconcile, ReconcileOptions } from './controller.ts';
import type { RbacDeclaration } from './rbac.ts';

/** Events that cause runs. */
export interface Trigger {
  readonly role: 'for' | 'owns' | 'watches';
  readonly resource: Resource;
  /** Unset: every event. */
  readonly when: Predicate<KubernetesObject> | undefined;
  /** Of `watches` alone. */
  readonly map: MapToKeys<KubernetesObject> | undefined;
}

/** The verbs of a role, as in RBAC: `create`, `deletecollection`, … */
export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** What a controller says that it does with a resource; its rights follow from that. */
export interface Declaration extends RbacDeclaration {
  readonly resource: Resource;
}

/** What a builder has collected. */
export interface ControllerDefinition {
  readonly name: string;
  readonly resource: Resource;
  readonly triggers: readonly Trigger[];
  readonly declarations: readonly Declaration[];
  readonly sources: readonly AsyncIterable<string>[];
  readonly reconcile: Reconcile<KubernetesObject>;
  readonly options: Settled<Omit<ReconcileOptions, 'timeoutMs'>> & Pick<ReconcileOptions, 'timeoutMs'>;
}

/** What it reads from caches: all that it has declared, but for what it only writes. */
export function cachedResources({ declarations }: ControllerDefinition): readonly Resource[] {
  return declarations.flatMap(({ use, resource }) => (typeof use === 'object' ? [] : [resource]));
}
