import { metaNamespaceKey } from '../../api/key.ts';
import type { KubernetesObject } from '../../api/metadata.ts';

/** A sentence for each object in which a cache and the server differ. */
export function differences(cached: readonly KubernetesObject[], served: readonly KubernetesObject[]): string[] {
  const cache = byKey(cached);
  const server = byKey(served);
  return [
    ...[...server].flatMap(([key, version]) => {
      const known = cache.get(key);
      if (known === undefined) return [`${key} is missing from the cache`];
      return known === version ? [] : [`${key} is at version ${version} on the server and at ${known} in the cache`];
    }),
    ...[...cache.keys()]
      .filter((key) => !server.has(key))
      .map((key) => `${key} is in the cache, and gone from the server`),
  ];
}

function byKey(objects: readonly KubernetesObject[]): Map<string, string> {
  return new Map(objects.map((object) => [metaNamespaceKey(object), object.metadata?.resourceVersion ?? '']));
}
