import { duplicate, type FieldError, invalid, required } from '../request/field-error.ts';
import { goNumber } from '../table/go-number.ts';
import { getPath, type JsonObject } from '../values/json.ts';
import { childPath, indexPath } from './child-path.ts';
import { additionalSchema, type Schema } from './structural-schema.ts';

const MOST_FIELDS = 8;
const SELECTABLE_TYPES = new Set(['string', 'boolean', 'integer']);

/** `.spec.color` of an object as the text that a field selector compares; "" when it is not there. */
export function selectableText(object: JsonObject, jsonPath: string): string {
  const value = getPath(object, ...jsonPath.replace(/^\./, '').split('.'));
  if (typeof value === 'number') return goNumber(value);
  return value === undefined || value === null || typeof value === 'object' ? '' : String(value);
}

export function selectableFieldErrors(paths: readonly string[], schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, jsonPath] of paths.entries()) {
    const at = childPath(indexPath(path, index), 'jsonPath');
    if (jsonPath === '') {
      errors.push(required(at));
      continue;
    }
    const found = schemaAt(jsonPath, schema);
    if (typeof found === 'string') {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${found}`));
      continue;
    }
    if (/^\.metadata(?:\.|$)/.test(jsonPath)) {
      errors.push(invalid(at, jsonPath, 'must not point to fields in metadata'));
    }
    if (!SELECTABLE_TYPES.has(found.type)) {
      const detail =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(invalid(at, jsonPath, detail));
    }
    if (seen.has(jsonPath)) errors.push(duplicate(at, jsonPath));
    seen.add(jsonPath);
  }
  if (seen.size > MOST_FIELDS) {
    const message = `Too many: ${seen.size}: must have at most ${MOST_FIELDS} items`;
    errors.push({ reason: 'FieldValueTooMany', field: path, message });
  }
  return errors;
}

/** The schema that a path leads to, or what is wrong with the path. */
function schemaAt(jsonPath: string, root: Schema): Schema | string {
  if (jsonPath.includes('[')) return 'array notation is not allowed';
  if (!jsonPath.startsWith('.')) return `expected [ or . but got: ${jsonPath.split('.')[0] ?? ''}`;
  if (jsonPath.endsWith('.')) return 'unexpected end of JSON path';
  let schema = root;
  for (const name of jsonPath.slice(1).split('.')) {
    const next = schema.properties.size > 0 ? schema.properties.get(name) : additionalSchema(schema);
    if (next === undefined) return 'does not refer to a valid field';
    schema = next;
  }
  return schema;
}
