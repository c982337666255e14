import { expect, test } from 'vitest';
import type { Cached } from '../api/cached.ts';
import { SyncPosition } from './sync-position.ts';
import { TargetWriter } from './target-writer.ts';

const cached = (key: string) => ({ key, resourceVersion: '1' }) as Cached;

async function toldOf(keys: readonly string[], areUnique?: boolean): Promise<boolean | undefined> {
  let told: boolean | undefined;
  const none = () => {};
  const target = {
    add: none,
    update: none,
    delete: none,
    resync: none,
    replace: (_objects: readonly Cached[], _version: string, unique?: boolean) => {
      told = unique;
    },
  };
  const writer = new TargetWriter(target, new SyncPosition());
  const listed = { items: keys.map(cached), broken: [], ...(areUnique !== undefined && { areUnique }) };
  await writer.replace(await writer.prepare(listed, new AbortController().signal), '1');
  return told;
}

test('a list in the order of its keys is known to have none twice', async () => {
  expect(await toldOf([])).toBe(true);
  expect(await toldOf(['a/b', 'a/c', 'b/a'])).toBe(true);
});

test('of any other list that is not known, unless whoever fetched it says so', async () => {
  expect(await toldOf(['a', 'b', 'b'])).toBe(false);
  expect(await toldOf(['b', 'a'])).toBe(false);
  expect(await toldOf(['b', 'a', 'c'], true)).toBe(true);
});
