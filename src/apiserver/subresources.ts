import type { Api } from './api.ts';
import { handlePatch } from './patch-handler.ts';
import { handleGet } from './read-handlers.ts';
import type { ServerResponse } from './request.ts';
import type { ResourceScope } from './resource-scope.ts';
import { methodNotAllowed, statusError, unknownPath } from './status-error.ts';
import { handleUpdate } from './write-handlers.ts';

/** Subresources that stream to or from a kubelet, which this server does not have. */
const KUBELET = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

export async function handleSubresource(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, info } = scope;
  const subresource = resource.subresource(info.subresource);
  if (!subresource) throw unknownPath();
  if (!subresource.verbs.includes(info.verb)) throw methodNotAllowed();
  if (KUBELET.has(info.subresource)) {
    throw statusError(501, 'NotImplemented', `${info.subresource} needs a node, which this server does not have`);
  }
  switch (info.verb) {
    case 'get':
      return handleGet(api, scope);
    case 'update':
      return handleUpdate(api, scope);
    case 'patch':
      return handlePatch(api, scope);
    default:
      throw methodNotAllowed();
  }
}
