import { ApiError } from '../api/api-error.ts';
import { aSignal, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import type { ApiRequests } from './api-requests.ts';
import type { DiscoveredGroup, DiscoveredResource } from './discovered-resource.ts';
import { SharedCall } from './shared-call.ts';

/** A version of a group whose resources the server could not tell. */
export interface DiscoveryFailure {
  readonly group: string;
  readonly version: string;
  readonly error: unknown;
}

/** Options of every question to `Discovery`. */
export interface DiscoveryOptions {
  /** Ends the wait for the answer, and its requests when nobody else waits for them. */
  signal?: AbortSignal | undefined;
}

const CHECKS: OptionChecks<DiscoveryOptions> = { signal: aSignal };

/**
 * What the server offers, read once and kept until `invalidate`. A group that fails (an aggregated API that is down)
 * fails alone: it is left out and listed by `failures`.
 */
export class Discovery {
  readonly #requests: ApiRequests;
  #groups: SharedCall<readonly DiscoveredGroup[]> | undefined;

  constructor(options: { requests: ApiRequests }) {
    this.#requests = options.requests;
  }

  /**
   * Finds a resource by plural, singular or short name or by kind (in any case), alone or followed by its group, or by
   * version and group: `po`, `pods`, `Pod`, `deployments.apps`, `deployments.v1.apps`. Without version, the one that
   * the server prefers; without group, the first group that has it, in the server's order. For what is not known the
   * server is asked again, since it may just have been installed; undefined when the server has nothing of that name.
   */
  async find(name: string, options: DiscoveryOptions = {}): Promise<DiscoveredResource | undefined> {
    const known = this.#groups !== undefined;
    const found = match(await this.#load(options), name);
    if (found !== undefined || !known) return found;
    this.invalidate();
    return match(await this.#load(options), name);
  }

  /** Every resource in every version. */
  async resources(options: DiscoveryOptions = {}): Promise<DiscoveredResource[]> {
    const groups = await this.#load(options);
    return groups.flatMap(({ versions }) => versions.flatMap((version) => version.resources));
  }

  /** Every resource once, in its preferred version. */
  async preferredResources(options: DiscoveryOptions = {}): Promise<DiscoveredResource[]> {
    return preferred(await this.#load(options));
  }

  /** The versions of groups that could not be read, and why; what they offer is missing in the other answers. */
  async failures(options: DiscoveryOptions = {}): Promise<DiscoveryFailure[]> {
    const groups = await this.#load(options);
    return groups.flatMap(({ group, versions }) =>
      versions.flatMap(({ version, failure }) => (failure === undefined ? [] : [{ group, version, error: failure }])),
    );
  }

  /** Forgets what it knows; the next question asks the server. */
  invalidate(): void {
    this.#groups = undefined;
  }

  #load(options: DiscoveryOptions): Promise<readonly DiscoveredGroup[]> {
    const { signal } = checkedOptions('discovery', options, CHECKS);
    if (this.#groups === undefined || this.#groups.isAbandoned) this.#groups = this.#start();
    return this.#groups.join(signal);
  }

  #start(): SharedCall<readonly DiscoveredGroup[]> {
    const call = new SharedCall((signal) => this.#fetch(signal));
    // What failed must not be remembered, and what was invalidated meanwhile is not ours to touch.
    call.onFailure(() => {
      if (this.#groups === call) this.#groups = undefined;
    });
    return call;
  }

  async #fetch(signal: AbortSignal): Promise<DiscoveredGroup[]> {
    const [{ DISCOVERY_ACCEPT, parseAggregatedDiscovery }, { legacyCoreGroup, legacyGroups }] = await Promise.all([
      import('./aggregated-discovery.ts'),
      import('./legacy-discovery.ts'),
    ]);
    const [core, named] = await Promise.all([
      this.#document('/api', DISCOVERY_ACCEPT, signal),
      this.#document('/apis', DISCOVERY_ACCEPT, signal),
    ]);
    const headers = { accept: 'application/json' };
    const get = (path: string) => this.#requests.json({ method: 'GET', path, headers, signal });
    const groups = await Promise.all([
      parseAggregatedDiscovery(core) ?? legacyCoreGroup(core, get),
      parseAggregatedDiscovery(named) ?? legacyGroups(named, get),
    ]);
    return groups.flat();
  }

  /** A server may have only one of the two roots. */
  async #document(path: string, accept: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#requests.json({ method: 'GET', path, headers: { accept }, signal });
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw error;
    }
  }
}

function preferred(groups: readonly DiscoveredGroup[]): DiscoveredResource[] {
  return groups.flatMap(({ versions }) => {
    const byPlural = new Map<string, DiscoveredResource>();
    for (const { resources } of versions) {
      for (const resource of resources) if (!byPlural.has(resource.plural)) byPlural.set(resource.plural, resource);
    }
    return [...byPlural.values()];
  });
}

function match(groups: readonly DiscoveredGroup[], name: string): DiscoveredResource | undefined {
  const [own = '', ...rest] = name.split('.');
  if (rest.length === 0) return pick(preferred(groups), own);
  const [version, ...groupParts] = rest;
  // "deployments.v1.apps" and, for the core group, "pods.v1"; a group may also look like "v1.example.com".
  const inGroup = groups.filter((one) => one.group === groupParts.join('.'));
  const inVersion = inGroup.flatMap((one) => one.versions.filter((found) => found.version === version));
  const exact = pick(
    inVersion.flatMap((found) => found.resources),
    own,
  );
  if (exact !== undefined) return exact;
  return pick(preferred(groups.filter((one) => one.group === rest.join('.'))), own);
}

function pick(candidates: readonly DiscoveredResource[], name: string): DiscoveredResource | undefined {
  const lower = name.toLowerCase();
  return (
    candidates.find((one) => one.plural === lower) ??
    candidates.find((one) => one.singular === lower) ??
    candidates.find((one) => one.shortNames.includes(lower)) ??
    candidates.find((one) => one.kind.toLowerCase() === lower)
  );
}
