import type { Status } from '../../api/status.ts';
import { TimeSlice } from '../../observe/scheduler.ts';
import type { Api } from '../api.ts';
import { inputFormat, parseFields } from '../request/body.ts';
import { type DeleteOptions, deleteOptionsFrom, deleteOptionsObject } from '../request/delete-options.ts';
import { parseListOptions } from '../request/list-parameters.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { badRequest, StatusError } from '../request/status-error.ts';
import { type Deletion, ObjectDeleter } from '../storage/object-deleter.ts';
import { finish } from '../storage/steps.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { JsonObject } from '../values/json.ts';
import { listObjects } from './list.ts';
import { documentResponse, listResponse, objectResponse } from './object-response.ts';
import { writeOptions } from './write-handlers.ts';

export async function handleDelete(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, info, output } = scope;
  const options = readOptions(scope);
  const { object, deleted } = await deleteOne(api, scope, info.name, options);
  const code = !deleted && options.orphanDependents === false ? 202 : 200;
  if (!deleted || resource.strategy.returnDeletedObject) return objectResponse(code, resource, object, output);
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: object.name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      uid: object.uid,
    },
  };
  return documentResponse(code, Buffer.from(JSON.stringify(status)), output);
}

export async function handleDeleteCollection(api: Api, scope: ResourceScope): Promise<ServerResponse> {
  const { resource, request, faults, namespace } = scope;
  const listOptions = parseListOptions(request.query, false, resource);
  const options = readOptions(scope);
  const result = await listObjects(api, { resource, namespace, options: listOptions, signal: request.signal, faults });
  const slice = new TimeSlice(api.clock);
  const deleted: StoredObject[] = [];
  for (const item of result.items) {
    if (slice.isDue()) await slice.pause();
    try {
      await deleteOne(api, { ...scope, namespace: item.namespace }, item.name, options, true);
      deleted.push(item);
    } catch (error) {
      if (!(error instanceof StatusError) || error.status.code !== 404) throw error;
    }
  }
  return listResponse(api, resource, { ...result, items: deleted }, scope.output);
}

function deleteOne(
  api: Api,
  scope: ResourceScope,
  name: string,
  options: DeleteOptions,
  unnamed = false,
): Deletion | Promise<Deletion> {
  const write = { ...writeOptions(scope, options), asked: deleteOptionsObject(options), unnamed };
  return finish(new ObjectDeleter(api).deletion(scope.resource, name, options, write));
}

/** A body wins over the query. */
function readOptions({ request }: ResourceScope): DeleteOptions {
  if (request.body.length === 0) return deleteOptionsFrom(undefined, request.query);
  const format = inputFormat(request.headers['content-type']);
  let body: JsonObject;
  try {
    body = parseFields(request.body, format).object;
  } catch (error) {
    if (error instanceof StatusError) throw error;
    throw badRequest(error instanceof Error ? error.message : String(error));
  }
  return deleteOptionsFrom(body, request.query);
}
