import { ApiError } from '../api/api-error.ts';
import { splitMetaNamespaceKey } from '../api/key.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { ControllerCaches } from './controller-caches.ts';
import type { Doubt, OwnWrites } from './own-writes.ts';

export interface DoubtsOptions {
  cluster: Cluster;
  caches: ControllerCaches;
  ownWrites: OwnWrites;
  signal: AbortSignal;
}

/**
 * Finds out what became of the writes of a key whose answer was lost, by asking the server, so that the caches can be waited for. Rejects
 * when the server does not answer; the doubts stay then.
 */
export async function settleDoubts(key: string, options: DoubtsOptions): Promise<void> {
  const doubts = options.ownWrites.takeDoubts(key);
  for (const [index, doubt] of doubts.entries()) {
    try {
      await settle(key, doubt, options);
    } catch (error) {
      for (const left of doubts.slice(index)) options.ownWrites.putBack(key, left);
      throw error;
    }
  }
}

async function settle(key: string, doubt: Doubt, { cluster, caches, ownWrites, signal }: DoubtsOptions): Promise<void> {
  const { resource, namespace: asked } = doubt;
  const client = cluster.client(resource);
  const cached = caches.informersOf(resource).flatMap(({ table }) => table.values());
  const present = new Set<string>();
  const objects: KubernetesObject[] = [];
  let isMeant = (_object: (typeof cached)[number]) => true;
  if (doubt.key === undefined) {
    const list = await client.listAll({ namespace: asked, signal });
    objects.push(...list.items);
    isMeant = (object) => asked === '' || object.namespace === asked;
  } else {
    const { name } = splitMetaNamespaceKey(doubt.key);
    objects.push(...(await client.get(name, { namespace: asked, signal }).then((object) => [object], noneWhenMissing)));
    isMeant = (object) => object.key === doubt.key;
  }
  for (const object of objects) {
    present.add(object.metadata?.uid ?? '');
    ownWrites.seen(key, resource, object);
  }
  for (const object of cached) {
    if (!isMeant(object) || present.has(object.uid)) continue;
    const { name, namespace, uid } = object;
    ownWrites.seen(key, resource, { metadata: { name, namespace, uid } }, true);
  }
}

function noneWhenMissing(error: unknown): KubernetesObject[] {
  if (error instanceof ApiError && error.kind === 'not-found') return [];
  throw error;
}
