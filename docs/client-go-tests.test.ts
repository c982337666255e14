import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { missingTests } from '../tools/docs/test-table.ts';

it.each([
  'reflector/client-go-tests',
  'queue/client-go-tests',
  'store/client-go-tests',
  'informer/client-go-tests',
  'workqueue/client-go-tests',
  'controller/client-go-tests',
  'controller/helper-tests',
  'controller/election-tests',
])('every test of ours that %s.md names beside one of theirs is there', (page) => {
  expect(missingTests(fileURLToPath(new URL(`../src/${page}.md`, import.meta.url)))).toEqual([]);
});
