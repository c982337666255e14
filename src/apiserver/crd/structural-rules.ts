import { type FieldError, fieldErrorText, forbidden, invalid, required } from '../request/field-error.ts';
import { childPath, indexPath, keyPath } from './child-path.ts';
import { goRegExp } from './go-regexp.ts';
import type { Schema } from './structural-schema.ts';

type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** Why a schema is not structural; the errors that the real server gives, sorted as it sorts them. */
export function structuralErrors(schema: Schema, path: string): FieldError[] {
  const errors = [...invariants(schema, 'root', path), ...completeness(schema, schema, path, path)];
  const texts = new Map(errors.map((error) => [fieldErrorText(error), error]));
  return [...texts.keys()].sort().flatMap((text) => texts.get(text) ?? []);
}

function invariants(schema: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { items, additionalProperties } = schema;
  if (schema.type === 'array' && items === undefined) {
    errors.push(required(childPath(path, 'items'), 'must be specified'));
  }
  if (items !== undefined) errors.push(...invariants(items, 'item', childPath(path, 'items')));
  for (const [name, property] of schema.properties) {
    errors.push(...invariants(property, 'field', propertyPath(path, name)));
  }
  if (additionalProperties !== undefined) {
    const at = childPath(path, 'additionalProperties');
    if (level === 'root') errors.push(forbidden(at, 'must not be used at the root'));
    if (typeof additionalProperties === 'object') errors.push(...invariants(additionalProperties, 'field', at));
  }
  errors.push(...extensionErrors(schema, path));
  errors.push(
    ...valueErrors(schema, path, { anyOf: isIntOrString(schema.anyOf), allOf: isIntOrString(schema.allOf[0]?.anyOf) }),
  );
  errors.push(...typeErrors(schema, level, path));
  errors.push(...metadataErrors(schema, level, path));
  if (schema.embeddedResource && !schema.preserveUnknownFields && schema.properties.size === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
    errors.push(required(childPath(path, 'properties'), detail));
  }
  return errors;
}

function extensionErrors(schema: Schema, path: string): FieldError[] {
  if (!schema.intOrString) return [];
  const detail = 'must be false if x-kubernetes-int-or-string is true';
  return [
    ...(schema.preserveUnknownFields ? ['x-kubernetes-preserve-unknown-fields'] : []),
    ...(schema.embeddedResource ? ['x-kubernetes-embedded-resource'] : []),
  ].map((name) => invalid(childPath(path, name), true, detail));
}

function typeErrors(schema: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const at = childPath(path, 'type');
  const { type } = schema;
  if (schema.embeddedResource && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true';
    errors.push(type === '' ? required(at, detail) : invalid(at, type, detail));
  } else if (type === '' && !schema.intOrString && !schema.preserveUnknownFields) {
    errors.push(required(at, EMPTY_TYPE[level]));
  }
  if (schema.embeddedResource && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set';
    errors.push(forbidden(childPath(path, 'additionalProperties'), detail));
  }
  if (level === 'root' && type !== '' && type !== 'object')
    errors.push(invalid(at, type, 'must be object at the root'));
  return errors;
}

/** Of a resource's own fields, a schema may restrict the name alone. */
function metadataErrors(schema: Schema, level: Level, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const isResource = level === 'root' || schema.embeddedResource;
  if (isResource) {
    for (const name of ['kind', 'apiVersion']) {
      const property = schema.properties.get(name);
      if (property !== undefined && property.type !== 'string') {
        errors.push(invalid(childPath(propertyPath(path, name), 'type'), property.type, 'must be string'));
      }
    }
  }
  const metadata = schema.properties.get('metadata');
  if (metadata === undefined) return errors;
  const at = propertyPath(path, 'metadata');
  if (isResource && metadata.type !== 'object') {
    errors.push(invalid(childPath(at, 'type'), metadata.type, 'must be object'));
  }
  if (level === 'root' && !restrictsNameOnly(metadata)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
    errors.push(forbidden(at, detail));
  }
  return errors;
}

function restrictsNameOnly(metadata: Schema): boolean {
  const { properties, type: _type, default: _default, ...rest } = metadata;
  const others = [...properties.keys()].filter((name) => name !== 'name' && name !== 'generateName');
  return others.length === 0 && Object.values(rest).every(isUnset);
}

function isUnset(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === '' || value === false;
}

/** The two places where types may stand under anyOf, for integers or strings. */
function isIntOrString(anyOf: readonly Schema[] | undefined): boolean {
  if (anyOf?.length !== 2) return false;
  return anyOf[0]?.type === 'integer' && anyOf[1]?.type === 'string' && anyOf.every(isTypeOnly);
}

function isTypeOnly(schema: Schema): boolean {
  const { type: _type, properties, ...rest } = schema;
  return properties.size === 0 && Object.values(rest).every(isUnset);
}

