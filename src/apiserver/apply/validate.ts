import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import { goType, goValue, quote } from './go-text.ts';
import { itemElement, SchemaMismatch } from './list-item.ts';
import { elementText, fieldElement, type PathElement } from './path-element.ts';
import { kindOf, type ListSchema, type MapSchema, type MergeSchema, type ScalarKind } from './schema-node.ts';

export interface ValidateOptions {
  /** Whether items of a set or keyed list may share their identity: stored objects may, a configuration may not. */
  readonly allowDuplicates: boolean;
}

/** Throws a `SchemaMismatch` that names everything in which the value does not fit its schema. */
export function validate(value: JsonValue, schema: MergeSchema, options: ValidateOptions): void {
  const errors: string[] = [];
  visit(value, schema, '', { ...options, errors });
  if (errors.length === 1) throw new SchemaMismatch(errors[0]);
  if (errors.length > 1) throw new SchemaMismatch(['errors:', ...errors.map((error) => `  ${error}`)].join('\n'));
}

interface Visit extends ValidateOptions {
  readonly errors: string[];
}

function visit(value: JsonValue, schema: MergeSchema, path: string, run: Visit): void {
  const kind = kindOf(schema, value);
  if (value === null) return;
  if (kind === 'map' && schema.map) {
    if (isObject(value)) visitMap(value, schema.map, path, run);
    else report(run, path, `expected map, got &{${goValue(value)}}`);
  } else if (kind === 'list' && schema.list) {
    if (Array.isArray(value)) visitList(value, schema.list, path, run);
    else report(run, path, `expected list, got &{${goValue(value)}}`);
  } else if (schema.scalar) {
    const problem = scalarProblem(schema.scalar, value);
    if (problem) report(run, path, problem);
  }
}

function visitMap(value: JsonObject, map: MapSchema, path: string, run: Visit): void {
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const below = path + elementText(fieldElement(key));
    const schema = map.field(key)?.schema ?? map.elements;
    if (!schema) {
      report(run, below, 'field not declared in schema');
      // One unknown field is reported for each map, as the real server does.
      return;
    }
    visit(item, schema, below, run);
  }
}

function visitList(value: readonly JsonValue[], list: ListSchema, path: string, run: Visit): void {
  const seen = new Set<PathElement>();
  for (const [index, item] of value.entries()) {
    let below = `${path}[${index}]`;
    if (list.kind !== 'atomic') {
      let element: PathElement;
      try {
        element = itemElement(list, item);
      } catch (error) {
        if (!(error instanceof SchemaMismatch)) throw error;
        report(run, path, `element ${index}: ${error.message}`);
        return;
      }
      below = path + elementText(element);
      if (seen.has(element) && !run.allowDuplicates) {
        report(run, path, `duplicate entries for key ${elementText(element)}`);
      }
      seen.add(element);
    }
    visit(item, list.items, below, run);
  }
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

/** `%#v` of what may stand where a string should. */
function literal(value: JsonValue | undefined): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(literal).join(', ')}}`;
  if (!isObject(value)) return value === null || value === undefined ? 'interface {}(nil)' : String(value);
  const entries = Object.keys(value).sort();
  return `map[string]interface {}{${entries.map((key) => `${quote(key)}:${literal(value[key])}`).join(', ')}}`;
}

function report(run: Visit, path: string, problem: string): void {
  run.errors.push(path === '' ? problem : `${path}: ${problem}`);
}
