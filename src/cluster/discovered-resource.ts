import type { Resource } from '../api/resource.ts';

/** A resource as the server describes it: a token like any other, only without a TypeScript type of its own. */
export interface DiscoveredResource extends Resource {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** `status`, `scale`, …: their names alone. */
  readonly subresources: readonly string[];
}

/** A group with its versions, the preferred one first. */
export interface DiscoveredGroup {
  /** Empty for the core group. */
  readonly group: string;
  readonly versions: readonly DiscoveredVersion[];
}

export interface DiscoveredVersion {
  readonly version: string;
  readonly resources: readonly DiscoveredResource[];
  /** Why the server could not tell the resources: most often the aggregated API behind it is down. */
  readonly failure?: unknown;
}
