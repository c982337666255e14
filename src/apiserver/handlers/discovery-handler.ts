import { createHash } from 'node:crypto';
import type { SubresourceDescription } from '../../api/type-schema.ts';
import { parseAccept } from '../request/negotiation.ts';
import { bytesResponse, jsonResponse, type ServerResponse } from '../request/request.ts';
import type { ResourceRegistry } from '../storage/resource-registry.ts';
import type { ServedResource } from '../storage/served-resource.ts';
import { plainResponse } from './object-response.ts';

const AGGREGATED = 'APIGroupDiscoveryList';

/** `/api`, `/apis` and everything below them that is not a resource. Undefined for paths that do not exist. */
export class Discovery {
  readonly #registry: ResourceRegistry;
  readonly #address: () => string;

  constructor(registry: ResourceRegistry, address: () => string) {
    this.#registry = registry;
    this.#address = address;
  }

  respond(parts: readonly string[], accept: string | undefined): ServerResponse | undefined {
    const [root, first, second] = parts;
    if (root === undefined) return jsonResponse(200, { paths: this.#paths() });
    if (root === 'api') {
      if (parts.length === 1) return this.#aggregated(accept, [['', ['v1']]]) ?? this.#coreVersions(accept);
      return parts.length === 2 && first ? this.#resources(accept, '', first) : undefined;
    }
    if (root !== 'apis') return undefined;
    const groups = [...this.#registry.groups()].filter(([group]) => group !== '');
    if (parts.length === 1) return this.#aggregated(accept, groups) ?? this.#groupList(accept, groups);
    if (parts.length === 2) {
      const found = groups.find(([group]) => group === first);
      return found && plainResponse(200, { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(...found) }, accept);
    }
    return parts.length === 3 && first && second ? this.#resources(accept, first, second) : undefined;
  }

  /** What stands at `/`. */
  #paths(): string[] {
    const groups = [...this.#registry.groups()].flatMap(([group, versions]) =>
      group === ''
        ? ['/api', ...versions.map((version) => `/api/${version}`)]
        : [`/apis/${group}`, ...versions.map((version) => `/apis/${group}/${version}`)],
    );
    return [...groups, '/apis', '/healthz', '/livez', '/openapi/v2', '/openapi/v3', '/readyz', '/version'].sort();
  }

  #coreVersions(accept: string | undefined): ServerResponse {
    const serverAddressByClientCIDRs = [{ clientCIDR: '0.0.0.0/0', serverAddress: this.#address() }];
    return plainResponse(200, { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs }, accept);
  }

  #groupList(accept: string | undefined, groups: readonly [string, string[]][]): ServerResponse {
    const listed = groups.map(([group, versions]) => groupEntry(group, versions));
    return plainResponse(200, { kind: 'APIGroupList', apiVersion: 'v1', groups: listed }, accept);
  }

  #resources(accept: string | undefined, group: string, version: string): ServerResponse | undefined {
    if (!this.#registry.hasVersion(group, version)) return undefined;
    const resources = this.#registry.inVersion(group, version).toSorted(byName).flatMap(resourceEntries);
    const list = {
      kind: 'APIResourceList',
      ...(group === '' ? {} : { apiVersion: 'v1' }),
      groupVersion: group === '' ? version : `${group}/${version}`,
      resources,
    };
    return plainResponse(200, list, accept);
  }

  /** Everything in one document, when the client prefers that form. */
  #aggregated(accept: string | undefined, groups: readonly [string, readonly string[]][]): ServerResponse | undefined {
    const version = aggregatedVersion(accept);
    if (version === undefined) return undefined;
    const items = groups.map(([group, versions]) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versions.map((name) => ({
        version: name,
        resources: this.#registry.inVersion(group, name).toSorted(byName).map(aggregatedEntry),
        freshness: 'Current',
      })),
    }));
    const document = { kind: AGGREGATED, apiVersion: `apidiscovery.k8s.io/${version}`, metadata: {}, items };
    const body = Buffer.from(`${JSON.stringify(document)}\n`);
    const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=${AGGREGATED}`;
    const etag = `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`;
    const response = bytesResponse(200, body, type);
    return {
      ...response,
      headers: [...response.headers, ['etag', etag], ['vary', 'Accept'], ['cache-control', 'public']],
    };
  }
}

/** The version of the aggregated form that the Accept header ranks above the plain one. */
function aggregatedVersion(accept: string | undefined): string | undefined {
  for (const { type, parameters } of parseAccept(accept ?? '')) {
    if (type !== 'application/json' && type !== '*/*') continue;
    const as = parameters.get('as');
    if (as === undefined) return undefined;
    const version = parameters.get('v');
    const known = version === 'v2' || version === 'v2beta1';
    if (as === AGGREGATED && parameters.get('g') === 'apidiscovery.k8s.io' && known) return version;
  }
  return undefined;
}

function groupEntry(group: string, versions: readonly string[]) {
  const listed = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: listed, preferredVersion: listed[0] };
}

function byName(a: ServedResource, b: ServedResource): number {
  return a.plural < b.plural ? -1 : a.plural > b.plural ? 1 : 0;
}

function resourceEntries(resource: ServedResource): object[] {
  const { init, group, version, kind } = resource;
  const names = {
    ...(init.shortNames.length > 0 ? { shortNames: init.shortNames } : {}),
    ...(init.categories.length > 0 ? { categories: init.categories } : {}),
  };
  const stored = init.verbs.includes('create') && init.verbs.includes('get');
  const own = {
    name: resource.plural,
    singularName: init.singular,
    namespaced: init.namespaced,
    kind,
    verbs: init.verbs,
    ...names,
    ...(stored ? { storageVersionHash: storageVersionHash(group, version, kind) } : {}),
  };
  const subresources = init.subresources.map((subresource) => ({
    name: `${resource.plural}/${subresource.name}`,
    singularName: '',
    namespaced: init.namespaced,
    ...foreignVersion(resource, subresource),
    kind: subresource.kind,
    verbs: subresource.verbs,
  }));
  return [own, ...subresources];
}

function foreignVersion(resource: ServedResource, subresource: SubresourceDescription) {
  if (subresource.group === resource.group && subresource.version === resource.version) return {};
  return { group: subresource.group, version: subresource.version };
}

function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}

function aggregatedEntry(resource: ServedResource): object {
  const { init } = resource;
  const responseKind = { group: '', version: '', kind: resource.kind };
  return {
    resource: resource.plural,
    responseKind: init.custom
      ? { group: resource.group, version: resource.version, kind: resource.kind }
      : responseKind,
    scope: init.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: init.singular,
    verbs: init.verbs,
    ...(init.shortNames.length > 0 ? { shortNames: init.shortNames } : {}),
    ...(init.categories.length > 0 ? { categories: init.categories } : {}),
    ...(init.subresources.length > 0
      ? { subresources: init.subresources.map((subresource) => aggregatedSubresource(resource, subresource)) }
      : {}),
  };
}

function aggregatedSubresource(resource: ServedResource, subresource: SubresourceDescription): object {
  const foreign = foreignVersion(resource, subresource);
  return {
    subresource: subresource.name,
    responseKind: { group: '', version: '', ...foreign, kind: subresource.kind },
    verbs: subresource.verbs,
  };
}
