import { describe, expect, it } from 'vitest';
import { defineResource } from '../api/resource.ts';
import type { Transport } from '../api/transport.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { GroupPresence } from './group-presence.ts';
import { informerFixture } from './informer-fixture.ts';

const HOUR = 3_600_000;

describe.each([
  ['forward', HOUR],
  ['back', -HOUR],
])('when the wall clock jumps %s by an hour', (_direction, byMs) => {
  it('a resync comes when it is due, and the ones after it too', async () => {
    const { source, informer, clock, run, stop } = informerFixture();
    source.set('a');
    let updates = 0;
    const running = run();
    await clock.advance(0);
    informer.addEventHandler({ onUpdate: () => void updates++ }, { resyncMs: 10_000 });
    await clock.advance(4_000);
    clock.jump(byMs);
    // A second handler makes the informer look again at when the next one is due.
    informer.addEventHandler({ onUpdate: () => {} });
    await clock.advance(5_999);
    expect(updates).toBe(0);
    await clock.advance(1);
    expect(updates).toBe(1);
    await clock.advance(10_000);
    expect(updates).toBe(2);
    stop.abort();
    await running;
  });

  it('a handler that is stuck shows how long', async () => {
    const { source, informer, clock, run, stop } = informerFixture();
    const running = run();
    await clock.advance(0);
    let release = () => {};
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    const registration = informer.addEventHandler({ onAdd: () => stuck });
    source.set('a');
    await clock.advance(700);
    clock.jump(byMs);
    expect(registration.lagMs).toBe(700);
    release();
    stop.abort();
    await running;
  });

  it('an answer of the discovery is good for five seconds', async () => {
    const clock = new FakeClock();
    let asked = 0;
    const transport: Transport = {
      async request() {
        asked++;
        return { status: 404, headers: new Map(), body: (async function* () {})() };
      },
      close: async () => {},
    };
    const presence = new GroupPresence(transport, clock);
    const cronTabs = defineResource({ group: 'example.com', version: 'v1', plural: 'crontabs', kind: 'CronTab' });
    await presence.find(cronTabs);
    clock.jump(byMs);
    await clock.advance(4_999);
    await presence.find(cronTabs);
    expect(asked).toBe(1);
    await clock.advance(1);
    await presence.find(cronTabs);
    expect(asked).toBe(2);
  });
});
