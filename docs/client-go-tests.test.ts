import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { missingTests } from '../tools/docs/test-table.ts';

it.each(['reflector', 'queue', 'store', 'informer'])(
  'every test of ours that the table of %s names beside one of client-go is there',
  (folder) => {
    expect(missingTests(fileURLToPath(new URL(`../src/${folder}/client-go-tests.md`, import.meta.url)))).toEqual([]);
  },
);
