import { typeSchema } from '../../generated/type-schemas.ts';
import { type FieldError, fieldErrorText, invalid, required } from '../request/field-error.ts';
import { isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { dns1035Label, pathSegment } from '../values/name-rules.ts';
import { validateMetadata } from '../values/object-meta.ts';
import { DecodeProblem, readTyped } from '../values/typed-object.ts';
import { childPath, indexPath, keyPath } from './child-path.ts';
import { additionalSchema, asResourceRoot, type Schema } from './structural-schema.ts';

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/**
 * Gives the metadata of a resource and of those embedded in it (`x-kubernetes-embedded-resource`) the shape of
 * ObjectMeta, in place, and returns the paths of unknown fields that were dropped. Values of a wrong type are an error
 * (`DecodeProblem`) when a client sent them; in what has been stored they are left out.
 */
export function coerceMetadata(object: JsonObject, schema: Schema, onWrongType: 'throw' | 'drop'): string[] {
  const coercer = new Coercer(onWrongType);
  coercer.visit(object, asResourceRoot(schema), '');
  return coercer.unknown.sort();
}

class Coercer {
  readonly unknown: string[] = [];
  readonly #onWrongType: 'throw' | 'drop';

  constructor(onWrongType: 'throw' | 'drop') {
    this.#onWrongType = onWrongType;
  }

  visit(value: JsonValue | undefined, schema: Schema | undefined, path: string): void {
    if (schema === undefined) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.visit(item, schema.items, indexPath(path, index));
    } else if (isObject(value)) {
      if (schema.embeddedResource) this.#resource(value, path);
      const additional = additionalSchema(schema);
      for (const [key, item] of Object.entries(value)) {
        this.visit(item, schema.properties.get(key) ?? additional, childPath(path, key));
      }
    }
  }

  #resource(object: JsonObject, path: string): void {
    for (const key of ['apiVersion', 'kind']) {
      const value = object[key];
      if (value === undefined || typeof value === 'string') continue;
      if (this.#onWrongType === 'throw') throw problemAt(path, key, value, 'must be a string');
      delete object[key];
    }
    const { metadata } = object;
    if (isObject(metadata)) object.metadata = this.#metadata(metadata, path);
    else if (metadata !== undefined) {
      if (metadata !== null && this.#onWrongType === 'throw') {
        throw problemAt(path, 'metadata', metadata, wrongMetadata(metadata));
      }
      delete object.metadata;
    }
  }

  #metadata(metadata: JsonObject, path: string): JsonObject {
    const schema = typeSchema(OBJECT_META);
    if (schema === undefined) return metadata;
    try {
      const { object, unknownFields } = readTyped(schema, metadata);
      this.unknown.push(...unknownFields.map((field) => `${childPath(path, 'metadata')}.${field}`));
      if (object.creationTimestamp === null) delete object.creationTimestamp;
      return object;
    } catch (error) {
      if (!(error instanceof DecodeProblem)) throw error;
      if (this.#onWrongType === 'throw') throw problemAt(path, 'metadata', metadata, error.message);
      const readable = Object.entries(metadata).filter(([key, value]) => isReadable(key, value));
      return this.#metadata(Object.fromEntries(readable), path);
    }
  }
}

/** About the resource itself the server repeats Go's words; about an embedded one it says where it is. */
function problemAt(path: string, field: string, value: JsonValue, message: string): DecodeProblem {
  if (path === '') return new DecodeProblem(message);
  return new DecodeProblem(fieldErrorText(invalid(childPath(path, field), value, message)));
}

function isReadable(key: string, value: JsonValue | undefined): boolean {
  const schema = typeSchema(OBJECT_META);
  try {
    if (schema !== undefined) readTyped(schema, { [key]: value });
    return true;
  } catch {
    return false;
  }
}

function wrongMetadata(value: JsonValue): string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`;
}

/** What is wrong with the types and metadata of embedded resources; the outermost one is judged by the caller. */
export function validateEmbedded(value: JsonValue | undefined, schema: Schema | undefined, path = ''): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => validateEmbedded(item, schema.items, indexPath(path, index)));
  }
  if (!isObject(value)) return [];
  const additional = additionalSchema(schema);
  const errors = schema.embeddedResource ? validateResource(value, path) : [];
  for (const [key, item] of Object.entries(value)) {
    const property = schema.properties.get(key);
    if (property !== undefined) errors.push(...validateEmbedded(item, property, childPath(path, key)));
    else errors.push(...validateEmbedded(item, additional, keyPath(path, key)));
  }
  return errors;
}

function validateResource(object: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['apiVersion', 'kind']) {
    const at = childPath(path, key);
    const value = object[key];
    if (value === undefined) errors.push(required(at));
    else if (typeof value !== 'string') errors.push(invalid(at, value, 'must be a string'));
    else if (value === '') errors.push(invalid(at, value, 'must not be empty'));
    else if (key === 'kind') {
      const problems = dns1035Label(value.toLowerCase(), false);
      const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
      if (problems.length > 0) errors.push(invalid(at, value, detail));
    } else if (value.split('/').length > 2) {
      errors.push(invalid(at, value, `unexpected GroupVersion string: ${value}`));
    }
  }
  const { metadata } = object;
  if (!isObject(metadata)) return errors;
  const named = metadata.name ? metadata : { ...metadata, name: 'fakename' };
  const problems = validateMetadata(named, {
    namespaced: Boolean(metadata.namespace),
    custom: false,
    nameRule: pathSegment,
  });
  return [...errors, ...problems.map((error) => ({ ...error, field: childPath(path, error.field) }))];
}
