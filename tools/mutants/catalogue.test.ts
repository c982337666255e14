import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { MUTANTS } from './catalogue.ts';
import { planted } from './mutant.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('every planted bug finds the code that it replaces: who changes that code carries the bug along', () => {
  const faults = MUTANTS.flatMap((mutant) => {
    try {
      planted(readFileSync(`${root}${mutant.file}`, 'utf8'), mutant);
      return [];
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)];
    }
  });
  expect(faults).toEqual([]);
  expect(MUTANTS.length).toBeGreaterThan(60);
});
