import type { ResourceDescription, SubresourceDescription } from '../../src/api/type-schema.ts';
import { modelPackage } from './packages.ts';
import { HEADER } from './sources.ts';

/** The file that `src/generated/resources.ts` reads; that one describes the notation. */
export function resourceTable(resources: readonly ResourceDescription[]): string {
  const versions = new Map<string, ResourceDescription[]>();
  for (const resource of resources) {
    const name = `${resource.group}/${resource.version}`;
    versions.set(name, [...(versions.get(name) ?? []), resource]);
  }
  const blocks = [...versions.values()].map((list) => {
    const [first] = list;
    if (!first) return '';
    const head = [first.group, first.version, first.groupAccessor, modelPackage(first.schema)];
    return `  ['${head.join(' ')}', \`${list.map(resourceLine).join('\n')}\`],\n`;
  });
  return `${HEADER}\nexport const resourceVersions: readonly (readonly [head: string, resources: string])[] = [\n${blocks.join('')}];\n`;
}

function resourceLine(resource: ResourceDescription): string {
  const parts = [
    resource.plural,
    resource.singular,
    resource.kind,
    resource.accessor,
    (resource.namespaced ? 'n' : '') + (resource.optIn ? 'o' : ''),
    resource.verbs.join(','),
    resource.shortNames.join(','),
    resource.categories.join(','),
    resource.selectableFields.join(','),
    resource.subresources.map((subresource) => subresourceText(subresource, resource)).join(' '),
  ];
  if (parts.slice(0, -1).some((part) => /[;`\\\s]/.test(part)))
    throw new Error(`${resource.plural} clashes with the notation`);
  return parts.join(';');
}

function subresourceText(subresource: SubresourceDescription, resource: ResourceDescription): string {
  const { name, group, version, kind, verbs } = subresource;
  const own = group === resource.group && version === resource.version;
  return `${name}:${own ? '' : `${group}/${version}`}:${kind}:${verbs.join(',')}`;
}
