import type { Api } from '../api.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import { admissionRequest, ObjectWriter } from '../storage/object-writer.ts';
import type { Steps } from '../storage/steps.ts';
import type { JsonObject } from '../values/json.ts';
import { writeOptions } from './write-handlers.ts';

const FLAGS = new Set(['stdin', 'stdout', 'stderr', 'tty']);

/** Plugins are asked before a client is connected to a pod. What they are shown are the options of the connection. */
export function* connectAdmission(api: Api, scope: ResourceScope): Steps<void> {
  const { resource, info, request } = scope;
  const admission = api.admission.active(resource);
  const kind = resource.subresource(info.subresource)?.kind;
  if (!admission || kind === undefined || info.subresource === 'log') return;
  const object: JsonObject = { kind, apiVersion: resource.apiVersion, ...connectOptions(request.query) };
  const context = new ObjectWriter(api).context(writeOptions(scope, { dryRun: false }));
  const asked = { ...admissionRequest(resource, 'CONNECT', { name: info.name, object }, context), objectKind: kind };
  yield* admission.mutate(asked);
  yield* admission.validate(asked);
}

function connectOptions(query: URLSearchParams): JsonObject {
  const options: JsonObject = {};
  for (const [name, value] of query) {
    if (FLAGS.has(name)) options[name] = value === 'true' || value === '1';
    else if (name === 'command') options[name] = query.getAll(name);
    else if (name === 'ports') options[name] = query.getAll(name).flatMap((text) => text.split(',').map(Number));
    else options[name] = value;
  }
  return options;
}
