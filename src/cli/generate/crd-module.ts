import type { Crd, CrdVersion, SchemaNode } from './crd.ts';
import { generatedBy } from './generated-header.ts';
import type { ModuleFile } from './module-files.ts';
import { documentation, SchemaTypes } from './schema-types.ts';
import { docComment, stringLiteral } from './source-text.ts';
import { pascalCase, TypeNames } from './type-names.ts';

const HEADER = generatedBy('generate crd');

/** One file for each version of each definition. */
export function crdModules(crds: readonly Crd[]): ModuleFile[] {
  return crds.flatMap((crd) =>
    crd.versions.map((version) => ({
      path: `${crd.group}/${version.name}/${crd.plural}.ts`,
      text: moduleText([{ crd, version }]),
    })),
  );
}

/** All of them in one file. Of several versions, the stored one has the plain names, the others carry theirs. */
export function combinedModule(crds: readonly Crd[]): string {
  const stored = (version: CrdVersion) => (version.storage ? 0 : 1);
  return moduleText(
    crds.flatMap((crd) => {
      const versions = [...crd.versions].sort((a, b) => stored(a) - stored(b));
      return versions.map((version, at) => ({ crd, version, suffix: at === 0 ? '' : pascalCase(version.name) }));
    }),
  );
}

interface Part {
  readonly crd: Crd;
  readonly version: CrdVersion;
  /** Goes with every name, where several versions share a file. */
  readonly suffix?: string;
}

function moduleText(parts: readonly Part[]): string {
  const names = new TypeNames();
  // The names that users import come first, so that no nested type takes one of them.
  const roots = parts.map(({ crd, suffix = '' }) => ({
    type: names.type(crd.kind, suffix),
    constant: names.constant(crd.plural, crd.kind, suffix),
  }));
  const bodies = parts.map((part, at) => partLines(part, names, roots[at] ?? { type: 'Unnamed', constant: 'unnamed' }));
  return [
    HEADER,
    `import { defineResource, type KubernetesObject, type ObjectMeta, type Resource } from 'tidewatch';`,
    ...bodies.flat(),
    '',
  ].join('\n');
}

function partLines(
  { crd, version, suffix = '' }: Part,
  names: TypeNames,
  { type, constant }: { type: string; constant: string },
): string[] {
  const apiVersion = `${crd.group}/${version.name}`;
  const schema: SchemaNode = version.schema ?? { 'x-kubernetes-preserve-unknown-fields': true };
  const types = new SchemaTypes(names);
  const fixed = new Map([
    ['apiVersion', [`  apiVersion?: ${stringLiteral(apiVersion)};`]],
    ['kind', [`  kind?: ${stringLiteral(crd.kind)};`]],
    ['metadata', ['  metadata?: ObjectMeta;']],
  ]);
  const members = types.members(schema, [crd.kind, ...(suffix === '' ? [] : [suffix])], fixed);
  const definition = [
    `group: ${stringLiteral(crd.group)}`,
    `version: ${stringLiteral(version.name)}`,
    `plural: ${stringLiteral(crd.plural)}`,
    `kind: ${stringLiteral(crd.kind)}`,
    ...(crd.namespaced ? [] : ['namespaced: false']),
  ];
  return [
    '',
    ...docComment(documentation(schema)),
    `export interface ${type} extends KubernetesObject {`,
    ...members,
    '}',
    ...types.source,
    '',
    `/** ${crd.plural} of ${apiVersion}: hand it to a factory or a client. */`,
    `export const ${constant}: Resource<${type}> = /*#__PURE__*/ defineResource<${type}>({`,
    ...definition.map((line) => `  ${line},`),
    '});',
  ];
}
