import type { DiscoveredGroup, DiscoveredResource, DiscoveredVersion } from './discovered-resource.ts';

interface GroupList {
  groups?: Array<{
    name?: string;
    versions?: Array<{ version: string }> | null;
    preferredVersion?: { version?: string };
  }> | null;
}

interface ResourceList {
  resources?: Array<{
    name: string;
    kind: string;
    namespaced?: boolean;
    singularName?: string;
    verbs?: string[] | null;
    shortNames?: string[] | null;
    categories?: string[] | null;
  }> | null;
}

type GetJson = (path: string) => Promise<unknown>;

/** The core group from `/api` (an `APIVersions`), with one document for each version. */
export async function legacyCoreGroup(document: unknown, get: GetJson): Promise<DiscoveredGroup[]> {
  const versions = (document as { versions?: string[] | null } | null)?.versions ?? [];
  if (versions.length === 0) return [];
  return [{ group: '', versions: await Promise.all(versions.map((version) => fetchVersion('', version, get))) }];
}

/** The groups of `/apis` (an `APIGroupList`), with one document for each version of each. */
export async function legacyGroups(document: unknown, get: GetJson): Promise<DiscoveredGroup[]> {
  const groups = (document as GroupList | null)?.groups ?? [];
  return Promise.all(
    groups.map(async ({ name = '', versions, preferredVersion }) => {
      const names = (versions ?? []).map((one) => one.version);
      const preferred = names.filter((version) => version === preferredVersion?.version);
      const ordered = [...preferred, ...names.filter((version) => !preferred.includes(version))];
      return { group: name, versions: await Promise.all(ordered.map((version) => fetchVersion(name, version, get))) };
    }),
  );
}

/** A version that cannot be read fails alone. */
async function fetchVersion(group: string, version: string, get: GetJson): Promise<DiscoveredVersion> {
  try {
    const document = await get(group === '' ? `/api/${version}` : `/apis/${group}/${version}`);
    return { version, resources: parseResources(group, version, (document as ResourceList | null)?.resources ?? []) };
  } catch (failure) {
    return { version, resources: [], failure };
  }
}

function parseResources(
  group: string,
  version: string,
  found: NonNullable<ResourceList['resources']>,
): DiscoveredResource[] {
  return found
    .filter((one) => !one.name.includes('/'))
    .map((one) =>
      Object.freeze({
        group,
        version,
        plural: one.name,
        kind: one.kind,
        namespaced: one.namespaced === true,
        singular: one.singularName || one.kind.toLowerCase(),
        shortNames: one.shortNames ?? [],
        categories: one.categories ?? [],
        verbs: one.verbs ?? [],
        subresources: found
          .filter((other) => other.name.startsWith(`${one.name}/`))
          .map((other) => other.name.slice(one.name.length + 1)),
      }),
    );
}
