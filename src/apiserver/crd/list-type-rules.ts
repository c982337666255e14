import { type FieldError, forbidden, invalid, notSupported, required } from '../request/field-error.ts';
import { asArray, asObject, getKey, isObject, type JsonObject } from '../values/json.ts';
import { childPath, keyPath } from './child-path.ts';

const LIST_TYPE = 'x-kubernetes-list-type';
const MAP_KEYS = 'x-kubernetes-list-map-keys';

/** What is wrong with `x-kubernetes-list-type` and `x-kubernetes-list-map-keys` of one schema. */
export function listTypeErrors(schema: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const listType = getKey(schema, LIST_TYPE);
  const type = getKey(schema, 'type') ?? '';
  const items = getKey(schema, 'items');
  const keys = asArray(getKey(schema, MAP_KEYS)).filter((key) => typeof key === 'string');
  if (listType !== undefined && type !== 'array') {
    const detail = 'must be array if x-kubernetes-list-type is specified';
    const at = childPath(path, 'type');
    errors.push(type === '' ? required(at, detail) : invalid(at, type, detail));
  } else if (listType === 'set' && isObject(items)) errors.push(...setErrors(items, path));
  if (listType !== undefined && listType !== 'atomic' && listType !== 'set' && listType !== 'map') {
    errors.push(notSupported(childPath(path, LIST_TYPE), listType, ['atomic', 'set', 'map']));
  }
  if (keys.length > 0 && listType !== 'map') {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    const at = childPath(path, LIST_TYPE);
    errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
  }
  if (listType === 'map') errors.push(...mapErrors(schema, keys, path));
  if ((listType === 'map' || listType === 'set') && isObject(items)) {
    errors.push(...nullableErrors(items, listType, listType === 'map' ? keys : [], childPath(path, 'items')));
  }
  return errors;
}

/** The items of a set are compared as a whole, so they must have one owner each. */
function setErrors(items: JsonObject, path: string): FieldError[] {
  const detail = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  const listType = getKey(items, LIST_TYPE);
  if (items.type === 'array' && listType !== undefined && listType !== 'atomic') {
    return [invalid(childPath(childPath(path, 'items'), LIST_TYPE), listType, detail)];
  }
  if (items.type === 'object' && getKey(items, 'x-kubernetes-map-type') !== 'atomic') {
    return [invalid(childPath(childPath(path, 'items'), 'x-kubernetes-map-type'), listType, detail)];
  }
  return [];
}

function mapErrors(schema: JsonObject, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const items = getKey(schema, 'items');
  if (keys.length === 0) {
    errors.push(required(childPath(path, MAP_KEYS), 'must not be empty if x-kubernetes-list-type is map'));
  }
  if (!isObject(items)) {
    const at = childPath(path, 'items');
    if (items === undefined) errors.push(required(at, 'must have a schema if x-kubernetes-list-type is map'));
    else errors.push(invalid(at, items, 'must only have a single schema if x-kubernetes-list-type is map'));
    return errors;
  }
  if (items.type !== 'object') {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(childPath(childPath(path, 'items'), 'type'), items.type ?? '', detail));
    return errors;
  }
  const properties = asObject(getKey(items, 'properties'));
  const seen = new Set<string>();
  for (const key of keys) {
    const property = getKey(properties, key);
    if (!isObject(property)) {
      errors.push(invalid(childPath(path, MAP_KEYS), [...keys], 'entries must all be names of item properties'));
    } else if (property.type === 'array' || property.type === 'object') {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(
        invalid(childPath(keyPath(`${childPath(path, 'items')}.properties`, key), 'type'), items.type, detail),
      );
    }
    if (seen.has(key)) {
      errors.push(invalid(childPath(path, MAP_KEYS), [...keys], 'must not contain duplicate entries'));
    }
    seen.add(key);
  }
  return errors;
}

function nullableErrors(items: JsonObject, listType: string, keys: readonly string[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    errors.push(
      forbidden(childPath(path, 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${listType}`),
    );
  }
  const properties = asObject(getKey(items, 'properties'));
  const requiredNames = asArray(getKey(items, 'required'));
  for (const key of keys) {
    const property = getKey(properties, key);
    if (!isObject(property)) continue;
    const at = keyPath(childPath(path, 'properties'), key);
    if (!requiredNames.includes(key) && (property.default ?? undefined) === undefined) {
      const detail =
        'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property';
      errors.push(required(childPath(at, 'default'), detail));
    }
    if (property.nullable === true) {
      const detail = 'this property is in x-kubernetes-list-map-keys, so it cannot be nullable';
      errors.push(forbidden(childPath(at, 'nullable'), detail));
    }
  }
  return errors;
}
