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
    expect(LabelSelector.nothing.matchesEverything).toBe(false);
    // It must not be empty, which servers take for everything.
    for (const labels of [undefined, {}, { nothing: '' }]) {
      expect(LabelSelector.parse(LabelSelector.nothing.toString()).matches(labels)).toBe(false);
    }
  });
});

describe('LabelSelector.parse of what is no text', () => {
  it.each([{ matchLabels: { app: 'web' } }, { labelSelector: 'app=web' }, 5, null])('says what %o is not', (given) => {
    expect(() => LabelSelector.parse(given as unknown as string)).toThrow(/^a label selector is a text such as/);
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
    expect(LabelSelector.fromObject(JSON.parse('null')).matchesNothing).toBe(true);
    expect(() => LabelSelector.fromObject({ matchExpressions: [{ key: 'a', operator: 'Like' }] })).toThrow('"Like"');
  });

  it.each<[string, object]>([
    ['a value that is more than one', { matchLabels: { app: 'web,tier=db' } }],
    ['a value with blanks', { matchLabels: { app: ' web' } }],
    ['a value that is not a text', { matchLabels: { app: 5 } }],
    ['no value', { matchLabels: { app: undefined } }],
    ['a key that is more than one', { matchExpressions: [{ key: 'a,b', operator: 'Exists' }] }],
    ['a key that says more', { matchExpressions: [{ key: 'a=b', operator: 'Exists' }] }],
    ['an empty key', { matchExpressions: [{ key: '', operator: 'Exists' }] }],
    ['no key', { matchExpressions: [{ operator: 'DoesNotExist' }] }],
    ['a value of a set that is more than one', { matchExpressions: [{ key: 'a', operator: 'In', values: ['x,y'] }] }],
    ['a value that ends its set', { matchExpressions: [{ key: 'a', operator: 'In', values: ['x),b in (y'] }] }],
    ['an empty set', { matchExpressions: [{ key: 'a', operator: 'In', values: [] }] }],
    ['no set', { matchExpressions: [{ key: 'a', operator: 'NotIn' }] }],
    ['labels by themselves', { app: 'web' }],
    ['a list', ['app=web']],
    ['a set where none is asked for', { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }],
  ])('refuses %s, as a server does', (_, object) => {
    expect(() => LabelSelector.fromObject(object)).toThrow(SelectorError);
  });

  it('refuses a text, which would select everything', () => {
    expect(() => LabelSelector.fromObject('app=web' as unknown as object)).toThrow(
      /^LabelSelector.fromObject takes \{ matchLabels/,
    );
  });

  it('takes keys and values that the grammar has other uses for', () => {
    const selector = LabelSelector.fromObject({
      matchLabels: { in: 'notin', notin: '' },
      matchExpressions: [{ key: 'x', operator: 'In', values: ['in', '', 'in'] }],
    });
    expect(selector.toString()).toBe('in=notin,notin=,x in (,in)');
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
