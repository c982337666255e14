import { schemaOfKind } from '../../generated/type-schemas.ts';
import { listSchema, objectSchema } from './api-operations.ts';
import type { OpenApiResource } from './open-api-resource.ts';
import type { GroupVersionKindName } from './type-definitions.ts';

/** Which schemas are those of kinds: of the resources, of their lists, and of what their subresources take. */
export function kindNames(resources: readonly OpenApiResource[]): Map<string, GroupVersionKindName[]> {
  const kinds = new Map<string, GroupVersionKindName[]>();
  const add = (schema: string | undefined, { group, version, kind }: GroupVersionKindName) => {
    if (schema === undefined) return;
    const known = kinds.get(schema) ?? [];
    const isKnown = known.some((one) => one.group === group && one.version === version && one.kind === kind);
    if (!isKnown) kinds.set(schema, [...known, { group, kind, version }]);
  };
  for (const resource of resources) {
    add(objectSchema(resource), resource);
    if (resource.verbs.includes('list')) add(listSchema(resource), { ...resource, kind: resource.listKind });
    for (const { group, version, kind } of resource.subresources) {
      if (kind !== resource.kind && !kind.endsWith('Options'))
        add(schemaOfKind(group, version, kind), { group, version, kind });
    }
  }
  for (const kind of ['DeleteOptions', 'Status', 'WatchEvent', 'APIResourceList']) {
    add(schemaOfKind('', 'v1', kind), { group: '', version: 'v1', kind });
  }
  return kinds;
}