interface Allowed {
  anyOf: boolean;
  /** In the first of allOf. */
  allOf: boolean;
}

function valueErrors(schema: Schema, path: string, allowed: Allowed): FieldError[] {
  const errors: FieldError[] = [];
  const none = { anyOf: false, allOf: false };
  if (!allowed.anyOf) {
    for (const [index, nested] of schema.anyOf.entries()) {
      errors.push(...nestedErrors(nested, indexPath(childPath(path, 'anyOf'), index), none));
    }
  }
  for (const [index, nested] of schema.allOf.entries()) {
    const first = { anyOf: allowed.allOf && index === 0, allOf: false };
    errors.push(...nestedErrors(nested, indexPath(childPath(path, 'allOf'), index), first));
  }
  for (const [index, nested] of schema.oneOf.entries()) {
    errors.push(...nestedErrors(nested, indexPath(childPath(path, 'oneOf'), index), none));
  }
  if (schema.not !== undefined) errors.push(...nestedErrors(schema.not, childPath(path, 'not'), none));
  const wrong = patternProblem(schema.pattern);
  if (wrong !== undefined) {
    const detail = `must be a valid regular expression, but isn't: ${wrong}`;
    errors.push(invalid(childPath(path, 'pattern'), schema.pattern, detail));
  }
  return errors;
}

function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return undefined;
  try {
    goRegExp(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function nestedErrors(schema: Schema, path: string, allowed: Allowed): FieldError[] {
  const errors = valueErrors(schema, path, allowed);
  const none = { anyOf: false, allOf: false };
  if (schema.items !== undefined) errors.push(...nestedErrors(schema.items, childPath(path, 'items'), none));
  for (const [name, property] of schema.properties) {
    errors.push(...nestedErrors(property, propertyPath(path, name), none));
  }
  const refuse = (isSet: boolean, name: string, mustBe: string) => {
    if (isSet) errors.push(forbidden(childPath(path, name), `must be ${mustBe} to be structural`));
  };
  refuse(schema.type !== '', 'type', 'empty');
  const { additionalProperties } = schema;
  refuse(additionalProperties !== undefined && additionalProperties !== false, 'additionalProperties', 'undefined');
  refuse(schema.default !== undefined, 'default', 'undefined');
  refuse(schema.title !== '', 'title', 'empty');
  refuse(schema.description !== '', 'description', 'empty');
  refuse(schema.nullable, 'nullable', 'false');
  refuse(schema.preserveUnknownFields, 'x-kubernetes-preserve-unknown-fields', 'false');
  refuse(schema.embeddedResource, 'x-kubernetes-embedded-resource', 'false');
  refuse(schema.intOrString, 'x-kubernetes-int-or-string', 'false');
  refuse(schema.listMapKeys.length > 0, 'x-kubernetes-list-map-keys', 'empty');
  refuse(schema.listType !== undefined, 'x-kubernetes-list-type', 'undefined');
  refuse(schema.mapType !== undefined, 'x-kubernetes-map-type', 'undefined');
  refuse(schema.rules.length > 0, 'x-kubernetes-validations', 'empty');
  if (schema.properties.has('metadata')) {
    errors.push(forbidden(propertyPath(path, 'metadata'), 'must not be specified in a nested context'));
  }
  return errors;
}

/** Everything that is validated in a nested schema must be specified outside of it. */
function completeness(nested: Schema, schema: Schema, path: string, nestedPath: string): FieldError[] {
  const parts: [Schema, string][] = [
    ...(nested.not === undefined ? [] : [[nested.not, childPath(nestedPath, 'not')] satisfies [Schema, string]]),
    ...(['allOf', 'anyOf', 'oneOf'] as const).flatMap((name) =>
      nested[name].map((part, index): [Schema, string] => [part, indexPath(childPath(nestedPath, name), index)]),
    ),
  ];
  return parts.flatMap(([part, partPath]) => nestedCompleteness(part, schema, path, partPath));
}

function nestedCompleteness(
  nested: Schema,
  schema: Schema | undefined,
  path: string,
  nestedPath: string,
): FieldError[] {
  if (schema === undefined) return [required(path, `because it is defined in ${nestedPath}`)];
  const errors = completeness(nested, schema, path, nestedPath);
  if (nested.items !== undefined) {
    const at = childPath(path, 'items');
    errors.push(...nestedCompleteness(nested.items, schema.items, at, childPath(nestedPath, 'items')));
  }
  for (const [name, property] of nested.properties) {
    const at = propertyPath(path, name);
    errors.push(...nestedCompleteness(property, schema.properties.get(name), at, propertyPath(nestedPath, name)));
  }
  return errors;
}

function propertyPath(path: string, name: string): string {
  return keyPath(childPath(path, 'properties'), name);
}
