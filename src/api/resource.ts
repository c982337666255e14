import type { KubernetesObject } from './metadata.ts';
import { shown } from './option-check.ts';

/** The name of a type of object, as URLs carry it. */
export interface GroupVersionResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural name, as in URLs: `pods`. */
  readonly resource: string;
}

/** The name of a type of object, as objects carry it. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

declare const objectType: unique symbol;
declare const isAnswered: unique symbol;

/**
 * Names a type of object on the server and carries its TypeScript type. Tokens of the built-in types are exported by
 * `tidewatch/api/<group>/<version>`; `defineResource` makes one for a custom resource. Two tokens with the same
 * group, version and plural name mean the same resource.
 */
export interface Resource<T extends KubernetesObject = KubernetesObject> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Phantom: never present at run time. */
  readonly [objectType]?: T;
}

/** The token of the pods: its client can do more than others. */
export type PodResource<T extends KubernetesObject = KubernetesObject> = Resource<T> & {
  readonly group: '';
  readonly plural: 'pods';
};

/** The token of what a server answers and stores nowhere, such as a TokenReview: its client can `create` it, and nothing else. */
export type AnsweredResource<T extends KubernetesObject = KubernetesObject> = Resource<T> & {
  /** Phantom: never present at run time. */
  readonly [isAnswered]: true;
};

/** The type of the objects that a resource token stands for. */
export type ObjectOf<R> = R extends Resource<infer T> ? T : never;

/** What `defineResource` makes a token of. */
export interface ResourceDefinition {
  /** Empty or unset for the core group. */
  group?: string | undefined;
  /** Of the group: `v1`. */
  version: string;
  /** As in URLs: `crontabs`. */
  plural: string;
  /** As in `kind` of the objects: `CronTab`. */
  kind: string;
  /** Default true. */
  namespaced?: boolean | undefined;
}

/**
 * Makes a custom resource a first-class citizen:
 * `const cronTabs = defineResource<CronTab>({ group: 'stable.example.com', version: 'v1', plural: 'crontabs', kind: 'CronTab' })`.
 */
export function defineResource<T extends KubernetesObject = KubernetesObject>(
  definition: ResourceDefinition,
): Resource<T> {
  const { group = '', version, plural, kind, namespaced = true } = definition;
  for (const [field, value] of Object.entries({ version, plural, kind })) {
    if (typeof value !== 'string' || value === '')
      throw new TypeError(`defineResource: ${field} must be a non-empty string`);
  }
  for (const [field, value] of Object.entries({ group, version, plural })) {
    if (!/^[a-z0-9.-]*$/.test(value) || value === '.' || value === '..') {
      throw new TypeError(
        `defineResource: ${field} "${value}" may contain only a-z, 0-9, "." and "-", and not be "." or ".." (it becomes part of a URL)`,
      );
    }
  }
  return Object.freeze({ group, version, plural, kind, namespaced });
}

/** `v1` for the core group, `apps/v1` for others: what objects carry as `apiVersion`. */
export function apiVersionOf(resource: Pick<GroupVersionKind, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** The reverse of `apiVersionOf`. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `a Pod`, `an Event`. */
export function aKind(kind: string): string {
  return `${/^[aeio]/i.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** `pods.v1` or `deployments.v1.apps`: unique for each resource, and what messages call it. */
export function resourceName(resource: Pick<Resource, 'group' | 'version' | 'plural'>): string {
  return resource.group === ''
    ? `${resource.plural}.${resource.version}`
    : `${resource.plural}.${resource.version}.${resource.group}`;
}

export interface ResourcePathOptions {
  /** Ignored for cluster-scoped resources. Unset or empty: all namespaces. */
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
}

/** `/apis/apps/v1/namespaces/default/deployments/web/scale`; each part is escaped. `TypeError` for one that would change the path. */
export function resourcePath(
  resource: Pick<Resource, 'group' | 'version' | 'plural' | 'namespaced'>,
  options: ResourcePathOptions = {},
): string {
  const { group, version, plural } = resource;
  const typeSegment = (part: string) => pathSegment(part, 'part of the name of a resource');
  const parts = group === '' ? ['api'] : ['apis', typeSegment(group)];
  parts.push(typeSegment(version));
  if (resource.namespaced && options.namespace) parts.push('namespaces', checkNamespace(options.namespace));
  parts.push(typeSegment(plural));
  if (options.name !== undefined) parts.push(pathSegment(options.name));
  if (options.subresource !== undefined) parts.push(...options.subresource.split('/').map((part) => pathSegment(part)));
  return `/${parts.map(encodeURIComponent).join('/')}`;
}

/** The namespace, when a namespace can have that name: a DNS label. Otherwise a `TypeError`. */
export function checkNamespace(namespace: string): string {
  if (typeof namespace === 'string' && /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(namespace)) return namespace;
  throw new TypeError(
    `"${namespace}" cannot be the name of a namespace: it must be 1 to 63 characters of a-z, 0-9 and "-", with no "-" at either end`,
  );
}

/** The name, when a path can have it. Otherwise a `TypeError`, for undefined too: a path without a name means all objects. */
export function checkName(name: string): string {
  return pathSegment(name);
}

/** As client-go: what would change the path ("", ".", "..", or with "/" or "%") is refused rather than sent. */
function pathSegment(text: string, what = 'the name of an object'): string {
  if (typeof text !== 'string') throw new TypeError(`${shown(text)} cannot be ${what}: it must be a text`);
  if (text === '' || text === '.' || text === '..' || /[/%]/.test(text)) {
    throw new TypeError(`"${text}" cannot be ${what}: it must not be empty, ".", "..", or contain "/" or "%"`);
  }
  return text;
}
