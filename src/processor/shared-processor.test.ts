import { describe, expect, it } from 'vitest';
import { Notification } from './notification.ts';
import { processorFixture, recorder, version } from './processor-fixture.ts';

const add = (name: string, rv: string, initial = false) => Notification.add(version(name, rv), initial, 0);
const update = (name: string, old: string, rv: string) => Notification.update(version(name, old), version(name, rv), 0);
const remove = (name: string, rv: string) => Notification.delete(version(name, rv), false, 0);

describe('SharedProcessor', () => {
  it('tells every listener of every change, in order', async () => {
    const { processor, settle } = processorFixture();
    const [first, second] = [recorder(), recorder()];
    processor.addHandler(first, {}, []);
    processor.addHandler(second, {}, []);
    processor.distribute(add('a', '1'), false);
    processor.distribute(update('a', '1', '2'), false);
    processor.distribute(remove('a', '3'), false);
    expect(first.heard).toEqual([]);
    await settle();
    expect(first.heard).toEqual(['add a@1', 'update a@1->2', 'delete a@3']);
    expect(second.heard).toEqual(first.heard);
  });

  it('registers the same handler twice as two listeners', async () => {
    const { processor, settle } = processorFixture();
    const handler = recorder();
    processor.addHandler(handler, {}, []);
    const second = processor.addHandler(handler, {}, []);
    processor.distribute(add('a', '1'), false);
    await settle();
    await second.remove();
    processor.distribute(remove('a', '2'), false);
    await settle();
    expect(handler.heard).toEqual(['add a@1', 'add a@1', 'delete a@2']);
  });

  it('calls a listener no more that has removed itself, whatever waits for it', async () => {
    const { processor, settle } = processorFixture();
    const heard: string[] = [];
    const other = recorder();
    const registration = processor.addHandler(
      {
        onAdd: ({ metadata }) => {
          heard.push(metadata?.name ?? '');
          if (heard.length === 2) void registration.remove();
        },
      },
      {},
      [],
    );
    processor.addHandler(other, {}, []);
    for (const name of ['a', 'b', 'c', 'd']) processor.distribute(add(name, '1'), false);
    await settle();
    expect(heard).toEqual(['a', 'b']);
    expect(other.heard).toHaveLength(4);
    expect(registration.pending).toBe(0);
  });

  it('lets go of what waits for a listener as soon as it is removed', async () => {
    const { processor, settle } = processorFixture();
    let finish = () => {};
    const running = () => new Promise<void>((resolve) => (finish = resolve));
    const registration = processor.addHandler({ onAdd: running }, {}, []);
    for (const name of ['a', 'b', 'c']) processor.distribute(add(name, '1'), false);
    await settle();
    expect(registration.pending).toBe(3);
    const removed = registration.remove();
    expect(registration.pending).toBe(1);
    finish();
    await removed;
    expect(registration.pending).toBe(0);
  });

  it('makes one view of an event for all its listeners', async () => {
    const { processor, settle } = processorFixture();
    const seen: unknown[] = [];
    let views = 0;
    const object = { ...version('a', '1'), view: () => version(`view-${++views}`, '1').view() };
    for (let n = 0; n < 3; n++) processor.addHandler({ onAdd: (view) => void seen.push(view) }, {}, []);
    processor.distribute(Notification.add(object, false, 0), false);
    await settle();
    expect(views).toBe(1);
    expect(new Set(seen).size).toBe(1);
  });

  it('keeps a view until the last listener is through, and no longer', async () => {
    const { processor, settle } = processorFixture();
    let finish = () => {};
    processor.addHandler({ onAdd: () => {} }, {}, []);
    processor.addHandler({ onAdd: () => new Promise<void>((resolve) => (finish = resolve)) }, {}, []);
    const notification = Notification.add(version('a', '1'), false, 0);
    processor.distribute(notification, false);
    await settle();
    expect(notification.hasView).toBe(true);
    finish();
    await settle();
    expect(notification.hasView).toBe(false);
  });

  it('does not decode an object for a handler without the function', async () => {
    const { processor, settle } = processorFixture();
    const object = { ...version('a', '1'), view: () => expect.unreachable() };
    processor.addHandler({ onDelete: () => {} }, {}, []);
    processor.distribute(Notification.add(object, false, 0), false);
    await settle();
  });

  it('replays what is present to a late listener as its initial list', async () => {
    const { processor, settle } = processorFixture();
    const late = recorder();
    const registration = processor.addHandler(late, {}, [version('a', '1'), version('b', '1')]);
    expect(registration.hasSynced()).toBe(false);
    processor.distribute(update('a', '1', '2'), false);
    await settle();
    expect(late.heard).toEqual(['add a@1 initial', 'add b@1 initial', 'update a@1->2']);
    expect(registration.hasSynced()).toBe(true);
  });

  it('awaits an async handler before the next call, and holds up nobody else', async () => {
    const { processor, settle } = processorFixture();
    const releases: (() => void)[] = [];
    const order: string[] = [];
    const slow = processor.addHandler(
      {
        async onAdd(object) {
          order.push(`begin ${object.metadata?.name}`);
          await new Promise<void>((resolve) => releases.push(resolve));
          order.push(`end ${object.metadata?.name}`);
        },
      },
      {},
      [],
    );
    const quick = recorder();
    processor.addHandler(quick, {}, []);
    processor.distribute(add('a', '1'), false);
    processor.distribute(add('b', '1'), false);
    await settle();
    expect(quick.heard).toHaveLength(2);
    expect(order).toEqual(['begin a']);
    expect(slow.pending).toBe(2);
    releases.shift()?.();
    await settle();
    releases.shift()?.();
    await settle();
    expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b']);
    expect(slow.pending).toBe(0);
  });

  it('reports a call that throws or rejects with the name of the handler, and goes on at once', async () => {
    const { processor, settle, logger } = processorFixture();
    const after = recorder();
    const registration = processor.addHandler(
      {
        onAdd: () => {
          throw new Error('boom');
        },
        onUpdate: () => Promise.reject(new Error('bang')),
        onDelete: after.onDelete?.bind(after) ?? (() => {}),
      },
      { name: 'mine' },
      [version('z', '1')],
    );
    processor.addHandler(after, {}, []);
    processor.distribute(update('a', '1', '2'), false);
    processor.distribute(remove('a', '3'), false);
    await settle();
    expect(logger.lines).toEqual([
      'handler pods/mine failed on the add of default/z, which is skipped: boom',
      'handler pods/mine failed on the update of default/a, which is skipped: bang',
    ]);
    expect(after.heard.filter((line) => line === 'delete a@3')).toHaveLength(2);
    expect(registration.hasSynced()).toBe(true);
  });

  it('reports ten failures of a handler in a minute, and counts the others', async () => {
    const { processor, settle, logger, clock } = processorFixture();
    const registration = processor.addHandler({ onAdd: () => Promise.reject(new Error('boom')) }, { name: 'mine' }, []);
    const addMany = async (count: number) => {
      for (let n = 0; n < count; n++) processor.distribute(add(`${n}`, '1'), false);
      await settle();
    };
    await addMany(1_000);
    expect(logger.lines).toHaveLength(10);
    expect(logger.lines[8]).toMatch(/ default\/8, which is skipped: boom$/);
    expect(logger.lines[9]).toMatch(
      / default\/9, .*boom \(further failures within this minute are counted, not reported\)$/,
    );
    expect(processor.listeners[0]?.failures).toBe(1_000);
    await clock.advance(60_000);
    await addMany(2);
    expect(logger.lines.slice(10)).toEqual([
      expect.stringContaining('boom (990 failures before it were counted, not reported)'),
      expect.stringMatching(/default\/1, which is skipped: boom$/),
    ]);
    await registration.remove();
  });

  it.each<[string, () => unknown, string]>([
    ['something without text', () => Promise.reject(Object.create(null)), 'cannot be shown as text'],
    [
      'an error whose message throws',
      () => {
        throw Object.defineProperty(new Error(), 'message', { get: () => expect.unreachable() });
      },
      'cannot be shown as text',
    ],
    [
      'nothing, but what it returns cannot be asked whether it is a promise',
      () =>
        Object.defineProperty({}, 'then', {
          get() {
            throw new Error('hands off');
          },
        }),
      'hands off',
    ],
  ])('goes on after a call that throws %s', async (_what, onAdd, message) => {
    const { processor, settle, logger } = processorFixture();
    const after = recorder();
    processor.addHandler({ ...after, onAdd: onAdd as () => void }, { name: 'mine' }, []);
    processor.distribute(add('a', '1'), false);
    processor.distribute(remove('a', '2'), false);
    await settle();
    expect(after.heard).toEqual(['delete a@2']);
    expect(logger.lines).toEqual([expect.stringContaining('handler pods/mine failed on the add of default/a')]);
    expect(logger.lines[0]).toContain(message);
  });

  it('stops calling a listener the moment it is removed, and waits for the running call, which is warned of after 10 s', async () => {
    const { processor, settle, clock, logger } = processorFixture();
    let release = () => {};
    let calls = 0;
    const registration = processor.addHandler(
      {
        onAdd: () => {
          calls++;
          return new Promise<void>((resolve) => {
            release = resolve;
          });
        },
      },
      {},
      [version('a', '1'), version('b', '1')],
    );
    await settle();
    let removed = false;
    const removing = registration.remove().then(() => {
      removed = true;
    });
    await clock.advance(9_999);
    expect(logger.lines).toEqual([]);
    await clock.advance(1);
    expect(logger.lines).toEqual([expect.stringContaining('its running call has not returned for 10 s')]);
    expect(removed).toBe(false);
    release();
    await removing;
    await registration.remove();
    await settle();
    expect(calls).toBe(1);
  });

  it('can be removed by its own handler', async () => {
    const { processor, settle } = processorFixture();
    let calls = 0;
    const registration = processor.addHandler(
      {
        onAdd: () => {
          calls++;
          void registration.remove();
        },
      },
      {},
      [version('a', '1'), version('b', '1')],
    );
    await settle();
    expect(calls).toBe(1);
  });

  it.each(['all', 'latest'] as const)(
    'shows what is there to one who comes late, before anything else: %s',
    async (delivery) => {
      const { processor, settle } = processorFixture();
      const handler = recorder();
      const registration = processor.addHandler(handler, { delivery, filter: (object) => object.key !== 'default/b' }, [
        version('a', '1'),
        version('b', '1'),
        version('c', '1'),
      ]);
      processor.distribute(add('d', '2'), false);
      expect(registration.hasSynced()).toBe(false);
      await settle();
      expect(handler.heard).toEqual(['add a@1 initial', 'add c@1 initial', 'add d@2']);
      expect(registration.hasSynced()).toBe(true);
    },
  );

  it('calls nothing after stop, which waits for running calls', async () => {
    const { processor, settle } = processorFixture();
    const handler = recorder();
    processor.addHandler(handler, {}, []);
    processor.distribute(add('a', '1'), false);
    await processor.stop();
    processor.distribute(add('b', '1'), false);
    await settle();
    expect(handler.heard).toEqual([]);
  });

  it('warns once when more than 1,024 changes wait, and again after it has caught up', async () => {
    const { processor, settle, logger } = processorFixture();
    let release = () => {};
    const stuck = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    let round = 0;
    processor.addHandler(
      { onAdd: (_object) => (calls++ === round * 2_000 ? stuck() : undefined) },
      { name: 'slow' },
      [],
    );
    let calls = 0;
    for (; round < 2; round++) {
      processor.distribute(add('first', '1'), false);
      await settle();
      for (let n = 1; n < 2_000; n++) processor.distribute(add(`a${n}`, '1'), false);
      expect(warnings(logger)).toBe(round + 1);
      release();
      await settle();
    }
    expect(warnings(logger)).toBe(2);
  });

  it('warns when a handler does not get through what waits in its turn', async () => {
    const { processor, settle, logger, clock } = processorFixture();
    const busy = () => clock.spend(11);
    processor.addHandler({ onAdd: busy }, { name: 'slow' }, []);
    for (let n = 0; n < 2_000; n++) processor.distribute(add(`a${n}`, '1'), false);
    await settle();
    expect(warnings(logger)).toBe(1);
    await processor.stop();
  });

  it('does not warn of a long initial list', async () => {
    const { processor, settle, logger, clock } = processorFixture();
    const pendingAtTurns: number[] = [];
    const busy = () => {
      clock.spend(11);
      pendingAtTurns.push(registration.pending);
    };
    const registration = processor.addHandler({ onAdd: busy }, { name: 'slow' }, []);
    for (let n = 0; n < 2_000; n++) processor.distribute(add(`a${n}`, '1', true), false);
    await settle();
    expect(pendingAtTurns[100]).toBeGreaterThan(1_024);
    expect(pendingAtTurns).toHaveLength(2_000);
    expect(warnings(logger)).toBe(0);
    await processor.stop();
  });

  it('does not warn of a long initial list that an async handler takes its time for', async () => {
    const { processor, settle, logger } = processorFixture();
    processor.addHandler({ onAdd: () => new Promise<void>(() => {}) }, { name: 'slow' }, [version('z', '1')]);
    await settle();
    for (let n = 0; n < 2_000; n++) processor.distribute(add(`a${n}`, '1', true), false);
    expect(warnings(logger)).toBe(0);
    for (let n = 0; n < 1_100; n++) processor.distribute(update(`a${n}`, '1', '2'), false);
    expect(warnings(logger)).toBe(1);
  });

  it('does not warn of a burst that a handler gets through at once', async () => {
    const { processor, settle, logger } = processorFixture();
    processor.addHandler({ onAdd: () => {} }, { name: 'slow' }, []);
    for (let n = 0; n < 1_030; n++) processor.distribute(add(`a${n}`, '1'), false);
    await settle();
    expect(warnings(logger)).toBe(0);
  });
});

