import { describe, expect, it } from 'vitest';
import { Notification } from './notification.ts';
import { processorFixture, recorder, version } from './processor-fixture.ts';

const update = (name: string, old: string, rv: string) => Notification.update(version(name, old), version(name, rv), 0);

describe('resync', () => {
  /** A processor whose store holds `names` at version 1, and what each of its listeners heard since the last look. */
  function resyncFixture(...names: string[]) {
    const fixture = processorFixture();
    const { processor, store, clock } = fixture;
    for (const name of names) store.set(`default/${name}`, version(name, '1'));
    const resync = async (ms: number) => {
      await clock.advance(ms);
      processor.resync(() => [...store.values()]);
      await clock.advance(0);
    };
    const put = (name: string, rv: string) => {
      const [old, object] = [store.get(`default/${name}`), version(name, rv)];
      store.set(object.key, object);
      processor.distribute(old ? Notification.update(old, object, 0) : Notification.add(object, false, 0), false);
    };
    const drop = (name: string, rv: string) => {
      const old = store.get(`default/${name}`);
      store.delete(`default/${name}`);
      if (old) processor.distribute(Notification.delete(version(name, rv), false, 0, old), false);
    };
    const listen = (options: Parameters<typeof processor.addHandler>[1]) => {
      const handler = recorder();
      const registration = processor.addHandler(handler, options, [...store.values()]);
      return { registration, take: () => handler.heard.splice(0) };
    };
    /** A handler that is stuck in its first call of each kind until it is released. */
    const listenStuck = (options: Parameters<typeof processor.addHandler>[1], stuckIn: 'onAdd' | 'onUpdate') => {
      const handler = recorder();
      const stuck: (() => void)[] = [];
      const call = handler[stuckIn] as (...args: unknown[]) => void;
      const stick = (...args: unknown[]) => {
        call(...args);
        return new Promise<void>((resolve) => void stuck.push(resolve));
      };
      const registration = processor.addHandler({ ...handler, [stuckIn]: stick }, options, [...store.values()]);
      return { registration, take: () => handler.heard.splice(0), release: () => stuck.splice(0).map((go) => go()) };
    };
    return { ...fixture, resync, put, drop, listen, listenStuck };
  }

  it('reaches each listener at its own period, and those without one never', async () => {
    const { processor, listen, resync } = resyncFixture('a', 'b');
    const listeners = [0, 2_000, 3_000].map((resyncMs) => listen({ resyncMs }));
    await resync(0);
    for (const { take } of listeners) expect(take()).toHaveLength(2);
    for (let second = 1; second <= 6; second++) await resync(1_000);
    const heard = listeners.map(({ take }) => take());
    expect(heard.map(({ length }) => length)).toEqual([0, 6, 4]);
    expect(new Set(heard[1])).toEqual(new Set(['update a@1->1', 'update b@1->1']));
    expect(processor.nextResyncMs).toBe(8_000);
  });

  it('keeps to its periods though the timer is late', async () => {
    const { listen, resync, processor } = resyncFixture('a');
    listen({ resyncMs: 1_000 });
    await resync(1_300);
    expect(processor.nextResyncMs).toBe(2_000);
    await resync(2_800);
    expect(processor.nextResyncMs).toBe(5_000);
  });

  it.each([3_600_000, -3_600_000])('keeps its period when the wall clock jumps by %d ms', async (byMs) => {
    const { listen, resync, processor, clock } = resyncFixture('a');
    const { take } = listen({ resyncMs: 1_000 });
    await resync(400);
    take();
    clock.jump(byMs);
    expect(processor.nextResyncMs).toBe(clock.now() + 600);
    await resync(599);
    expect(take()).toEqual([]);
    await resync(1);
    expect(take()).toEqual(['update a@1->1']);
    expect(processor.nextResyncMs).toBe(clock.now() + 1_000);
  });

  it.each([3_600_000, -3_600_000])(
    'counts how long a change waits though the wall clock jumps by %d ms',
    async (byMs) => {
      const { listenStuck, clock } = resyncFixture('a', 'b');
      const { registration, release } = listenStuck({}, 'onAdd');
      await clock.advance(300);
      clock.jump(byMs);
      expect(registration.lagMs).toBe(300);
      release();
      await clock.advance(0);
      expect(registration.lagMs).toBe(300);
      release();
      await clock.advance(0);
      expect(registration.lagMs).toBe(0);
    },
  );

  it('shows what has changed since it began through its change alone, and nothing of what has gone', async () => {
    const { listenStuck, resync, put, drop, clock } = resyncFixture('a', 'b', 'c', 'd');
    const { take, release, registration } = listenStuck({ resyncMs: 1_000 }, 'onUpdate');
    await clock.advance(0);
    take();
    await resync(1_000);
    expect(take()).toEqual(['update a@1->1']);
    put('b', '2');
    drop('c', '3');
    put('e', '4');
    for (let n = 0; n < 4; n++) {
      release();
      await clock.advance(0);
    }
    expect(take().sort()).toEqual(['add e@4', 'delete c@3', 'update b@1->2', 'update d@1->1']);
    expect(registration.pending).toBe(0);
  });

  it('shows a state again only after it was shown first', async () => {
    const { listenStuck, resync, put, clock } = resyncFixture('a', 'b');
    const { take, release } = listenStuck({ resyncMs: 1_000 }, 'onUpdate');
    await clock.advance(0);
    take();
    put('a', '2');
    await clock.advance(0);
    put('b', '3');
    put('a', '4');
    await resync(1_000);
    for (let n = 0; n < 6; n++) {
      release();
      await clock.advance(0);
    }
    expect(take()).toEqual(['update a@1->2', 'update b@1->3', 'update a@2->4', 'update a@4->4', 'update b@3->3']);
  });

  it('takes turns with changes, so that neither waits for the end of the other', async () => {
    const { listenStuck, resync, put, clock } = resyncFixture('a', 'b', 'c', 'd');
    const { take, release } = listenStuck({ resyncMs: 1_000 }, 'onUpdate');
    await clock.advance(0);
    take();
    await resync(1_000);
    put('d', '2');
    put('d', '3');
    for (let n = 0; n < 6; n++) {
      release();
      await clock.advance(0);
    }
    expect(take()).toEqual(['update a@1->1', 'update d@1->2', 'update b@1->1', 'update d@2->3', 'update c@1->1']);
  });

  it('makes nothing of an object before its turn', async () => {
    const { listenStuck, resync, clock } = resyncFixture('a', 'b', 'c');
    const { take, registration } = listenStuck({ resyncMs: 1_000 }, 'onUpdate');
    await clock.advance(0);
    take();
    await resync(1_000);
    expect(registration.pending).toBe(3);
    expect(registration.lagMs).toBe(0);
    await clock.advance(500);
    expect(registration.lagMs).toBe(500);
  });

  it('is skipped, with one warning, while the last one is on its way; the next period begins it again', async () => {
    const { listenStuck, resync, clock, logger } = resyncFixture('a', 'b');
    const { take, release, registration } = listenStuck({ resyncMs: 1_000, name: 'slow' }, 'onUpdate');
    await clock.advance(0);
    take();
    for (let period = 0; period < 4; period++) await resync(1_000);
    expect(registration.pending).toBe(2);
    expect(logger.lines).toEqual([
      'handler pods/slow: has not finished its last resync, so the resync that is due now is skipped. ' +
        'Its resync period of 1000 ms is too short for its pace.',
    ]);
    for (let n = 0; n < 2; n++) {
      release();
      await clock.advance(0);
    }
    expect(take()).toEqual(['update a@1->1', 'update b@1->1']);
    await resync(1_000);
    expect(take()).toEqual(['update a@1->1']);
    await resync(1_000);
    expect(logger.lines).toHaveLength(2);
  });

  it('is skipped while the initial list is on its way', async () => {
    const { listenStuck, resync, logger, clock } = resyncFixture('a', 'b');
    const { take, release, registration } = listenStuck({ resyncMs: 1_000 }, 'onAdd');
    await resync(1_000);
    expect(registration.pending).toBe(2);
    expect(logger.lines).toEqual([expect.stringContaining('has not finished its initial list')]);
    for (let n = 0; n < 2; n++) {
      release();
      await clock.advance(0);
    }
    expect(take()).toEqual(['add a@1 initial', 'add b@1 initial']);
  });

  it('of a removed listener ends', async () => {
    const { listenStuck, resync, clock } = resyncFixture('a', 'b');
    const { take, release, registration } = listenStuck({ resyncMs: 1_000 }, 'onUpdate');
    await resync(1_000);
    const removing = registration.remove();
    release();
    await removing;
    await clock.advance(2_000);
    expect(registration.pending).toBe(0);
    expect(take().filter((line) => line.startsWith('update'))).toHaveLength(1);
  });

  it('gives the handler one object for both sides', async () => {
    const { processor, store, resync } = resyncFixture();
    let views = 0;
    const object = { ...version('a', '1'), view: () => version(`view-${++views}`, '1').view() };
    store.set(object.key, object);
    let isOne = false;
    const onUpdate = (old: object, now: object) => {
      isOne = old === now;
    };
    processor.addHandler({ onUpdate }, { resyncMs: 1_000 }, [object]);
    await resync(1_000);
    expect(isOne).toBe(true);
  });

  it('tells what a list shows once more to listeners with a period alone', async () => {
    const { processor, listen, clock } = resyncFixture();
    const [never, sometimes] = [listen({ resyncMs: 0 }), listen({ resyncMs: 3_600_000 })];
    processor.distribute(update('a', '1', '1'), true);
    await clock.advance(0);
    expect([never.take(), sometimes.take()]).toEqual([[], ['update a@1->1']]);
  });

  it('is never more often than once a second, and takes the default of the informer', () => {
    const { processor, clock } = processorFixture(5_000);
    expect(processor.addHandler({}, { resyncMs: 10 }, []).resyncMs).toBe(1_000);
    expect(processor.addHandler({}, {}, []).resyncMs).toBe(5_000);
    expect(processor.nextResyncMs).toBe(clock.now() + 1_000);
  });
});
