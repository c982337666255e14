import { asArray, asObject, getKey, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { listSchema, objectSchema } from './api-operations.ts';
import { LIST_METADATA_DESCRIPTION, METADATA_DESCRIPTION, TYPE_DESCRIPTIONS } from './meta-descriptions.ts';
import type { OpenApiResource } from './open-api-resource.ts';
import { type Generation, sorted, type TypeDefinitions } from './type-definitions.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const PRESERVE = 'x-kubernetes-preserve-unknown-fields';
const TYPE_META: JsonObject = {
  apiVersion: { type: 'string', description: TYPE_DESCRIPTIONS.apiVersion },
  kind: { type: 'string', description: TYPE_DESCRIPTIONS.kind },
};

/** Adds the schemas of a custom resource and of its lists, as the definition has them plus what every resource has. */
export function addCustomDefinitions(
  definitions: TypeDefinitions,
  resource: OpenApiResource,
  generation: Generation,
): void {
  const declared = resource.customSchema;
  if (declared === undefined) return;
  const selectable = selectableFields(resource);
  const own = customSchema(definitions, declared, generation);
  definitions.add(objectSchema(resource), { ...own, ...selectable });
  definitions.add(listSchema(resource), {
    description: `${resource.listKind} is a list of ${resource.kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...TYPE_META,
      items: { type: 'array', items: definitions.refer(objectSchema(resource)) },
      metadata: metadata(definitions, 'ListMeta'),
    },
    ...selectable,
  });
}

function selectableFields({ selectableFields = [] }: OpenApiResource): JsonObject {
  if (selectableFields.length === 0) return {};
  return { 'x-kubernetes-selectable-fields': selectableFields.map((fieldPath) => ({ fieldPath })) };
}

function metadata(definitions: TypeDefinitions, type: 'ObjectMeta' | 'ListMeta'): JsonObject {
  const description = type === 'ListMeta' ? LIST_METADATA_DESCRIPTION : METADATA_DESCRIPTION;
  return definitions.referBeside(`${META}.${type}`, { description });
}

function customSchema(definitions: TypeDefinitions, declared: JsonObject, generation: Generation): JsonObject {
  // Any property of a root with unknown fields would make older clients refuse the others.
  if (generation === 'v2' && declared[PRESERVE] === true) return { type: 'object' };
  const shown = withEmbedded(definitions, generation === 'v2' ? inV2(declared) : declared, generation);
  const properties = { ...asObject(shown.properties), ...TYPE_META, metadata: metadata(definitions, 'ObjectMeta') };
  return { ...shown, properties: sorted(properties) };
}

/** Embedded resources have the fields of every resource, too. */
function withEmbedded(definitions: TypeDefinitions, schema: JsonObject, generation: Generation): JsonObject {
  const copy = mapInner(unfolded(schema, generation), (inner) => withEmbedded(definitions, inner, generation));
  const isOpen = generation === 'v2' && schema[PRESERVE] === true;
  if (schema['x-kubernetes-embedded-resource'] !== true || isOpen) return copy;
  const required = asArray(copy.required);
  return {
    ...copy,
    properties: { ...asObject(copy.properties), ...TYPE_META, metadata: metadata(definitions, 'ObjectMeta') },
    required: [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))],
  };
}

/** What is said of ports and the like by one word, spelled out. */
function unfolded(schema: JsonObject, generation: Generation): JsonObject {
  const isPlain =
    schema['x-kubernetes-int-or-string'] === true && schema.anyOf === undefined && schema.allOf === undefined;
  return generation === 'v3' && isPlain ? { ...schema, anyOf: [{ type: 'integer' }, { type: 'string' }] } : schema;
}

/**
 * The second generation cannot say everything: alternatives are left out, and where clients would misunderstand the rest
 * (nullable values, unknown fields) the schema says nothing.
 */
function inV2(schema: JsonObject): JsonObject {
  const { allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, not: _not, nullable, ...kept } = schema;
  const isOpen = kept[PRESERVE] === true;
  if (nullable === true || isOpen) {
    delete kept.items;
    delete kept.properties;
  }
  const isUntyped = nullable === true || (kept.type === 'array' && kept.items === undefined) || isOpen;
  if (isUntyped && (nullable === true || kept.type === 'object' || kept.type === 'array')) delete kept.type;
  const required = asArray(kept.required).filter(
    (name) => !isNullable(getKey(asObject(kept.properties), String(name))),
  );
  if (required.length === 0 || isNullable(kept.additionalProperties)) delete kept.required;
  else kept.required = required;
  return mapInner(kept, inV2);
}

function isNullable(schema: JsonValue | undefined): boolean {
  return isObject(schema) && schema.nullable === true;
}

/** A copy with the schemas of properties, items and additional properties replaced. */
function mapInner(schema: JsonObject, change: (inner: JsonObject) => JsonObject): JsonObject {
  const copy: JsonObject = { ...schema };
  for (const key of ['items', 'additionalProperties']) {
    const inner = getKey(schema, key);
    if (isObject(inner)) copy[key] = change(inner);
  }
  const properties = getKey(schema, 'properties');
  if (isObject(properties)) {
    copy.properties = Object.fromEntries(
      Object.entries(properties).map(([name, value]): [string, JsonValue] => [name, change(asObject(value))]),
    );
  }
  return copy;
}
