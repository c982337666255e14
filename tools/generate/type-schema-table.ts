import type { FieldSchema } from '../../src/api/type-schema.ts';
import { SCALAR_CODES } from '../../src/generated/scalar-codes.ts';
import type { FieldFacts } from './field-facts.ts';
import { modelPackage } from './packages.ts';
import { type GoKind, type GoType, HEADER } from './sources.ts';

/** The file that `src/generated/type-schemas.ts` reads; that one describes the notation. */
export function typeSchemaTable(
  types: ReadonlyMap<string, GoType>,
  facts: FieldFacts,
  kinds: readonly GoKind[],
): string {
  const packages = [...new Set([...types.keys()].map(modelPackage))].sort();
  const lines = packages.map((name) => [...types.values()].filter((type) => modelPackage(type.name) === name));
  const groupVersions = new Map<string, string>();
  for (const kind of kinds) groupVersions.set(`${kind.group}/${kind.version}`, modelPackage(kind.type));
  const text = [
    HEADER,
    'export const groupVersionPackages: Readonly<Record<string, number>> = {\n',
    ...[...groupVersions].sort().map(([name, model]) => `  '${name}': ${packages.indexOf(model)},\n`),
    '};\n\nexport const typeSchemaPackages: readonly (readonly [name: string, types: string])[] = [\n',
    ...lines.map((list, index) => {
      const rows = list.map((type) => typeLine(type, facts, packages)).join('\n');
      if (/[`\\$]\{|[`\\]/.test(rows)) throw new Error(`${packages[index]} needs escapes`);
      return `  ['${packages[index]}', \`${rows}\`],\n`;
    }),
    '];\n',
  ];
  return text.join('');
}

function typeLine(type: GoType, facts: FieldFacts, packages: readonly string[]): string {
  const marks = (facts.isAtomic(type) ? '!' : '') + (type.form === 'value' ? '=' : type.form === 'choice' ? '?' : '');
  const own = packages.indexOf(modelPackage(type.name));
  const fields = type.fields.map((field) => fieldText(facts.fieldSchema(type, field), own, packages));
  return [type.goName + marks, ...fields].join(';');
}

function fieldText(field: FieldSchema, own: number, packages: readonly string[]): string {
  const shape = field.shape === 'list' ? '[' : field.shape === 'map' ? '{' : '';
  const flags =
    (field.pointer ? 'p' : '') +
    (field.omit === 'empty' ? 'e' : field.omit === 'zero' ? 'z' : '') +
    (field.required ? 'r' : '') +
    (field.inline ? 'i' : '');
  const parts = [field.json, String(field.wire), shape + typeReference(field.type, own, packages), flags];
  if (field.patchStrategy) parts.push(`s${field.patchStrategy.replaceAll(',', '+')}`);
  if (field.patchMergeKey) parts.push(`k${field.patchMergeKey}`);
  if (field.listType) parts.push(`l${[field.listType, ...(field.listMapKeys ?? [])].join('+')}`);
  if (field.mapType) parts.push(`m${field.mapType}`);
  if (field.default !== undefined) parts.push(`d${JSON.stringify(field.default)}`);
  if (parts.some((part) => /[,;\n]/.test(part))) throw new Error(`${field.json} clashes with the notation`);
  return parts.join(',');
}

function typeReference(type: string, own: number, packages: readonly string[]): string {
  if (!type.includes('.')) {
    const code = Object.entries(SCALAR_CODES).find(([, scalar]) => scalar === type)?.[0];
    if (code === undefined) throw new Error(`no code for the scalar ${type}`);
    return code;
  }
  const index = packages.indexOf(modelPackage(type));
  const name = type.slice(type.lastIndexOf('.') + 1);
  return index === own ? `.${name}` : `${index}.${name}`;
}
