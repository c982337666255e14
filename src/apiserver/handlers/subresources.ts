import type { Api } from '../api.ts';
import { handleKubelet } from '../kubelet/kubelet-handler.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { methodNotAllowed, unknownPath } from '../request/status-error.ts';
import { finish } from '../storage/steps.ts';
import { connectAdmission } from './connect-admission.ts';
import { handlePatch } from './patch-handler.ts';
import { handleBinding, handleEviction } from './pod-actions.ts';
import { handleGet } from './read-handlers.ts';
import { handleScale } from './scale.ts';
import { handleTokenRequest } from './token-request.ts';
import { handleUpdate } from './write-handlers.ts';

type Handler = (api: Api, scope: ResourceScope) => ServerResponse | Promise<ServerResponse>;

/** Subresources that stream to or from a kubelet. */
const KUBELET = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

const OWN_KINDS = new Map<string, Handler>([
  ['scale', handleScale],
  ['binding', handleBinding],
  ['eviction', handleEviction],
  ['token', handleTokenRequest],
]);

/** The others read and write the object itself, each by its own rules for what may change. */
const BY_VERB = new Map<string, Handler>([
  ['get', handleGet],
  ['update', handleUpdate],
  ['patch', handlePatch],
]);

export async function handleSubresource(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, info } = scope;
  const subresource = resource.subresource(info.subresource);
  if (!subresource) throw unknownPath();
  if (!subresource.verbs.includes(info.verb)) throw methodNotAllowed();
  if (KUBELET.has(info.subresource)) {
    await finish(connectAdmission(api, scope));
    return handleKubelet(api, scope);
  }
  const handler = OWN_KINDS.get(info.subresource) ?? BY_VERB.get(info.verb);
  if (!handler) throw methodNotAllowed();
  return handler(api, scope);
}
