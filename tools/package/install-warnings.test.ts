import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { installWarnings, satisfies } from './install-warnings.ts';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('npm ci', () => {
  it('warns of nothing on the oldest Node that the README names', () => {
    const [, floor] = /Node (\d+\.\d+) or newer/.exec(read('README.md')) ?? [];
    const { engines } = JSON.parse(read('package.json'));
    expect(engines.node).toBe(`>=${floor}`);
    const { packages } = JSON.parse(read('package-lock.json'));
    expect(Object.keys(packages).length).toBeGreaterThan(100);
    expect(installWarnings(packages, `${floor}.0`)).toEqual([]);
  });

  it('warns of packages that want another Node, or are deprecated, unless they are optional', () => {
    const packages = {
      'node_modules/new': { engines: { node: '^22.13.0 || >=24' } },
      'node_modules/old': { deprecated: 'use new', engines: { node: '>= 18' } },
      'node_modules/maybe': { optional: true, engines: { node: '>=99' } },
    };
    expect(installWarnings(packages, '20.19.0')).toEqual([
      'node_modules/new wants Node ^22.13.0 || >=24, and gets 20.19.0',
      'node_modules/old is deprecated: use new',
    ]);
  });

  it.each([
    ['*', true],
    ['>=20.18.1', true],
    ['>=20.19.1', false],
    ['>= 20', true],
    ['^20.19.0 || >=22.12.0', true],
    ['^20.20.0 || >=22.12.0', false],
    ['^18.0.0', false],
    ['20 || >=22', true],
    ['~20.19.0', true],
    ['~20.18.0', false],
    ['20.x', true],
    ['19.x', false],
    ['>=18 <21', true],
    ['>=18 <20', false],
  ])('reads the range %s', (range, expected) => {
    expect(satisfies('20.19.0', range)).toBe(expected);
  });

  it('does not guess at a range', () => {
    expect(() => satisfies('20.19.0', 'lts')).toThrow('cannot read the range "lts"');
  });
});
