import type { ListMeta } from '../../api/metadata.ts';
import type { Api } from '../api.ts';
import type { ServerResponse } from '../request/request.ts';
import type { ResourceScope } from '../request/resource-scope.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { type MetaApiVersion, parseIncludeObject, type TableRequest, tableRow, toTable } from '../table/table.ts';
import type { JsonObject } from '../values/json.ts';
import { jsonText } from '../values/json-text.ts';
import { Slices } from '../values/slices.ts';
import { documentResponse, streamResponse } from './object-response.ts';
import { bookmarkMetadata, type Representation } from './representation.ts';

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
    return streamResponse(status, { ...frame, items, encode: encodeStored }, scope.output);
  }
  const slices = new Slices();
  const objects: JsonObject[] = [];
  for (const item of items) {
    await slices.pause();
    objects.push(scope.resource.decodeStored(item));
  }
  objects.sort((x, y) => compare(x, y));
  return streamResponse(status, { ...frame, items: objects, encode }, scope.output);
}

/** Each event of a watch is a table of one row; only the first one carries the headings. */
export function tableRepresentation(api: Api, scope: ResourceScope): Representation {
  const request = common(api, scope);
  const { resource } = scope;
  let first = true;
  const write = (object: JsonObject, resourceVersion: string): Uint8Array => {
    const nowMs = api.clock.now();
    const table = toTable({ ...request, nowMs, objects: [object], metadata: { resourceVersion }, columns: first });
    first = false;
    return Buffer.from(jsonText(table));
  };
  return {
    // Headings depend on what this watch has sent before, so its frames are shared with nobody.
    key: undefined,
    object: (stored) => write(resource.decodeStored(stored), String(stored.revision)),
    bookmark(revision, initialEventsEnd) {
      const metadata = bookmarkMetadata(revision, initialEventsEnd);
      const type = { kind: resource.kind, apiVersion: resource.apiVersion };
      return write({ ...type, metadata, ...resource.init.emptyObject }, String(revision));
    },
  };
}
