import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, it } from 'vitest';
import type { StoreValue } from '../observe/channels.ts';
import { StoreStory } from './store-story.ts';

type Change = Parameters<StoreStory['comes']>[0];
type Stored = Parameters<StoreStory['changed']>[0];

/** The part of an informer that the story is about, played by hand. */
function scene() {
  let current = 0;
  const told: StoreValue[] = [];
  const story = new StoreStory({ name: 'pods' }, () => current);
  const object = (key: string) => ({ key, uid: '', resourceVersion: '1' });
  return {
    story,
    /** @returns what brought the last change of the key, by the story */
    from(key: string): number | undefined {
      const listener = (value: unknown) => void told.push(value as StoreValue);
      subscribe('tidewatch:store', listener);
      story.changed({ type: 'update', object: object(key), old: undefined, atMs: 0 } as unknown as Stored);
      unsubscribe('tidewatch:store', listener);
      return told.at(-1)?.from;
    },
    bring(id: number, keys: readonly string[], isNext: boolean): void {
      current = id;
      for (const [n, key] of keys.entries()) {
        story.comes({ type: 'MODIFIED', object: object(key) } as unknown as Change, isNext && n === 0);
      }
    },
    list(id: number): void {
      current = id;
      story.comes({ type: 'LIST' } as unknown as Change, false);
    },
  };
}

it('a change comes from the batch that brought it, also when others are queued before and after', () => {
  const { bring, from } = scene();
  bring(1, ['a', 'b'], true);
  bring(2, ['b', 'c'], false);
  bring(3, ['c'], false);
  expect(['a', 'b', 'c'].map(from)).toEqual([1, 2, 3]);
});

it('a batch that finds nothing queued has nothing to do with those before', () => {
  const { bring, from, story } = scene();
  bring(1, ['a'], true);
  bring(2, ['a', 'b'], false);
  story.idle();
  bring(3, ['a', 'b'], true);
  expect(['a', 'b'].map(from)).toEqual([3, 3]);
  bring(4, ['a'], true);
  expect(from('a')).toBe(4);
});

it('what a list brings comes from the list, and what comes after it from its batch', () => {
  const { bring, list, from } = scene();
  bring(1, ['a'], true);
  bring(2, ['b'], false);
  list(3);
  bring(4, ['c'], false);
  expect(['a', 'b', 'c'].map(from)).toEqual([3, 3, 4]);
});

it('nothing is said of what was queued before anybody listened', () => {
  const { bring, from } = scene();
  bring(7, ['b'], false);
  expect(['a', 'b'].map(from)).toEqual([undefined, 7]);
});
