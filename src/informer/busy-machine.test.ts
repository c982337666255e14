import { afterEach, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../api/metadata.ts';
import { ApiServer } from '../apiserver/apiserver.ts';
import { Cluster } from '../cluster/cluster.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { HastyClock } from '../observe/hasty-clock-fixture.ts';
import { silentLogger } from '../observe/logger.ts';
import { SLICE_MS } from '../observe/scheduler.ts';
import { informerFixture } from './informer-fixture.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

/** Holds the processor for longer than a slice may take. */
function burn(): void {
  const endMs = performance.now() + SLICE_MS + 1;
  while (performance.now() < endMs);
}

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** What two handlers, one of them async, hear of `count` objects and of changes to them, in the order in which they hear it. */
async function heardOnce(count: number, isBusy: (nth: number) => boolean, clock = new FakeClock(0)): Promise<string[]> {
  const { source, informer, run, stop } = informerFixture({ clock });
  for (let n = 0; n < count; n++) source.set(`t${n}`);
  const heard: string[] = [];
  const hear = (who: string) => (thing: KubernetesObject) => {
    heard.push(`${who} ${thing.metadata?.name}@${thing.metadata?.resourceVersion}`);
    if (isBusy(heard.length)) burn();
  };
  const [sync, later] = [hear('sync'), hear('async')];
  informer.addEventHandler({ onAdd: sync, onUpdate: (_old, thing) => sync(thing) });
  informer.addEventHandler({
    onAdd: async (thing) => later(thing),
    onUpdate: async (_old, thing) => later(thing),
  });
  const running = run();
  await clock.advance(0);
  for (let n = 0; n < count; n += 2) source.set(`t${n}`);
  await clock.advance(0);
  stop.abort();
  await running;
  return heard;
}

describe('an informer under a fake clock, on a machine that is busy', () => {
  it('delivers 100,000 objects before advance(0) ends', { timeout: 60_000 }, async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    for (let n = 0; n < 100_000; n++) source.set(`t${n}`);
    let calls = 0;
    informer.addEventHandler({
      onAdd() {
        if (++calls % 200 === 0) burn();
      },
    });
    const running = run();
    await settle();
    expect(calls).toBe(100_000);
    stop.abort();
    await running;
  });

  it('delivers the same in the same order as on one that is not', async () => {
    const quiet = await heardOnce(1_000, () => false);
    const busy = await heardOnce(1_000, (nth) => nth % 30 === 0);
    expect(quiet).toHaveLength(3_000);
    expect(busy).toEqual(quiet);
  });

  it('delivers the same to each handler when slices end all the time', async () => {
    const whole = await heardOnce(1_000, () => false);
    const sliced = await heardOnce(1_000, () => false, new HastyClock(0));
    const heardBy = (who: string, heard: string[]) => heard.filter((line) => line.startsWith(who));
    for (const who of ['sync', 'async']) expect(heardBy(who, sliced)).toEqual(heardBy(who, whole));
  });

  it('delivers what an embedded server in process has, before advance(0) ends', { timeout: 60_000 }, async () => {
    const clock = new FakeClock();
    const server = await ApiServer.start({ clock, logger: silentLogger });
    cleanups.push(() => server.stop());
    const cluster = Cluster.over(server.transport(), { clock, logger: silentLogger });
    cleanups.push(() => cluster.close());
    const client = cluster.client(configMaps);
    for (let n = 0; n < 1_000; n++) await client.create({ metadata: { name: `c${n}` } });
    let calls = 0;
    const informer = new SharedIndexInformer({ cluster, resource: configMaps });
    informer.addEventHandler({
      onAdd() {
        if (++calls % 3 === 0) burn();
      },
    });
    const stop = new AbortController();
    const running = informer.run({ signal: stop.signal });
    await clock.advance(0);
    expect(calls).toBe(1_000);
    stop.abort();
    await running;
  });
});
