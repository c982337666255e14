import type { SubresourceDescription } from '../../api/type-schema.ts';
import type { JsonObject } from '../values/json.ts';

/** What a description of the API needs to know of a resource in one version. */
export interface OpenApiResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly SubresourceDescription[];
  /** The name of the `TypeSchema` of its objects; empty for a custom resource. */
  readonly schema: string;
  /** `openAPIV3Schema` of its definition; set for a custom resource. */
  readonly customSchema?: JsonObject | undefined;
  /** What fields of a custom resource can be selected by: `spec.colour`. */
  readonly selectableFields?: readonly string[] | undefined;
}

/** `rbacAuthorization`, `core`, `stableExampleCom`: how operations name a group. */
export function groupName(group: string): string {
  if (group === '') return 'core';
  const [first = '', ...rest] = group.replace(/\.k8s\.io$/, '').split(/[.-]/);
  return first + rest.map(capitalize).join('');
}

export function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The name of a custom resource's schema: its group turned round, as `com.example.stable.v1.CronTab`. */
export function customSchemaName(resource: Pick<OpenApiResource, 'group' | 'version'>, kind: string): string {
  return `${resource.group.split('.').reverse().join('.')}.${resource.version}.${kind}`;
}

/** `api/v1` or `apis/apps/v1`. */
export function groupVersionPath(group: string, version: string): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}
