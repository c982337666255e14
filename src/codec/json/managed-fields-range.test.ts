import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateManagedFields } from './managed-fields-range.ts';

function without(text: string): string {
  const bytes = Buffer.from(text);
  const range = locateManagedFields(bytes, 0, bytes.length);
  if (range === undefined) return text;
  return bytes.toString('utf8', 0, range.start) + bytes.toString('utf8', range.end);
}

const field = (name: string) => `"managedFields":[{"manager":"${name}]}\\"","f":{}}]`;

describe('locateManagedFields', () => {
  it.each([
    ['alone', `{"metadata":{${field('a')}}}`, '{"metadata":{}}'],
    ['first', `{"metadata":{${field('a')},"name":"x"}}`, '{"metadata":{"name":"x"}}'],
    ['last', `{"metadata":{"name":"x",${field('a')}},"spec":{}}`, '{"metadata":{"name":"x"},"spec":{}}'],
    ['in the middle', `{"metadata":{"name":"x",${field('a')},"uid":"y"}}`, '{"metadata":{"name":"x","uid":"y"}}'],
    [
      'after other objects',
      `{"data":{"k":"v"},"metadata":{"labels":{"a":"b"},${field('a')}}}`,
      '{"data":{"k":"v"},"metadata":{"labels":{"a":"b"}}}',
    ],
  ])('finds them %s', (_, text, rest) => {
    expect(without(text)).toBe(rest);
  });

  it.each([
    ['of something else', `{"spec":{"template":{"metadata":{${field('a')}}}}}`],
    ['deeper in the metadata', `{"metadata":{"annotations":{${field('a')}}}}`],
    ['at the top', `{${field('a')},"metadata":{}}`],
    ['in a string', `{"metadata":{"name":${JSON.stringify(`{${field('a')}}`)}}}`],
    ['after the metadata', `{"metadata":{},${field('a')}}`],
    ['under a key that ends like metadata', `{"x\\"metadata":{${field('a')}}}`],
    ['that are not an array', '{"metadata":{"managedFields":null}}'],
    ['that do not end', '{"metadata":{"managedFields":[{"a":1}'],
  ])('leaves those alone %s', (_, text) => {
    expect(without(text)).toBe(text);
  });

  it('takes nothing else away, whatever is around', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), value),
        fc.dictionary(fc.string(), value),
        fc.array(value),
        (before, after, managedFields) => {
          const metadata = JSON.parse(JSON.stringify({ ...before, managedFields, ...after }));
          const rest = { ...metadata };
          delete rest.managedFields;
          const text = without(JSON.stringify({ kind: 'Pod', metadata, spec: before }));
          const result = JSON.parse(text);
          delete result.metadata.managedFields;
          expect(result).toEqual(JSON.parse(JSON.stringify({ kind: 'Pod', metadata: rest, spec: before })));
        },
      ),
    );
  });
});
