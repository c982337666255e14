import { type FieldError, invalid } from '../request/field-error.ts';
import { cloneJson, type JsonValue } from '../values/json.ts';
import { childPath, keyPath } from './child-path.ts';
import { validateEmbedded } from './embedded-resources.ts';
import { prune } from './prune.ts';
import { asResourceRoot, META_FIELDS, type Schema } from './structural-schema.ts';
import { validateValue } from './value-validation.ts';

/** Defaults must be valid by the very schema that has them, without fields that it does not describe. */
export function defaultErrors(schema: Schema, path: string): FieldError[] {
  return errorsAt(asResourceRoot(schema), path, false);
}

function errorsAt(schema: Schema, path: string, insideMeta: boolean): FieldError[] {
  const isResource = schema.embeddedResource;
  const errors = schema.default === undefined ? [] : ofDefault(schema, schema.default, path, insideMeta && !isResource);
  if (schema.items !== undefined) errors.push(...errorsAt(schema.items, childPath(path, 'items'), insideMeta));
  for (const [name, property] of schema.properties) {
    const meta = isResource ? META_FIELDS.has(name) : insideMeta;
    errors.push(...errorsAt(property, keyPath(childPath(path, 'properties'), name), meta));
  }
  return errors;
}

function ofDefault(schema: Schema, value: JsonValue, path: string, insideMeta: boolean): FieldError[] {
  const at = childPath(path, 'default');
  const errors: FieldError[] = [];
  if (!insideMeta && prune(cloneJson(value), schema).length > 0) {
    errors.push(invalid(at, value, 'must not have unknown fields'));
  }
  const embedded = validateEmbedded(value, schema, at);
  return [...errors, ...(embedded.length > 0 ? embedded : validateValue(value, schema, undefined, at))];
}
