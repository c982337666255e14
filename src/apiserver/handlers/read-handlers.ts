import type { Api } from '../api.ts';
import { parseListOptions, parseResourceVersion } from '../request/list-parameters.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { badRequest, notFound } from '../request/status-error.ts';
import { keyFor } from '../storage/object-writer.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { listMetadata, listObjects, untilFresh } from './list.ts';
import { listResponse, objectResponse } from './object-response.ts';
import { metadataOnly, type Representation, wholeObjects } from './representation.ts';
import { tableRepresentation, tableResponse } from './table-response.ts';
import { openWatch } from './watch-handler.ts';

export async function handleGet(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const stored = await readObject(api, scope);
  const { resource, output } = scope;
  if (output.accepted.transform === 'Table')
    return tableResponse(api, scope, [stored], { resourceVersion: String(stored.revision) });
  return objectResponse(200, resource, stored, output);
}

/** Reads the object that the path names. Throws 404. */
export async function readObject(api: Api, scope: ResourceScope): Promise<StoredObject> {
  const { resource, request, info, faults } = scope;
  const wanted = parseResourceVersion(request.query.get('resourceVersion') ?? '', 'get');
  await untilFresh(api, resource, wanted, request.signal);
  const key = keyFor(scope.namespace, info.name);
  const { stale } = faults;
  if (stale) {
    const revision = 'revision' in stale ? stale.revision : api.store.revision - stale.behind;
    const found = api.store.snapshot(resource.table, revision, key, key).find((object) => object.key === key);
    if (!found) throw notFound(resource, info.name);
    return resource.shown ? resource.shown.fresh(found) : found;
  }
  const stored = resource.table.objects.get(key);
  if (!stored) throw notFound(resource, info.name);
  return resource.shown ? resource.shown.fresh(stored) : stored;
}

export async function handleList(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, request, faults, output } = scope;
  const options = parseListOptions(request.query, false, resource);
  const result = await listObjects(api, {
    resource,
    namespace: scope.namespace,
    options,
    signal: request.signal,
    faults,
  });
  if (output.accepted.transform === 'Table') return tableResponse(api, scope, result.items, listMetadata(result));
  return listResponse(api, resource, result, output);
}

export async function handleWatch(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, request, info, faults } = scope;
  const options = parseListOptions(request.query, true, resource);
  const selectedName = options.fields.exactValue('metadata.name');
  if (info.name !== '' && !options.fields.matchesEverything && selectedName !== info.name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  const representation = representationFor(api, scope);
  const stream = await openWatch(api, {
    resource,
    namespace: scope.namespace,
    name: info.name,
    options,
    representation,
    signal: request.signal,
    faults,
  });
  return { status: 200, headers: [['content-type', representation.contentType]], body: stream, streaming: true };
}

function representationFor(api: Api, scope: ResourceScope): Representation {
  const { accepted } = scope.output;
  switch (accepted.transform) {
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return metadataOnly(accepted);
    case 'Table':
      return tableRepresentation(api, scope);
    default:
      return wholeObjects(scope.resource, accepted);
  }
}
