import { isObject, type JsonObject, type JsonValue } from '../values/json.ts';
import { type TextStyle, treeText } from '../values/json-text.ts';
import { goType, goValue, quote } from './go-value.ts';
import { itemElement, SchemaMismatch } from './list-item.ts';
import { elementText, fieldElement, type PathElement } from './path-element.ts';
import { kindOf, type ListSchema, type MapSchema, type MergeSchema, type ScalarKind } from './schema-node.ts';

export interface ValidateOptions {
  /** Whether items of a set or keyed list may share their identity: stored objects may, a configuration may not. */
  readonly allowDuplicates: boolean;
}

/** Throws a `SchemaMismatch` that names everything in which the value does not fit its schema. */
export function validate(value: JsonValue, schema: MergeSchema, { allowDuplicates }: ValidateOptions): void {
  const errors: string[] = [];
  // Without recursion: values may nest more deeply than the stack reaches. What is found is told in the order of the value.
  const open: (Pending | string)[] = [{ value, schema, path: '' }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') {
      errors.push(next);
      continue;
    }
    for (const part of partsOf(next, allowDuplicates).reverse()) open.push(part);
  }
  if (errors.length === 1) throw new SchemaMismatch(errors[0]);
  if (errors.length > 1) throw new SchemaMismatch(['errors:', ...errors.map((error) => `  ${error}`)].join('\n'));
}

interface Pending {
  readonly value: JsonValue;
  readonly schema: MergeSchema;
  readonly path: string;
}

/** What is to be looked at next, and what is wrong, in order. */
function partsOf({ value, schema, path }: Pending, allowDuplicates: boolean): (Pending | string)[] {
  const kind = kindOf(schema, value);
  if (value === null) return [];
  if (kind === 'map' && schema.map) {
    return isObject(value) ? fieldsOf(value, schema.map, path) : [at(path, `expected map, got &{${goValue(value)}}`)];
  }
  if (kind === 'list' && schema.list) {
    return Array.isArray(value)
      ? itemsOf(value, schema.list, path, allowDuplicates)
      : [at(path, `expected list, got &{${goValue(value)}}`)];
  }
  const problem = schema.scalar && scalarProblem(schema.scalar, value);
  return problem ? [at(path, problem)] : [];
}

function fieldsOf(value: JsonObject, map: MapSchema, path: string): (Pending | string)[] {
  const parts: (Pending | string)[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const below = path + elementText(fieldElement(key));
    const schema = map.field(key)?.schema ?? map.elements;
    if (!schema) {
      // One unknown field is reported for each map, as the real server does.
      parts.push(at(below, 'field not declared in schema'));
      break;
    }
    parts.push({ value: item, schema, path: below });
  }
  return parts;
}

function itemsOf(
  value: readonly JsonValue[],
  list: ListSchema,
  path: string,
  allowDuplicates: boolean,
): (Pending | string)[] {
  const parts: (Pending | string)[] = [];
  const seen = new Set<PathElement>();
  for (const [index, item] of value.entries()) {
    let below = `${path}[${index}]`;
    if (list.kind !== 'atomic') {
      let element: PathElement;
      try {
        element = itemElement(list, item);
      } catch (error) {
        if (!(error instanceof SchemaMismatch)) throw error;
        parts.push(at(path, `element ${index}: ${error.message}`));
        return parts;
      }
      below = path + elementText(element);
      if (seen.has(element) && !allowDuplicates) {
        parts.push(at(path, `duplicate entries for key ${elementText(element)}`));
      }
      seen.add(element);
    }
    parts.push({ value: item, schema: list.items, path: below });
  }
  return parts;
}

function scalarProblem(scalar: ScalarKind, value: JsonValue): string | undefined {
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${literal(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${goValue(value)}}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got &{${goValue(value)}}` : undefined;
  }
}

const LITERAL: TextStyle = {
  list: ['[]interface {}{', '}'],
  map: ['map[string]interface {}{', '}'],
  separator: ', ',
  key: (name) => `${quote(name)}:`,
  scalar: (value) => {
    if (typeof value === 'string') return quote(value);
    return value === null || value === undefined ? 'interface {}(nil)' : String(value);
  },
  sorted: true,
};

/** `%#v` of what may stand where a string should. */
function literal(value: JsonValue | undefined): string {
  return treeText(value, LITERAL);
}

function at(path: string, problem: string): string {
  return path === '' ? problem : `${path}: ${problem}`;
}
