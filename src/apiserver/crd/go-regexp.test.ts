import { describe, expect, it } from 'vitest';
import { goRegExp } from './go-regexp.ts';

describe('goRegExp', () => {
  it.each([
    ['^[a-z]+$', 'abc', true],
    ['^[a-z]+$', 'abc\n', false],
    ['(?i)^abc$', 'ABC', true],
    ['(?s)^a.b$', 'a\nb', true],
    ['^a.b$', 'a\nb', false],
    ['^a.b$', 'a\rb', true],
    ['^\\d{2}-\\w+$', '12-ab', true],
    ['^\\s$', '\u00a0', false],
    ['^[[:alpha:]_]+$', 'ab_', true],
    ['^[[:alpha:]_]+$', 'a1', false],
    ['^\\p{Greek}\\pL$', 'αz', true],
    ['^(?P<name>a)$', 'a', true],
    ['^\\Qa.b\\E$', 'a.b', true],
    ['^\\Qa.b\\E$', 'axb', false],
    ['^\\A[\\w\\-]+\\z$', 'a-b', true],
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'a-9', true],
    ['^[^/]+/[^/]+$', 'a/b', true],
    ['^a{2,3}$', 'aaa', true],
    ['^a{x}$', 'a{x}', true],
    ['^[]a]$', ']', true],
    ['^[\\w-]$', '-', true],
    ['^\\x41\\x{1F600}$', 'A😀', true],
    ['^/[a-z\\-_\\.]+$', '/a-b_c.d', true],
    ['^.$', '😀', true],
    ['^(?i)\\.?[a-z_][a-z_0-9]*$', 'Foo_1', true],
    ['^a(?i)b$', 'AB', false],
    ['^a(?i)b$', 'aB', true],
    ['^(?i:a)b$', 'Ab', true],
    ['^(?i:a)b$', 'AB', false],
    ['(?m)^b$', 'a\nb\nc', true],
    ['^(?s:.)$', '\n', true],
  ])('%s on %j: %s', (pattern, text, matches) => {
    expect(goRegExp(pattern).test(text)).toBe(matches);
  });

  it.each(['(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', '[a', '(a', 'a**', '\\', '(?U)a+', '\\y', 'a{2000}'])(
    'refuses %s',
    (pattern) => {
      expect(() => goRegExp(pattern)).toThrow();
    },
  );
});
