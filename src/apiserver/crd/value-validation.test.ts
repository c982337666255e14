import { describe, expect, it } from 'vitest';
import { fieldErrorText } from '../request/field-error.ts';
import type { JsonObject, JsonValue } from '../values/json.ts';
import { parseSchema } from './structural-schema.ts';
import { validateValue } from './value-validation.ts';

function texts(schema: JsonObject, value: JsonValue, old?: JsonValue): string[] {
  return validateValue(value, parseSchema(schema), old).map(fieldErrorText);
}

const spec = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...more } },
});

describe('validateValue', () => {
  it('names the wrong type and the right one', () => {
    const schema = spec({ replicas: { type: 'integer' } });
    expect(texts(schema, { spec: { replicas: 'x' } })).toEqual([
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
    ]);
    expect(texts(schema, { spec: { replicas: 3 } })).toEqual([]);
  });

  it('asks for what is required, at the root too', () => {
    expect(texts({ type: 'object', required: ['spec'] }, {})).toEqual(['spec: Required value']);
    expect(texts(spec({}, { required: ['size'] }), { spec: {} })).toEqual(['spec.size: Required value']);
  });

  it('lists what an enum allows', () => {
    expect(texts(spec({ size: { type: 'string', enum: ['S', 'M'] } }), { spec: { size: 'L' } })).toEqual([
      'spec.size: Unsupported value: "L": supported values: "S", "M"',
    ]);
  });

  it('counts characters, not bytes', () => {
    const schema = spec({ name: { type: 'string', maxLength: 3 } });
    expect(texts(schema, { spec: { name: 'äöü' } })).toEqual([]);
    expect(texts(schema, { spec: { name: '😀😀😀😀' } })).toEqual([
      'spec.name: Too long: may not be more than 3 bytes',
    ]);
  });

  it('tells limits of numbers, lists and maps', () => {
    const schema = spec({
      n: { type: 'integer', minimum: 1, maximum: 5, exclusiveMaximum: true },
      list: { type: 'array', maxItems: 1, items: { type: 'string' } },
      map: { type: 'object', minProperties: 1 },
    });
    expect(texts(schema, { spec: { n: 5, list: ['a', 'b'], map: {} } })).toEqual([
      'spec.n: Invalid value: 5: spec.n in body should be less than 5',
      'spec.list: Too many: 2: must have at most 1 item',
      'spec.map: Invalid value: 0: spec.map in body should have at least 1 properties',
    ]);
  });

  it('shows of failed alternatives the one that came closest', () => {
    const schema = spec({
      x: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    });
    expect(texts(schema, { spec: { x: true } })).toEqual([
      'spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"',
      '<nil>: Invalid value: "": "spec.x" must validate at least one schema (anyOf)',
      'spec.x: Invalid value: "boolean": spec.x in body must be of type integer: "boolean"',
    ]);
  });

  it('takes a null where the schema is nullable alone', () => {
    const schema = spec({ a: { type: 'string', nullable: true }, b: { type: 'string' } });
    expect(texts(schema, { spec: { a: null, b: null } })).toEqual([
      'spec.b: Invalid value: "null": spec.b in body must be of type string: "null"',
    ]);
  });

  it('checks formats that it knows and ignores others', () => {
    const schema = spec({ at: { type: 'string', format: 'date-time' }, x: { type: 'string', format: 'colour' } });
    expect(texts(schema, { spec: { at: 'now', x: 'red' } })).toEqual([
      'spec.at: Invalid value: "now": spec.at in body must be of type date-time: "now"',
    ]);
  });

  it('does not complain about what an update leaves alone', () => {
    const schema = spec({ name: { type: 'string', pattern: '^[a-z]+$' }, other: { type: 'string' } });
    const old = { spec: { name: 'LOUD', other: 'a' } };
    expect(texts(schema, { spec: { name: 'LOUD', other: 'b' } }, old)).toEqual([]);
    expect(texts(schema, { spec: { name: 'LOUDER', other: 'a' } }, old)).toEqual([
      'spec.name: Invalid value: "LOUDER": spec.name in body should match \'^[a-z]+$\'',
    ]);
  });

  it('finds the same item of a list again by its keys', () => {
    const schema = spec({
      list: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer', maximum: 1 } } },
      },
    });
    const old = { spec: { list: [{ k: 'a', v: 9 }] } };
    expect(
      texts(
        schema,
        {
          spec: {
            list: [
              { k: 'b', v: 1 },
              { k: 'a', v: 9 },
            ],
          },
        },
        old,
      ),
    ).toEqual([]);
    expect(texts(schema, { spec: { list: [{ k: 'b', v: 9 }] } }, old)).toHaveLength(1);
  });

  it('is not misled by the names of what every object inherits', () => {
    const schema = spec({ constructor: { type: 'string' } }, { required: ['toString'] });
    expect(texts(schema, { spec: {} })).toEqual(['spec.toString: Required value']);
    const keys = { type: 'object', properties: { map: { type: 'object', additionalProperties: { type: 'integer' } } } };
    expect(texts(keys, JSON.parse('{"map":{"__proto__":"x"}}') as JsonValue)).toEqual([
      'map.__proto__: Invalid value: "string": map.__proto__ in body must be of type integer: "string"',
    ]);
  });
});
