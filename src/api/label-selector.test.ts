import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LabelSelector } from './label-selector.ts';
import { SelectorError } from './selector-error.ts';

describe('LabelSelector.parse', () => {
  it.each([
    ['', ''],
    ['  ', ''],
    ['a', 'a'],
    ['!a', '!a'],
    ['! a', '!a'],
    ['a=b', 'a=b'],
    ['a == b , c != d', 'a==b,c!=d'],
    ['x in (b,a , c),y notin(d)', 'x in (a,b,c),y notin (d)'],
    ['z,a', 'a,z'],
    ['in in (notin)', 'in in (notin)'],
    ['a=', 'a='],
    ['a=,b', 'a=,b'],
    ['a in ()', 'a in ()'],
    ['a in (,)', 'a in ()'],
    ['a in (x,,y)', 'a in (,x,y)'],
    ['x>5,y<7', 'x>5,y<7'],
    ['app.kubernetes.io/name=web', 'app.kubernetes.io/name=web'],
  ])('reads %j as %j', (text, printed) => {
    expect(LabelSelector.parse(text).toString()).toBe(printed);
  });

  it.each([
    'a,',
    ',a',
    'a b',
    '(',
    'x>',
    'x>a',
    'x<1.5',
    'a=b c',
    'a in (b',
    'a in b',
    '!a=b',
    'a==b==c',
    'a=-b',
    '-a',
    'a/b/c',
    'A.b/c=d',
    `${'a'.repeat(64)}`,
  ])('refuses %j with a sentence that quotes it', (text) => {
    expect(() => LabelSelector.parse(text)).toThrow(SelectorError);
    expect(() => LabelSelector.parse(text)).toThrow(`"${text}" is not a label selector`);
  });
});

describe('LabelSelector.matches', () => {
  it.each([
    ['app=web', { app: 'web' }, true],
    ['app=web', { app: 'api' }, false],
    ['app=web', {}, false],
    ['app!=web', {}, true],
    ['app!=web', { app: 'web' }, false],
    ['app in (a,b)', { app: 'b' }, true],
    ['app notin (a,b)', { app: 'b' }, false],
    ['app notin (a,b)', {}, true],
    ['app', { app: '' }, true],
    ['app', {}, false],
    ['!app', {}, true],
    ['!app', { app: '' }, false],
    ['app=', { app: '' }, true],
    ['n>5', { n: '6' }, true],
    ['n>5', { n: '5' }, false],
    ['n<5', { n: '-6' }, true],
    ['n>5', { n: 'six' }, false],
    ['n>5', {}, false],
    ['n>9007199254740992', { n: '9007199254740993' }, true],
    ['n<5', { n: '99999999999999999999' }, false],
    ['a=1,b=2', { a: '1' }, false],
    ['constructor', {}, false],
    ['!constructor', {}, true],
  ])('%s on %j is %s', (text, labels, expected) => {
    expect(LabelSelector.parse(text).matches(labels as Record<string, string>)).toBe(expected);
  });

  it('everything matches an object without labels, and nothing matches no object', () => {
    expect(LabelSelector.everything.matches(undefined)).toBe(true);
    expect(LabelSelector.nothing.matches({ a: 'b' })).toBe(false);
  });
});

describe('LabelSelector.fromObject', () => {
  it('joins labels and expressions', () => {
    const selector = LabelSelector.fromObject({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['b', 'a'] },
        { key: 'env', operator: 'NotIn', values: ['dev'] },
        { key: 'x', operator: 'Exists' },
        { key: 'y', operator: 'DoesNotExist' },
      ],
    });
    expect(selector.toString()).toBe('app=web,env notin (dev),tier in (a,b),x,!y');
  });

  it('selects everything when empty, nothing when absent, and refuses an unknown operator', () => {
    expect(LabelSelector.fromObject({}).matchesEverything).toBe(true);
    expect(LabelSelector.fromObject(undefined).matchesNothing).toBe(true);
    expect(() => LabelSelector.fromObject({ matchExpressions: [{ key: 'a', operator: 'Like' }] })).toThrow('"Like"');
  });
});

const name = fc.stringMatching(/^[a-z]([-a-z0-9_.]{0,8}[a-z0-9])?$/);
const value = fc.oneof(fc.constant(''), name);
const requirement = fc.oneof(
  fc.tuple(name, fc.constantFrom('=', '==', '!='), value).map(([key, operator, one]) => `${key}${operator}${one}`),
  fc
    .tuple(name, fc.constantFrom('in', 'notin'), fc.array(value, { minLength: 1 }))
    .map(([key, operator, many]) => `${key} ${operator} (${many.join(',')})`),
  name,
  name.map((key) => `!${key}`),
  fc.tuple(name, fc.constantFrom('<', '>'), fc.nat()).map(([key, operator, number]) => `${key}${operator}${number}`),
);
const text = fc.array(requirement, { maxLength: 5 }).map((parts) => parts.join(', '));

describe('LabelSelector, for any selector', () => {
  it('prints a text that parses to the same selector', () => {
    fc.assert(
      fc.property(text, (input) => {
        const printed = LabelSelector.parse(input).toString();
        expect(LabelSelector.parse(printed).toString()).toBe(printed);
      }),
    );
  });

  it('matches the same objects after printing and parsing', () => {
    fc.assert(
      fc.property(text, fc.dictionary(name, value), (input, labels) => {
        const selector = LabelSelector.parse(input);
        expect(LabelSelector.parse(selector.toString()).matches(labels)).toBe(selector.matches(labels));
      }),
    );
  });

  it('never throws anything but a SelectorError, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab=!<>(), in\tnot/.-') }), (input) => {
        try {
          LabelSelector.parse(input);
        } catch (error) {
          expect(error).toBeInstanceOf(SelectorError);
        }
      }),
    );
  });
});
