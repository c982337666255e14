import type { ResourceDescription } from '../../src/api/type-schema.ts';
import { HEADER } from './sources.ts';

/** `accessors.ts`: what a factory offers by name. Resources that cannot be listed have no place there. */
export function accessorsFile(resources: readonly ResourceDescription[]): string {
  const groups = new Map<string, Map<string, ResourceDescription[]>>();
  for (const resource of [...resources].sort(byAccessor)) {
    if (!resource.verbs.includes('list')) continue;
    const versions = groups.get(resource.groupAccessor) ?? new Map<string, ResourceDescription[]>();
    groups.set(resource.groupAccessor, versions);
    versions.set(resource.version, [...(versions.get(resource.version) ?? []), resource]);
  }
  const imports: string[] = [];
  const members: string[] = [];
  for (const [group, versions] of groups) {
    members.push(`  ${group}: {\n`);
    for (const [version, list] of versions) {
      const alias = `${group}_${version}`;
      imports.push(`import type * as ${alias} from './api/${group}/${version}.ts';\n`);
      members.push(`    ${version}: {\n`);
      for (const { accessor, kind } of list) members.push(`      ${accessor}: ${alias}.${kind};\n`);
      members.push('    };\n');
    }
    members.push('  };\n');
  }
  return [HEADER, ...imports, '\nexport interface BuiltinGroups {\n', ...members, '}\n'].join('');
}

function byAccessor(a: ResourceDescription, b: ResourceDescription): number {
  const [left, right] = [a, b].map(({ groupAccessor, version, accessor }) => `${groupAccessor} ${version} ${accessor}`);
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
