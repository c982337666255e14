import { objectKey } from '../api/key.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Resource } from '../api/resource.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import type { TransportRequest } from '../api/transport.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';

type Informer = SharedIndexInformer<KubernetesObject>;

/** What a run has written: the state of one object that a cache has to reach. */
export interface OwnWrite {
  readonly informer: Informer;
  readonly key: string;
  /** "" when it is not known. */
  readonly resourceVersion: string;
  /** "" when it is not known. */
  readonly uid: string;
  /** The object has gone, is going, or has left what the cache selects: that uid may be missing. */
  readonly mayBeGone: boolean;
}

/** Whether the cache holds the write, or something newer. */
export function isHeld({ informer: { table }, key, resourceVersion, uid, mayBeGone }: OwnWrite): boolean {
  const held = table.get(key);
  if (held && reaches(held.resourceVersion, resourceVersion)) return true;
  if (mayBeGone && (held === undefined || (uid !== '' && held.uid !== uid))) return true;
  return reaches(table.resourceVersion, resourceVersion);
}

function reaches(version: string, wanted: string): boolean {
  return wanted !== '' && (compareResourceVersions(version, wanted) ?? -1) >= 0;
}

/** What the answer to a write says about the object; undefined when it does not. */
export interface WrittenObject {
  readonly object: KubernetesObject;
  readonly isDeletion: boolean;
}

/** The objects that a request has written, by the server's answer. Undefined: that cannot be read from the answer. */
export function writtenObjects(
  resource: Resource,
  request: TransportRequest,
  answer: unknown,
): readonly WrittenObject[] | undefined {
  if (isDryRun(request) || typeof answer !== 'object' || answer === null) return [];
  const isDeletion = request.method === 'DELETE';
  const { kind, items, details, metadata } = answer as KubernetesObject & {
    items?: KubernetesObject[];
    details?: { name?: string; uid?: string };
  };
  if (isDeletion && Array.isArray(items)) return items.map((object) => ({ object, isDeletion }));
  if (kind !== 'Status') {
    // A subresource may answer with another kind, which carries the name and the version of the object.
    return metadata?.resourceVersion ? [{ object: answer as KubernetesObject, isDeletion }] : [];
  }
  if (!isDeletion) return [];
  if (!details?.name) return undefined;
  const namespace = namespaceOf(resource, request);
  return [{ object: { metadata: { name: details.name, uid: details.uid ?? '', namespace } }, isDeletion }];
}

/** The key of the object that a request names; undefined for a collection. */
export function requestedKey(resource: Resource, request: TransportRequest): string | undefined {
  const [, name] = request.path.split(`/${resource.plural}/`);
  if (!name) return bodyName(resource, request);
  return objectKey(namespaceOf(resource, request), decodeURIComponent(name.split('/')[0] ?? ''));
}

export function namespaceOf({ namespaced }: Resource, { path }: TransportRequest): string {
  return namespaced ? decodeURIComponent(/\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? '') : '';
}

/** Of a create: the body has the name, unless the server makes one. */
function bodyName(resource: Resource, request: TransportRequest): string | undefined {
  if (request.method !== 'POST' || typeof request.body !== 'string') return undefined;
  try {
    const { metadata } = JSON.parse(request.body) as KubernetesObject;
    return metadata?.name ? objectKey(namespaceOf(resource, request), metadata.name) : undefined;
  } catch {
    return undefined;
  }
}

function isDryRun({ query = '', body }: TransportRequest): boolean {
  return new URLSearchParams(query).has('dryRun') || (typeof body === 'string' && body.includes('"dryRun":["All"]'));
}
