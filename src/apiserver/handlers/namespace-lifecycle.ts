import type { Api } from '../api.ts';
import { notFound, qualified, statusError } from '../request/status-error.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import { getPath } from '../values/json.ts';

const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

/** What the NamespaceLifecycle admission plugin holds: nothing is created in a namespace that is not there, or that is going. */
export function checkNamespace(api: Api, resource: ServedResource, namespace: string, name: string): void {
  if (!resource.namespaced || namespace === '') return;
  const found = api.store.table('namespaces').objects.get(namespace);
  if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  // The cheap look comes first: this is asked before every creation.
  if (!found.metadataBytes().includes('deletionTimestamp')) return;
  if (getPath(found.decode(), 'status', 'phase') !== 'Terminating') return;
  const what = qualified(resource.plural, resource.group);
  const message = `${what} ${JSON.stringify(name)} is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`;
  throw statusError(403, 'Forbidden', message, {
    name,
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  });
}

export function isImmortalNamespace(name: string): boolean {
  return IMMORTAL.has(name);
}
