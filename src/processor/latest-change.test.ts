import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Notification } from './notification.ts';
import { processorFixture, recorder, version } from './processor-fixture.ts';

const add = (name: string, rv: string, initial = false) => Notification.add(version(name, rv), initial, 0);
const update = (name: string, old: string, rv: string) => Notification.update(version(name, old), version(name, rv), 0);
const remove = (name: string, rv: string) => Notification.delete(version(name, rv), false, 0);

describe('delivery latest', () => {
  it('leaves nothing behind of objects that come and go while the handler is stuck', async () => {
    const { processor, settle } = processorFixture();
    let release = () => {};
    const handler = recorder();
    const registration = processor.addHandler(
      { ...handler, onAdd: () => new Promise<void>((resolve) => (release = resolve)) },
      { delivery: 'latest' },
      [],
    );
    processor.distribute(add('stuck', '1'), false);
    await settle();
    for (let n = 0; n < 100; n++) {
      processor.distribute(add(`a${n}`, '1'), false);
      processor.distribute(update(`a${n}`, '1', '2'), false);
      processor.distribute(remove(`a${n}`, '3'), false);
    }
    expect(registration.pending).toBe(1);
    release();
    await settle();
    expect(registration.pending).toBe(0);
    expect(handler.heard).toEqual([]);
  });

  it('has synced when the last object of the initial list goes before it was heard of', async () => {
    const { processor, upstream } = processorFixture();
    upstream.synced = false;
    const registration = processor.addHandler(recorder(), { delivery: 'latest' }, []);
    processor.distribute(add('a', '1', true), false);
    const { synced } = registration;
    upstream.synced = true;
    processor.checkSynced();
    expect(registration.hasSynced()).toBe(false);
    processor.distribute(remove('a', '2'), false);
    await synced;
    expect(registration.hasSynced()).toBe(true);
  });

  it('ends between the two calls for an object that was replaced when the handler removes itself', async () => {
    const { processor, settle } = processorFixture();
    const handler = recorder();
    const onDelete = () => void registration.remove();
    const registration = processor.addHandler({ ...handler, onDelete }, { delivery: 'latest' }, []);
    processor.distribute(Notification.add(version('a', '1', 'old'), false, 0), false);
    await settle();
    processor.distribute(Notification.delete(version('a', '1', 'old'), true, 0), false);
    processor.distribute(Notification.add(version('a', '2', 'new'), false, 0), false);
    await settle();
    expect(handler.heard).toEqual(['add a@1']);
  });

  it('gives up the views of changes that were merged away', async () => {
    const { processor, settle } = processorFixture();
    processor.addHandler(recorder(), { delivery: 'all' }, []);
    processor.addHandler(recorder(), { delivery: 'latest' }, []);
    const changes = [add('a', '1'), update('a', '1', '2'), update('a', '2', '3')];
    for (const change of changes) processor.distribute(change, false);
    await settle();
    expect(changes.map(({ hasView }) => hasView)).toEqual([false, false, false]);
  });

  it('keeps nothing of the states between the first and the last', async () => {
    const { processor, settle } = processorFixture();
    const handler = { onAdd: () => new Promise<void>(() => {}) };
    processor.addHandler(handler, { delivery: 'latest' }, [version('stuck', '1')]);
    await settle();
    const between: WeakRef<object>[] = [];
    const changeOften = () => {
      let old = version('a', '1');
      for (const rv of ['2', '3', '4', '5']) {
        const next = version('a', rv);
        processor.distribute(Notification.update(old, next, 0), false);
        if (rv !== '5') between.push(new WeakRef(next));
        old = next;
      }
    };
    changeOften();
    // A state that was just in use may be on the stack of this very turn.
    while (between.some((state) => state.deref() !== undefined)) {
      await new Promise((resolve) => setImmediate(resolve));
      collectGarbage();
    }
    expect(between).toHaveLength(3);
  });
});

function collectGarbage(): void {
  setFlagsFromString('--expose_gc');
  runInNewContext('gc')();
}
