import { describe, expect, it } from 'vitest';
import { readYaml as readYamlStrictly } from './yaml-text.ts';

const readYaml = (text: string) => readYamlStrictly(text).value;

const problemOf = (text: string): string => {
  try {
    readYaml(text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

describe('YAML', () => {
  it.each<[string, string, unknown]>([
    ['nothing', '', {}],
    ['blocks', 'a:\n- b: 1\n  c: [x, {k: z}]\n- - 2', { a: [{ b: 1, c: ['x', { k: 'z' }] }, [2]] }],
    ['the booleans of 1.1', 'a: yes\nb: off\nc: "yes"', { a: true, b: false, c: 'yes' }],
    ['keys that are not texts', '1: a\ntrue: b\n1.5: c', { 1: 'a', true: 'b', '1.5': 'c' }],
    [
      'dates as the texts that they are',
      'a: 2024-01-01\nb: 2024-01-01T00:00:00Z',
      { a: '2024-01-01', b: '2024-01-01T00:00:00Z' },
    ],
    ['ports as the texts that they are', 'a: 22:22', { a: '22:22' }],
    ['aliases', 'a: &x {num: 1}\nb: *x\nc: [*x, *x]', { a: { num: 1 }, b: { num: 1 }, c: [{ num: 1 }, { num: 1 }] }],
    ['the last of two anchors of a name', 'a: &x 1\nb: &x 2\nc: *x', { a: 1, b: 2, c: 2 }],
    ['merge keys', 'a: &x {num: 1, m: 2}\nb: {<<: *x, m: 3}', { a: { num: 1, m: 2 }, b: { m: 3, num: 1 } }],
    ['the first document', 'a: 1\n---\nb: 2\n', { a: 1 }],
    ['bytes', 'a: !!binary aGVsbG8=', { a: 'hello' }],
    ['block texts', 'a: |\n  - - -\n  [[[\nb: >-\n  x\n  y', { a: '- - -\n[[[\n', b: 'x y' }],
    ['names of prototypes', '__proto__: {a: 1}\nconstructor: c', JSON.parse('{"__proto__":{"a":1},"constructor":"c"}')],
  ])('reads %s', (_what, text, expected) => {
    expect(readYaml(text)).toEqual(expected);
    expect(JSON.stringify(readYaml(text))).toBe(JSON.stringify(expected));
  });

  it('names keys that stand twice, with the line of the second value', () => {
    expect(readYamlStrictly('a: 1\nb:\n  c: 1\n  c: 2\na: 3')).toEqual({
      value: { a: 3, b: { c: 2 } },
      problem: 'yaml: unmarshal errors:\n  line 4: key "c" already set in map\n  line 5: key "a" already set in map',
    });
    expect(readYamlStrictly('a: {<<: {b: 1}, b: 2}').problem).toBeUndefined();
  });

  it('shares nothing between the places of an alias', () => {
    const { a, b } = readYaml('a: &x {num: 1}\nb: *x') as { a: object; b: object };
    expect(a).toEqual(b);
    expect(a).not.toBe(b);
  });

  it.each([
    ['a: *x', "yaml: unknown anchor 'x' referenced"],
    ['a: &x [*x]', "yaml: anchor 'x' value contains itself"],
    ['? {a: b}\n: c', 'yaml: only texts, numbers and booleans can be keys'],
    ['a: .inf', 'json: unsupported value: Infinity'],
  ])('refuses %j', (text, problem) => {
    expect(problemOf(text)).toBe(problem);
  });

  it('says in which line the problem is', () => {
    expect(problemOf('a: 1\nb: }\n')).toMatch(/^yaml: line 2: /);
  });

  /* These would take hours, or the process: that they come back at all is what is tested. */
  describe('that is made to hurt', () => {
    const MIB = 1024 * 1024;

    it.each<[string, string]>([
      ['lists in lists', '- '.repeat(1.5 * MIB)],
      ['keys in keys', '? '.repeat(1.5 * MIB)],
      ['open lists', '['.repeat(3 * MIB)],
      ['open maps', '{a: '.repeat(0.7 * MIB)],
      ['lists behind a quote', `a: it's\n  fine\nb: ${'['.repeat(2 * MIB)}`],
      ['lists behind brackets in a text', `a: "]]]]]]"\nb: ${'['.repeat(2 * MIB)}`],
      ['ever deeper lines', Array.from({ length: 1_500 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
      ['ever deeper items', Array.from({ length: 1_000 }, (_, depth) => `${'  '.repeat(depth)}- a:`).join('\n')],
    ])('by %s is refused for its depth', (_what, text) => {
      expect(problemOf(text)).toMatch(/exceeded max depth of 100$/);
    });

    it('may nest a hundred levels in each way at once', () => {
      const lines = Array.from({ length: 50 }, (_, depth) => `${'  '.repeat(depth)}- a:`);
      const text = `${lines.join('\n')} ${'['.repeat(100)}x${']'.repeat(100)}`;
      expect(problemOf(text)).toBe('none');
      expect(problemOf(`a: |\n  ${'- '.repeat(500)}\nb: "${'['.repeat(500)}"`)).toBe('none');
      expect(problemOf('- {a: 1}\n'.repeat(500))).toBe('none');
    });

    it('by aliases of aliases is refused', () => {
      const levels = Array.from({ length: 30 }, (_, level) => {
        const inner = level === 0 ? '"x"' : `*a${level - 1}`;
        return `a${level}: &a${level} [${inner}, ${inner}, ${inner}]`;
      });
      expect(problemOf(levels.join('\n'))).toBe('yaml: document contains excessive aliasing');
    });

    it('by aliases of one long text is refused', () => {
      const text = `a: &x ${'y'.repeat(100_000)}\nb:\n${'- *x\n'.repeat(1_000)}`;
      expect(problemOf(text)).toBe('yaml: document contains excessive aliasing');
    });

    it('by thousands of anchors is read, each looked up by its name', () => {
      const text = Array.from({ length: 20_000 }, (_, index) => `- &a${index} x\n- *a${index}`).join('\n');
      expect(readYaml(text)).toHaveLength(40_000);
    });

    it('by thousands of mistakes is refused for the first', () => {
      expect(problemOf(`a: ${'&a '.repeat(20_000)}x`)).toMatch(/^yaml: line 1: /);
      expect(problemOf(`[${','.repeat(20_000)}]`)).toMatch(/^yaml: line 1: /);
      expect(problemOf('"a" '.repeat(20_000))).toMatch(/^yaml: line 1: /);
    });
  });
});
