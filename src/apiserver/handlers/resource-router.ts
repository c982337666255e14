import type { Api } from '../api.ts';
import { negotiate } from '../request/negotiation.ts';
import type { RequestContext, ServerResponse } from '../request/request.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { methodNotAllowed, unknownPath } from '../request/status-error.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import { handleReview, isReview } from './access-reviews.ts';
import { handleDelete, handleDeleteCollection } from './delete-handlers.ts';
import { handlePatch } from './patch-handler.ts';
import { handleBinding } from './pod-actions.ts';
import { handleGet, handleList, handleWatch } from './read-handlers.ts';
import { handleSubresource } from './subresources.ts';
import { handleCreate, handleUpdate } from './write-handlers.ts';

type Handler = (api: Api, scope: ResourceScope) => ServerResponse | Promise<ServerResponse>;

const HANDLERS = new Map<string, Handler>([
  ['get', handleGet],
  ['list', handleList],
  ['watch', handleWatch],
  ['create', handleCreate],
  ['update', handleUpdate],
  ['patch', handlePatch],
  ['delete', handleDelete],
  ['deletecollection', handleDeleteCollection],
]);

const DEPRECATIONS = new Map([
  ['componentstatuses.', 'v1 ComponentStatus is deprecated in v1.19+'],
  ['endpoints.', 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
]);

/** Verbs of requests to a collection; the others need a name. */
const COLLECTION_VERBS = new Set(['list', 'watch', 'create', 'deletecollection']);

/** Answers a request to a resource: finds it, judges path and verb, and hands it to the handler of the verb. */
export async function routeResource(api: Api, context: RequestContext, info: RequestInfo): Promise<ServerResponse> {
  const resource = api.registry.find(info.group, info.version, info.resource);
  if (!resource) throw unknownPath();
  const namespace = objectNamespace(resource, info);
  const scope: ResourceScope = {
    ...context,
    info,
    resource,
    namespace,
    output: {
      accepted: negotiate(context.request.headers.accept, {
        watch: info.verb === 'watch',
        tables: hasTable(resource, info),
        protobuf: !resource.init.custom,
      }),
      pretty: wantsPretty(context),
    },
  };
  const deprecation = resource.init.warning ?? DEPRECATIONS.get(`${info.resource}.${info.group}`);
  if (deprecation !== undefined) scope.warnings.push(deprecation);
  if (info.subresource !== '') return handleSubresource(api, scope);
  const handler = HANDLERS.get(info.verb);
  if (!handler || !resource.init.verbs.includes(info.verb)) throw methodNotAllowed();
  const named = info.name !== '';
  if (named === COLLECTION_VERBS.has(info.verb) && info.verb !== 'watch') throw methodNotAllowed();
  if (info.verb === 'create' && isReview(info.resource)) return handleReview(api, scope);
  if (info.verb === 'create' && info.resource === 'bindings') return handleBinding(api, scope);
  return handler(api, scope);
}

/** Kinds that are only ever sent, as questions or orders, have no columns to show. */
function hasTable(resource: ServedResource, { subresource }: RequestInfo): boolean {
  const verbs = subresource === '' ? resource.init.verbs : (resource.subresource(subresource)?.verbs ?? []);
  return verbs.length !== 1 || verbs[0] !== 'create';
}

/** Throws when the path and the scope of the resource do not fit, as the routes of the real server would. */
function objectNamespace(resource: ServedResource, info: RequestInfo): string {
  if (!resource.namespaced) {
    const own = info.resource === 'namespaces' && info.group === '' && info.namespace === info.name;
    if (info.namespace !== '' && !own) throw unknownPath();
    return '';
  }
  if (info.namespace === '') {
    if (info.name !== '') throw unknownPath();
    if (info.verb !== 'list' && info.verb !== 'watch') throw methodNotAllowed();
  }
  return info.namespace;
}

function wantsPretty({ request }: RequestContext): boolean {
  const asked = request.query.get('pretty');
  if (asked !== null && asked !== '') return ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(asked);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '');
}
