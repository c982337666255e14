import type { OutputOptions } from '../handlers/object-response.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import type { RequestContext } from './request.ts';
import type { RequestInfo } from './request-info.ts';

/** A request whose resource has been found. */
export interface ResourceScope extends RequestContext {
  readonly info: RequestInfo;
  readonly resource: ServedResource;
  /** Of the objects: empty for cluster-scoped resources (a namespace is not in itself) and for all namespaces. */
  readonly namespace: string;
  readonly output: OutputOptions;
}
