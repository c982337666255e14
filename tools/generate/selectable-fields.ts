import { resourcePath } from '../../src/api/resource.ts';
import type { Ask } from './discovery.ts';
import type { DiscoveredResource, GoType } from './sources.ts';

/** Names that servers have accepted though no field, or no scalar, of the type is called so. */
const ODDITIES = [
  'reportingComponent',
  'source',
  'spec.hostNetwork',
  'status.podIP',
  'status.podIPs',
  'status.replicas',
  'status.successful',
];

const DEPTH = 3;
const PARALLEL = 8;

/**
 * What `fieldSelector` accepts for a resource, found by asking: the server refuses a name that it does not know. Tried are
 * all dotted paths to scalars down to the third level. `metadata.name` and `metadata.namespace` work everywhere.
 */
export async function probeSelectableFields(
  ask: Ask,
  resource: DiscoveredResource,
  types: ReadonlyMap<string, GoType>,
  schema: string,
): Promise<string[]> {
  if (!resource.verbs.includes('list')) return [];
  const candidates = [...new Set([...scalarPaths(types, schema, DEPTH), ...ODDITIES])]
    .filter((path) => path !== 'metadata.name' && path !== 'metadata.namespace')
    .sort();
  const accepted: string[] = [];
  const workers = Array.from({ length: PARALLEL }, async () => {
    for (let path = candidates.pop(); path !== undefined; path = candidates.pop()) {
      if (await isAccepted(ask, resource, path)) accepted.push(path);
    }
  });
  await Promise.all(workers);
  return accepted.sort();
}

async function isAccepted(ask: Ask, resource: DiscoveredResource, path: string): Promise<boolean> {
  const query = new URLSearchParams({ fieldSelector: `${path}=x`, limit: '1' });
  const { status, body } = await ask(`${resourcePath(resource)}?${query}`);
  if (status === 200) return true;
  if (status === 400) return false;
  throw new Error(`${resource.plural} with the field selector ${path}=x answered ${status}: ${body.slice(0, 200)}`);
}

function scalarPaths(types: ReadonlyMap<string, GoType>, name: string, depth: number): string[] {
  const type = types.get(name);
  if (!type || depth === 0) return [];
  return type.fields.flatMap((field) => {
    if (field.inline) return scalarPaths(types, field.type, depth);
    if (field.shape !== 'one') return [];
    if (!types.has(field.type)) return [field.json];
    return scalarPaths(types, field.type, depth - 1).map((path) => `${field.json}.${path}`);
  });
}
