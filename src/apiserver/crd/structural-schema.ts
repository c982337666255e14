import { asArray, getKey, isObject, type JsonObject, type JsonValue } from '../values/json.ts';

/**
 * A schema of a CustomResourceDefinition, parsed once. The same shape serves the structural part and what is nested
 * under allOf, anyOf, oneOf and not; `structural-rules.ts` says what a nested one may not contain. Keys that OpenAPI
 * knows but structural schemas refuse (`$ref`, `definitions`, …) are not here: `schema-rules.ts` finds them in the JSON.
 */
export interface Schema {
  /** "" when unset. */
  readonly type: string;
  readonly nullable: boolean;
  readonly format: string;
  /** Undefined when unset; a default of null counts as unset. */
  readonly default: JsonValue | undefined;
  readonly title: string;
  readonly description: string;
  /** Whether `example` or `externalDocs` is set. */
  readonly annotated: boolean;

  readonly properties: ReadonlyMap<string, Schema>;
  readonly items: Schema | undefined;
  /** Undefined when unset; `true` stands for values that no schema describes. */
  readonly additionalProperties: Schema | boolean | undefined;
  readonly required: readonly string[];

  readonly preserveUnknownFields: boolean;
  readonly embeddedResource: boolean;
  readonly intOrString: boolean;
  readonly listType: string | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly rules: readonly JsonObject[];

  readonly maximum: number | undefined;
  readonly exclusiveMaximum: boolean;
  readonly minimum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly multipleOf: number | undefined;
  readonly maxLength: number | undefined;
  readonly minLength: number | undefined;
  readonly pattern: string;
  readonly maxItems: number | undefined;
  readonly minItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly maxProperties: number | undefined;
  readonly minProperties: number | undefined;
  readonly enum: readonly JsonValue[];
  readonly allOf: readonly Schema[];
  readonly anyOf: readonly Schema[];
  readonly oneOf: readonly Schema[];
  readonly not: Schema | undefined;
}

/** Reads what the API server has already decoded into `JSONSchemaProps`; values of a wrong type count as unset. */
export function parseSchema(json: JsonObject): Schema {
  const text = (key: string): string => {
    const value = getKey(json, key);
    return typeof value === 'string' ? value : '';
  };
  const flag = (key: string): boolean => getKey(json, key) === true;
  const number = (key: string): number | undefined => {
    const value = getKey(json, key);
    return typeof value === 'number' ? value : undefined;
  };
  const schemas = (key: string): Schema[] => asArray(getKey(json, key)).filter(isObject).map(parseSchema);
  const schema = (key: string): Schema | undefined => {
    const value = getKey(json, key);
    return isObject(value) ? parseSchema(value) : undefined;
  };
  const additional = getKey(json, 'additionalProperties');
  return {
    type: text('type'),
    nullable: flag('nullable'),
    format: text('format'),
    default: getKey(json, 'default') ?? undefined,
    title: text('title'),
    description: text('description'),
    annotated: getKey(json, 'example') !== undefined || getKey(json, 'externalDocs') !== undefined,
    properties: propertiesOf(json),
    items: schema('items'),
    additionalProperties: typeof additional === 'boolean' ? additional : schema('additionalProperties'),
    required: texts(getKey(json, 'required')),
    preserveUnknownFields: flag('x-kubernetes-preserve-unknown-fields'),
    embeddedResource: flag('x-kubernetes-embedded-resource'),
    intOrString: flag('x-kubernetes-int-or-string'),
    listType: text('x-kubernetes-list-type') || undefined,
    listMapKeys: texts(getKey(json, 'x-kubernetes-list-map-keys')),
    mapType: text('x-kubernetes-map-type') || undefined,
    rules: asArray(getKey(json, 'x-kubernetes-validations')).filter(isObject),
    maximum: number('maximum'),
    exclusiveMaximum: flag('exclusiveMaximum'),
    minimum: number('minimum'),
    exclusiveMinimum: flag('exclusiveMinimum'),
    multipleOf: number('multipleOf'),
    maxLength: number('maxLength'),
    minLength: number('minLength'),
    pattern: text('pattern'),
    maxItems: number('maxItems'),
    minItems: number('minItems'),
    uniqueItems: flag('uniqueItems'),
    maxProperties: number('maxProperties'),
    minProperties: number('minProperties'),
    enum: asArray(getKey(json, 'enum')),
    allOf: schemas('allOf'),
    anyOf: schemas('anyOf'),
    oneOf: schemas('oneOf'),
    not: schema('not'),
  };
}

function propertiesOf(json: JsonObject): Map<string, Schema> {
  const properties = new Map<string, Schema>();
  const declared = getKey(json, 'properties');
  if (!isObject(declared)) return properties;
  for (const [name, value] of Object.entries(declared)) {
    properties.set(name, parseSchema(isObject(value) ? value : {}));
  }
  return properties;
}

function texts(value: JsonValue | undefined): string[] {
  return asArray(value).filter((item) => typeof item === 'string');
}

/** The schema for the values of keys that are not declared; undefined when no schema describes them. */
export function additionalSchema(schema: Schema): Schema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

/** What the root of every resource is, whether its schema says so or not. */
export function asResourceRoot(schema: Schema): Schema {
  return schema.embeddedResource ? schema : { ...schema, embeddedResource: true };
}

/** The fields of every object that schemas of resources leave alone. */
export const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);
