import type { FieldSchema } from '../api/type-schema.ts';
import { typeSchema } from '../generated/type-schemas.ts';
import { fromDate, MicroTime } from './micro-time.ts';

export type Direction = 'to client-node' | 'from client-node';

/** Names of fields that its generator may not use as they are. */
const RESERVED = new Set(['continue', 'default', 'enum', 'from', 'int']);

/** What client-node calls a field: `_continue`, `x_kubernetes_list_type`, `ref` for `$ref`. */
export function clientNodeName(json: string): string {
  return RESERVED.has(json) ? `_${json}` : json.replace(/^\$/, '').replaceAll('-', '_');
}

/** The fields of an object, by its schema; what the schema does not know stays as it is. Copies what it changes. */
export function converted(object: object, schema: string, direction: Direction): Record<string, unknown> {
  const fields = fieldsOf(schema);
  const result: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    const isOurs = direction === 'to client-node';
    const field = fields.find(({ json }) => (isOurs ? json : clientNodeName(json)) === name);
    if (field === undefined) result[name] = value;
    else result[isOurs ? clientNodeName(field.json) : field.json] = convertedValue(value, field, direction);
  }
  return result;
}

function convertedValue(value: unknown, field: FieldSchema, direction: Direction): unknown {
  if (field.shape === 'list')
    return Array.isArray(value) ? value.map((each) => element(each, field, direction)) : value;
  if (field.shape === 'one' || !isObject(value)) return element(value, field, direction);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, element(each, field, direction)]));
}

function element(value: unknown, { type }: FieldSchema, direction: Direction): unknown {
  if (type === 'Time' || type === 'MicroTime') {
    return direction === 'to client-node' ? toDate(value, type) : fromDate(value, type);
  }
  const schema = typeSchema(type);
  // What JSON shows as one of several things is `any` in client-node, which leaves it alone.
  if (schema === undefined || schema.form !== undefined || !isObject(value)) return value;
  return converted(value, type, direction);
}

function toDate(value: unknown, type: string): unknown {
  if (typeof value !== 'string') return value;
  const date = type === 'Time' ? new Date(value) : new MicroTime(value);
  return Number.isNaN(date.getTime()) ? value : date;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** With those of embedded structs, which JSON shows in their parent. */
function fieldsOf(type: string): FieldSchema[] {
  const fields = typeSchema(type)?.fields ?? [];
  return fields.flatMap((field) => (field.inline ? fieldsOf(field.type) : [field]));
}
