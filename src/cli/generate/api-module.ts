import { apiVersionOf, type Resource } from '../../api/resource.ts';
import { asNode, type SchemaNode } from './crd.ts';
import { generatedBy } from './generated-header.ts';
import { documentation, SchemaTypes } from './schema-types.ts';
import { docComment, stringLiteral } from './source-text.ts';
import { TypeNames } from './type-names.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** One version of one API group, as a server describes it. */
export interface ApiDescription {
  readonly group: string;
  readonly version: string;
  /** Those of the version that have a name in its OpenAPI document. */
  readonly resources: readonly Resource[];
  /** `components.schemas` of that document. */
  readonly schemas: SchemaNode;
}

/** The TypeScript types of everything that a version of a group serves, and a token for each of its resources. */
export function apiModule({ group, version, resources, schemas }: ApiDescription): string {
  const names = new TypeNames();
  const roots = resources.flatMap((resource) => {
    const name = schemaNameOf(schemas, resource);
    const schema = name === undefined ? undefined : asNode(schemas[name]);
    return name === undefined || schema === undefined ? [] : [{ resource, name, schema }];
  });
  // The names that users import come first, so that no type inside takes one of them; two resources may share a kind.
  const types = new Map([[OBJECT_META, 'ObjectMeta']]);
  for (const { resource, name } of roots) if (!types.has(name)) types.set(name, names.type(resource.kind));
  const tokens = roots.map(({ resource }) => names.constant(resource.plural, resource.kind));
  const inside = new SchemaTypes(names, { schemas, types });
  const written = new Set<string>();
  const objects = roots.flatMap(({ resource, name, schema }) => {
    if (written.has(name)) return [];
    written.add(name);
    const fixed = new Map([
      ['apiVersion', [`  apiVersion?: ${stringLiteral(apiVersionOf({ group, version }))};`]],
      ['kind', [`  kind?: ${stringLiteral(resource.kind)};`]],
      ['metadata', ['  metadata?: ObjectMeta;']],
    ]);
    const members = inside.members(schema, [resource.kind], fixed);
    const head = `export interface ${types.get(name)} extends KubernetesObject {`;
    return ['', ...docComment(documentation(schema)), head, ...members, '}'];
  });
  return [
    generatedBy('generate api'),
    `import { defineResource, type KubernetesObject, type ObjectMeta, type Resource } from 'tidewatch';`,
    ...objects,
    ...inside.source,
    ...roots.flatMap(({ resource, name }, at) => tokenLines(resource, types.get(name) ?? '', tokens[at] ?? '')),
    '',
  ].join('\n');
}

function tokenLines({ group, version, plural, kind, namespaced }: Resource, type: string, constant: string): string[] {
  const definition = Object.entries({ group, version, plural, kind }).filter(([, value]) => value !== '');
  return [
    '',
    `/** ${plural} of ${apiVersionOf({ group, version })}: hand it to a factory or a client. */`,
    `export const ${constant}: Resource<${type}> = /*#__PURE__*/ defineResource<${type}>({`,
    ...definition.map(([field, value]) => `  ${field}: ${stringLiteral(value)},`),
    ...(namespaced ? [] : ['  namespaced: false,']),
    '});',
  ];
}

/** The schema that says of itself that it is of the kind. */
function schemaNameOf(schemas: SchemaNode, { group, version, kind }: Resource): string | undefined {
  return Object.keys(schemas).find((name) => {
    const kinds = asNode(schemas[name])?.['x-kubernetes-group-version-kind'];
    if (!Array.isArray(kinds) || kinds.length !== 1) return false;
    const [own] = kinds.map(asNode);
    return own?.group === group && own.version === version && own.kind === kind;
  });
}
