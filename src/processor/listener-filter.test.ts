import { describe, expect, it } from 'vitest';
import type { Cached } from '../api/cached.ts';
import { Notification } from './notification.ts';
import { processorFixture, recorder, version } from './processor-fixture.ts';

const add = (name: string, rv: string) => Notification.add(version(name, rv), false, 0);
const update = (name: string, old: string, rv: string) => Notification.update(version(name, old), version(name, rv), 0);
const remove = (name: string, old: string, rv: string) =>
  Notification.delete(version(name, rv), false, 0, version(name, old));
const isEven = (object: Cached) => Number(object.resourceVersion) % 2 === 0;

describe('filter', () => {
  it('turns what enters into an add and what leaves into a delete of the last state that passed', async () => {
    const { processor, settle } = processorFixture();
    const handler = recorder();
    processor.addHandler(handler, { filter: isEven }, [version('x', '1')]);
    processor.distribute(update('a', '1', '2'), false);
    processor.distribute(update('a', '2', '4'), false);
    processor.distribute(update('a', '4', '5'), false);
    processor.distribute(update('a', '5', '7'), false);
    processor.distribute(remove('a', '7', '9'), false);
    await settle();
    expect(handler.heard).toEqual(['add a@2', 'update a@2->4', 'delete a@4']);
  });

  it('lets the deletion of what was shown through, whatever the final state, and no other', async () => {
    const { processor, settle } = processorFixture();
    const handler = recorder();
    processor.addHandler(handler, { filter: isEven }, [version('listed', '2'), version('unlisted', '3')]);
    await settle();
    processor.distribute(add('a', '4'), false);
    processor.distribute(remove('a', '4', '5'), false);
    processor.distribute(add('b', '5'), false);
    processor.distribute(remove('b', '5', '6'), false);
    processor.distribute(remove('listed', '2', '7'), false);
    processor.distribute(remove('unlisted', '3', '8'), false);
    await settle();
    expect(handler.heard).toEqual(['add listed@2 initial', 'add a@4', 'delete a@5', 'delete listed@7']);
  });

  it.each(['all', 'latest'] as const)(
    'judges what changes before its turn in the initial list by the state that was listed: %s',
    async (delivery) => {
      const { processor, settle } = processorFixture();
      const handler = recorder();
      const present = ['2', '3', '4', '5'].map((rv) => version(`v${rv}`, rv));
      const registration = processor.addHandler(handler, { filter: isEven, delivery }, present);
      processor.distribute(update('v2', '2', '12'), false);
      processor.distribute(update('v3', '3', '13'), false);
      processor.distribute(update('v3', '13', '14'), false);
      processor.distribute(update('v4', '4', '15'), false);
      processor.distribute(remove('v5', '5', '16'), false);
      await settle();
      const settled =
        delivery === 'all' ? ['add v2@2 initial', 'add v4@4 initial', 'update v2@2->12'] : ['add v2@12 initial'];
      expect(handler.heard).toEqual([...settled, 'add v3@14', ...(delivery === 'all' ? ['delete v4@4'] : [])]);
      expect(registration.hasSynced()).toBe(true);
    },
  );

  it('that changes its mind adds nothing twice and deletes nothing that was never shown', async () => {
    const { processor, settle } = processorFixture();
    const handler = recorder();
    let wanted = 'yes';
    processor.addHandler(handler, { filter: () => wanted === 'yes' }, [version('a', '1'), version('b', '1')]);
    await settle();
    wanted = 'no';
    processor.distribute(add('c', '2'), false);
    processor.distribute(update('a', '1', '3'), false);
    wanted = 'yes';
    processor.distribute(update('a', '3', '4'), false);
    processor.distribute(update('b', '1', '5'), false);
    processor.distribute(remove('c', '2', '6'), false);
    await settle();
    expect(handler.heard.slice(2)).toEqual(['delete a@1', 'add a@4', 'update b@1->5']);
  });

  it('that changes its mind while the initial list is on its way does not confuse the listener', async () => {
    const { processor, settle } = processorFixture();
    const handler = recorder();
    let passes = false;
    const verdicts: boolean[] = [];
    const filter = () => {
      passes = !passes;
      verdicts.push(passes);
      return passes;
    };
    processor.addHandler(handler, { filter }, [version('a', '1'), version('b', '1')]);
    processor.distribute(update('a', '1', '2'), false);
    processor.distribute(remove('a', '2', '3'), false);
    await settle();
    expect(verdicts).toEqual([true, false, true]);
    expect(handler.heard).toEqual(['add a@1 initial', 'add b@1 initial', 'delete a@1']);
  });

  it('is asked again in a resync, and follows from what was shown', async () => {
    const { processor, store, clock } = processorFixture();
    const objects = [version('a', '1'), version('b', '1')];
    for (const object of objects) store.set(object.key, object);
    const handler = recorder();
    let wanted = 'default/a';
    processor.addHandler(handler, { filter: ({ key }) => key === wanted, resyncMs: 1_000 }, objects);
    for (const next of ['default/a', 'default/b']) {
      wanted = next;
      await clock.advance(1_000);
      processor.resync(() => objects);
      await clock.advance(0);
    }
    expect(handler.heard).toEqual(['add a@1 initial', 'update a@1->1', 'delete a@1', 'add b@1']);
  });

  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('no');
      },
      'no',
    ],
    ['returns a promise', () => Promise.resolve(true), 'it returned a promise'],
    ['returns a promise that rejects', () => Promise.reject(new Error('late')), 'it returned a promise'],
  ])('that %s is reported, the object is not heard of, and the listener goes on', async (_what, fail, message) => {
    const { processor, settle, logger } = processorFixture();
    const handler = recorder();
    const filter = ({ name }: Cached) => (name.startsWith('bad') ? (fail() as boolean) : true);
    const registration = processor.addHandler(handler, { filter, name: 'mine' }, [version('bad-1', '1')]);
    processor.distribute(add('bad-2', '2'), false);
    processor.distribute(remove('bad-2', '2', '3'), false);
    processor.distribute(add('good', '4'), false);
    await settle();
    expect(handler.heard).toEqual(['add good@4']);
    expect(logger.lines).toEqual([
      expect.stringContaining('the filter of handler pods/mine failed on the add of default/bad-2'),
      expect.stringContaining('the filter of handler pods/mine failed on the add of default/bad-1'),
    ]);
    expect(logger.lines[0]).toContain(message);
    expect(registration.hasSynced()).toBe(true);
  });

  it('that fails on the new state of what was shown makes it a delete', async () => {
    const { processor, settle } = processorFixture();
    const handler = recorder();
    const filter = ({ resourceVersion }: Cached) => {
      if (resourceVersion === '2') throw new Error('no');
      return true;
    };
    processor.addHandler(handler, { filter }, []);
    processor.distribute(add('a', '1'), false);
    processor.distribute(update('a', '1', '2'), false);
    processor.distribute(update('a', '2', '3'), false);
    await settle();
    expect(handler.heard).toEqual(['add a@1', 'delete a@1', 'add a@3']);
  });

  it('may remove its own listener', async () => {
    const { processor, settle } = processorFixture();
    const handler = recorder();
    const registration = processor.addHandler(
      handler,
      {
        filter: () => {
          void registration.remove();
          return true;
        },
      },
      [],
    );
    processor.distribute(add('a', '1'), false);
    await settle();
    expect(handler.heard).toEqual([]);
    expect(registration.pending).toBe(0);
  });
});
