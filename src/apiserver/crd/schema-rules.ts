import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asArray, asObject, getKey, isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { childPath, indexPath, keyPath } from './child-path.ts';
import { listTypeErrors } from './list-type-rules.ts';
import { META_FIELDS } from './structural-schema.ts';

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const UNSUPPORTED = ['id', 'additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'];

interface Place {
  readonly path: string;
  /** Why no default may stand here; undefined where one may. */
  readonly noDefaults?: string | undefined;
  /** Inside the fields that every resource has. */
  readonly insideMeta: boolean;
  readonly isRoot: boolean;
}

/** What the real server does not accept in a schema of a definition, beside its being structural. */
export function schemaErrors(schema: JsonObject, path: string): FieldError[] {
  return errorsAt(schema, { path, insideMeta: false, isRoot: true });
}

function errorsAt(schema: JsonObject, place: Place): FieldError[] {
  const { path } = place;
  const errors = keywordErrors(schema, place);
  const inside = (name: string, value: JsonValue | undefined, more: Partial<Place> = {}) => {
    if (!isObject(value)) return;
    errors.push(...errorsAt(value, { ...place, isRoot: false, ...more, path: name }));
  };

  const additional = getKey(schema, 'additionalProperties');
  if (additional !== undefined) {
    const at = childPath(path, 'additionalProperties');
    if (Object.keys(asObject(getKey(schema, 'properties'))).length > 0 && additional !== true) {
      errors.push(forbidden(at, 'additionalProperties and properties are mutual exclusive'));
    }
    const noDefaults = place.insideMeta ? 'inside additionalProperties applying to object metadata' : place.noDefaults;
    inside(at, additional, { noDefaults });
  }
  for (const [name, property] of Object.entries(asObject(getKey(schema, 'properties'))).sort(byKey)) {
    const isMeta = META_FIELDS.has(name) && (place.isRoot || schema['x-kubernetes-embedded-resource'] === true);
    inside(keyPath(childPath(path, 'properties'), name), property, {
      insideMeta: isMeta || place.insideMeta,
      noDefaults: isMeta && place.isRoot ? `in top-level ${name}` : place.noDefaults,
    });
  }
  inside(childPath(path, 'not'), getKey(schema, 'not'));
  for (const name of ['allOf', 'oneOf', 'anyOf']) {
    for (const [index, nested] of asArray(getKey(schema, name)).entries()) {
      inside(indexPath(childPath(path, name), index), nested);
    }
  }
  inside(childPath(path, 'items'), getKey(schema, 'items'));
  if (getKey(schema, 'x-kubernetes-preserve-unknown-fields') === false) {
    const at = childPath(path, 'x-kubernetes-preserve-unknown-fields');
    errors.push(invalid(at, false, 'must be true or undefined'));
  }
  errors.push(...mapTypeErrors(schema, path), ...listTypeErrors(schema, path));
  return errors;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Keys of OpenAPI that definitions cannot use. */
function keywordErrors(schema: JsonObject, place: Place): FieldError[] {
  const { path } = place;
  const errors: FieldError[] = [];
  const type = getKey(schema, 'type') ?? '';
  if (type !== '' && !TYPES.includes(String(type))) errors.push(notSupported(childPath(path, 'type'), type, TYPES));
  if ((getKey(schema, 'default') ?? undefined) !== undefined && place.noDefaults !== undefined) {
    errors.push(forbidden(childPath(path, 'default'), `must not be set ${place.noDefaults}`.trim()));
  }
  for (const name of UNSUPPORTED) {
    if (isSet(getKey(schema, name))) errors.push(forbidden(childPath(path, name), `${name} is not supported`));
  }
  if (type === 'null') {
    errors.push(forbidden(childPath(path, 'type'), 'type cannot be set to null, use nullable as an alternative'));
  }
  if (Array.isArray(getKey(schema, 'items'))) {
    errors.push(forbidden(childPath(path, 'items'), 'items must be a schema object and not an array'));
  }
  if (place.insideMeta && schema['x-kubernetes-embedded-resource'] === true) {
    const at = childPath(path, 'x-kubernetes-embedded-resource');
    errors.push(forbidden(at, 'must not be used inside of resource meta'));
  }
  if (getKey(schema, 'uniqueItems') === true) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
    errors.push(forbidden(childPath(path, 'uniqueItems'), detail));
  }
  return errors;
}

function mapTypeErrors(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const mapType = getKey(schema, 'x-kubernetes-map-type');
  if (mapType === undefined) return errors;
  const type = getKey(schema, 'type') ?? '';
  if (type !== 'object') {
    const detail = 'must be object if x-kubernetes-map-type is specified';
    const at = childPath(path, 'type');
    errors.push(type === '' ? required(at, detail) : invalid(at, type, detail));
  }
  if (mapType !== 'atomic' && mapType !== 'granular') {
    errors.push(notSupported(childPath(path, 'x-kubernetes-map-type'), mapType, ['atomic', 'granular']));
  }
  return errors;
}

/** Whether a schema has parts that no structural schema can express; whether the rest is structural is then not asked. */
export function isBeyondStructural(schema: JsonObject): boolean {
  let found = false;
  eachSchema(schema, '', (inner) => {
    found ||=
      UNSUPPORTED.some((name) => isSet(getKey(inner, name))) ||
      Array.isArray(getKey(inner, 'items')) ||
      getKey(inner, 'x-kubernetes-preserve-unknown-fields') === false;
  });
  return found;
}

function isSet(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== '' && !(isObject(value) && Object.keys(value).length === 0);
}

/** Calls back for a schema and every schema inside it, with its path. */
export function eachSchema(schema: JsonObject, path: string, visit: (schema: JsonObject, path: string) => void): void {
  visit(schema, path);
  const inside = (value: JsonValue | undefined, at: string) => {
    if (isObject(value)) eachSchema(value, at, visit);
  };
  inside(getKey(schema, 'items'), childPath(path, 'items'));
  for (const name of ['allOf', 'anyOf', 'oneOf']) {
    for (const [index, nested] of asArray(getKey(schema, name)).entries()) {
      inside(nested, indexPath(childPath(path, name), index));
    }
  }
  inside(getKey(schema, 'not'), childPath(path, 'not'));
  for (const [name, property] of Object.entries(asObject(getKey(schema, 'properties')))) {
    inside(property, keyPath(childPath(path, 'properties'), name));
  }
  inside(getKey(schema, 'additionalProperties'), childPath(path, 'additionalProperties'));
}
