import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FieldSelector } from './field-selector.ts';
import { SelectorError } from './selector-error.ts';

const reader = (fields: Record<string, string>) => (field: string) => fields[field] ?? '';

describe('FieldSelector', () => {
  it.each([
    ['', { a: '1' }, true],
    ['status.phase=Running', { 'status.phase': 'Running' }, true],
    ['status.phase==Running', { 'status.phase': 'Pending' }, false],
    ['status.phase!=Failed', {}, true],
    ['spec.nodeName=', {}, true],
    ['a=1,b!=2', { a: '1', b: '2' }, false],
    ['a=x\\,y', { a: 'x,y' }, true],
    ['a=x\\=y', { a: 'x=y' }, true],
    ['a=x\\\\y', { a: 'x\\y' }, true],
    [',,a=1,', { a: '1' }, true],
  ])('%j on %j is %s', (text, fields, expected) => {
    expect(FieldSelector.parse(text).matches(reader(fields as Record<string, string>))).toBe(expected);
  });

  it.each(['a', 'a=b=c', 'a=\\n', 'a=x\\'])('refuses %j', (text) => {
    expect(() => FieldSelector.parse(text)).toThrow(SelectorError);
  });

  it.each([{ 'spec.nodeName': 'node-1' }, 5, null])('says what %o is not', (given) => {
    expect(() => FieldSelector.parse(given as unknown as string)).toThrow(/^a field selector is a text such as/);
  });

  it('tells the value that it demands of a field', () => {
    const selector = FieldSelector.parse('metadata.name=web,spec.nodeName!=n1');
    expect(selector.exactValue('metadata.name')).toBe('web');
    expect(selector.exactValue('spec.nodeName')).toBeUndefined();
  });

  it('prints a text that parses to the same selector, whatever the values', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.stringMatching(/^[a-z.]+$/), fc.constantFrom('=', '!='), fc.string())),
        (terms) => {
          const text = terms
            .map(([field, operator, value]) => `${field}${operator}${value.replace(/[\\,=]/g, '\\$&')}`)
            .join(',');
          const selector = FieldSelector.parse(text);
          expect(selector.requirements.map(({ value }) => value)).toEqual(terms.map(([, , value]) => value));
          expect(FieldSelector.parse(selector.toString()).requirements).toEqual(selector.requirements);
        },
      ),
    );
  });
});
