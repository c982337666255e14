import { accessorsFile } from './accessors-file.ts';
import { addApiFiles } from './api-files.ts';
import { defaultRoleTable } from './default-roles.ts';
import { FieldFacts } from './field-facts.ts';
import { reachableTypes } from './packages.ts';
import { resourceTable } from './resource-table.ts';
import type { Output, Sources } from './sources.ts';
import { typeSchemaTable } from './type-schema-table.ts';

/** Types without resources: what every group version shares, and what admission webhooks are sent. */
const TYPES_ONLY = ['meta.k8s.io/v1', 'admission.k8s.io/v1'];

/** The same sources give the same output, to the byte. */
export function makeOutput({ go, schemas, resources, roles }: Sources): Output {
  const served = new Set([...resources.map(({ group, version }) => `${group}/${version}`), ...TYPES_ONLY]);
  const types = reachableTypes(go, served);
  const strings = new Map(go.strings.map((entry) => [entry.name, entry]));
  const kinds = go.kinds.filter(({ group, version }) => served.has(`${group}/${version}`));
  const facts = new FieldFacts(types, schemas);
  const output: Output = new Map();
  addApiFiles(output, types, strings, facts, resources);
  output.set('accessors.ts', accessorsFile(resources));
  output.set('tables/default-roles.ts', defaultRoleTable(roles));
  output.set('tables/resources.ts', resourceTable(resources));
  output.set('tables/type-schemas.ts', typeSchemaTable(types, facts, kinds));
  return output;
}