function warnings({ lines }: { lines: readonly string[] }): number {
  return lines.filter((line) => line.includes('handler pods/slow: more than 1024 changes wait')).length;
}

describe('hasSynced of a listener', () => {
  it('waits for the informer and then for its own calls', async () => {
    const { processor, settle, upstream } = processorFixture();
    upstream.synced = false;
    const calls: (() => void)[] = [];
    const onAdd = () => new Promise<void>((resolve) => void calls.push(resolve));
    const [quick, slow] = [processor.addHandler(recorder(), {}, []), processor.addHandler({ onAdd }, {}, [])];
    const synced: string[] = [];
    void quick.synced.then(() => synced.push('quick'));
    void slow.synced.then(() => synced.push('slow'));
    processor.distribute(add('a', '1', true), false);
    await settle();
    expect([quick.hasSynced(), slow.hasSynced()]).toEqual([false, false]);
    upstream.synced = true;
    processor.checkSynced();
    await settle();
    expect([quick.hasSynced(), slow.hasSynced()]).toEqual([true, false]);
    expect(synced).toEqual(['quick']);
    for (const end of calls) end();
    await settle();
    expect(slow.hasSynced()).toBe(true);
    expect(synced).toEqual(['quick', 'slow']);
  });

  it('rejects `synced` when the listener is removed before', async () => {
    const { processor, upstream } = processorFixture();
    upstream.synced = false;
    const registration = processor.addHandler(recorder(), { name: 'early' }, []);
    const { synced } = registration;
    await registration.remove();
    await expect(synced).rejects.toMatchObject({
      kind: 'stopped',
      message: expect.stringContaining('handler pods/early was removed'),
    });
    await expect(registration.synced).rejects.toThrow();
  });
});
