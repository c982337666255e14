import type { ListMeta } from '../../api/metadata.ts';
import { TimeSlice } from '../../observe/scheduler.ts';
import type { Api } from '../api.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { type MetaApiVersion, parseIncludeObject, type TableRequest, tableRow, toTable } from '../table/table.ts';
import { asString, type JsonObject } from '../values/json.ts';
import { jsonText } from '../values/json-text.ts';
import { documentResponse, streamResponse } from './object-response.ts';
import { inJson, type Representation } from './representation.ts';

type Common = Pick<TableRequest, 'printer' | 'nowMs' | 'includeObject' | 'apiVersion'>;

function common(api: Api, { resource, request, output }: ResourceScope): Common {
  return {
    printer: resource.init.printer,
    nowMs: api.clock.now(),
    includeObject: parseIncludeObject(request.query.get('includeObject')),
    apiVersion: output.accepted.metaVersion as MetaApiVersion,
  };
}

/** Objects as a `meta.k8s.io` Table, row by row. */
export async function tableResponse(
  api: Api,
  scope: ResourceScope,
  items: readonly StoredObject[],
  metadata: ListMeta,
  status = 200,
): Promise<ServerResponse> {
  const request = common(api, scope);
  const { rows, ...table } = toTable({ ...request, objects: [], metadata });
  const start = JSON.stringify(table).slice(0, -1);
  if (items.length === 0) {
    return documentResponse(status, Buffer.from(`${start},"rows":${JSON.stringify(rows)}}`), scope.output);
  }
  const encode = (object: JsonObject) => Buffer.from(jsonText(tableRow(object, request)));
  const frame = { head: `${start},"rows":[`, tail: ']}\n' };
  const { compare } = request.printer;
  if (!compare) {
    const encodeStored = (stored: StoredObject) => encode(scope.resource.decodeStored(stored));
    return streamResponse(api, status, { ...frame, items, encode: encodeStored }, scope.output);
  }
  const slice = new TimeSlice(api.clock);
  const objects: JsonObject[] = [];
  for (const item of items) {
    if (slice.isDue()) await slice.pause();
    objects.push(scope.resource.decodeStored(item));
  }
  objects.sort((x, y) => compare(x, y));
  return streamResponse(api, status, { ...frame, items: objects, encode }, scope.output);
}

/** Each event of a watch is a table of one row; only the first one carries the headings. */
export function tableRepresentation(api: Api, scope: ResourceScope): Representation {
  const request = common(api, scope);
  const { resource } = scope;
  let first = true;
  const write = (object: JsonObject, resourceVersion: string): JsonObject => {
    const nowMs = api.clock.now();
    const table = toTable({ ...request, nowMs, objects: [object], metadata: { resourceVersion }, columns: first });
    first = false;
    return table as unknown as JsonObject;
  };
  return inJson(
    // Headings depend on what this watch has sent before, so its frames are shared with nobody.
    false,
    (stored) => Buffer.from(jsonText(write(resource.decodeStored(stored), String(stored.revision)))),
    (metadata) => {
      const { kind, apiVersion } = resource;
      return write({ kind, apiVersion, metadata, ...resource.init.emptyObject }, asString(metadata.resourceVersion));
    },
  );
}
