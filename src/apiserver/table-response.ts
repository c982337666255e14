import type { Api } from './api.ts';
import { objectResponse } from './object-response.ts';
import { type Representation, wholeObjects } from './representation.ts';
import type { ServerResponse } from './request.ts';
import type { ResourceScope } from './resource-scope.ts';
import { statusError } from './status-error.ts';
import type { StoredObject } from './stored-object.ts';

export interface TableMetadata {
  readonly resourceVersion: string;
  readonly continueToken?: string;
  readonly remainingItemCount?: number | undefined;
}

/** Objects as a `meta.k8s.io` Table. */
export function tableResponse(
  _api: Api,
  scope: ResourceScope,
  items: readonly StoredObject[],
  _metadata: TableMetadata,
  status = 200,
): ServerResponse {
  const [only] = items;
  if (only && items.length === 1) return objectResponse(status, scope.resource, only, scope.output);
  throw statusError(406, 'NotAcceptable', 'tables are not served yet');
}

export function tableRepresentation(_api: Api, scope: ResourceScope): Representation {
  return wholeObjects(scope.resource);
}
