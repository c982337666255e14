import { describe, expect, it } from 'vitest';
import { informerFixture, type Thing } from './informer-fixture.ts';

describe('the version of an informer’s store', () => {
  it.each(['delta', 'inOrder'] as const)(
    'is right after a list, a bookmark, a change and a deletion (queue: %s)',
    async (queue) => {
      const { source, informer, run, settle, stop } = informerFixture({ queue });
      const version = () => informer.store.lastStoreSyncResourceVersion();
      source.set('a'); // 1
      source.set('b'); // 2
      source.remove('b'); // 3
      expect(version()).toBe('');
      const running = run();
      await settle();
      expect(version()).toBe('3');

      source.send({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '4' } } });
      await settle();
      expect(version()).toBe('4');

      for (const _ of [1, 2, 3]) source.set('c'); // 4 to 6
      await settle();
      expect(version()).toBe('6');

      source.remove('a');
      await settle();
      expect(version()).toBe('7');
      expect(informer.lastSyncResourceVersion()).toBe('7');
      stop.abort();
      await running;
    },
  );

  it.each(['delta', 'inOrder'] as const)(
    'follows lists, changes and deletions though a transform leaves nothing of the metadata (queue: %s)',
    async (queue) => {
      const transform = ({ metadata: _, ...thing }: Thing) => thing as Thing;
      const { source, informer, run, settle, stop } = informerFixture({ queue, transform });
      const version = () => informer.store.lastStoreSyncResourceVersion();
      source.set('a'); // 1
      source.set('b'); // 2
      source.remove('b'); // 3
      const running = run();
      await settle();
      expect(version()).toBe('3');
      source.set('a'); // 4
      await settle();
      expect(version()).toBe('4');
      source.remove('a'); // 5
      await settle();
      expect(version()).toBe('5');
      stop.abort();
      await running;
    },
  );

  it('is that of the list when objects have vanished in it, or all of them', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    const version = () => informer.store.lastStoreSyncResourceVersion();
    for (const name of ['a', 'b', 'c']) source.set(name);
    const running = run();
    await settle();
    source.quiet = true;
    source.remove('b');
    source.remove('c'); // 5
    source.compact();
    source.quiet = false;
    source.cut();
    await settle(10_000);
    expect(informer.store.listKeys()).toEqual(['default/a']);
    expect(version()).toBe('5');
    source.quiet = true;
    source.remove('a'); // 6
    source.compact();
    source.quiet = false;
    source.cut();
    await settle(10_000);
    expect(informer.store.listKeys()).toEqual([]);
    expect(version()).toBe('6');
    stop.abort();
    await running;
  });

  it('does not promise more than is stored: a handler never finds an object missing that came before it', async () => {
    const { source, informer, clock, run, settle, stop } = informerFixture();
    // Each object takes a whole slice, so that handlers have their turns while the others wait in the queue.
    const slow = () => {
      clock.spend(20);
      return [];
    };
    informer.addIndexers({ slow });
    const running = run();
    await settle();
    const missing: string[] = [];
    const versions = new Map<string, number>();
    const sizes: number[] = [];
    const check = () => {
      sizes.push(informer.store.size);
      const upTo = Number(informer.store.lastStoreSyncResourceVersion());
      for (const [name, version] of versions) {
        const held = Number(informer.store.getByKey(`default/${name}`)?.metadata?.resourceVersion ?? 0);
        if (version <= upTo && held < version) missing.push(`${name}@${version} at ${upTo}`);
      }
    };
    informer.addEventHandler({ onAdd: check, onUpdate: check });
    for (const name of ['a', 'b', 'a', 'c', 'b', 'a']) {
      versions.set(name, Number(source.set(name).metadata?.resourceVersion));
    }
    await settle();
    expect(informer.store.lastStoreSyncResourceVersion()).toBe('6');
    expect(missing).toEqual([]);
    expect(Math.min(...sizes)).toBeLessThan(versions.size);
    stop.abort();
    await running;
  });
});
