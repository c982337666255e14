import { afterEach, describe, expect, it } from 'vitest';
import type { KubernetesObject, ObjectMeta } from '../api/metadata.ts';
import { configMaps, namespaces } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { silentLogger } from '../observe/logger.ts';
import type { HandlerRegistration, ResourceEventHandler } from '../processor/processor.ts';
import { ApiServer } from '../testing/api-server.ts';
import { DerivedInformer } from './derived-informer.ts';
import { informerFixture, type Thing } from './informer-fixture.ts';
import { SharedInformerFactory } from './shared-informer-factory.ts';

/** Waits for the condition, and not for a number of turns. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Counts how often each object was heard of at the version that was known, and checks that no state is older than one before. */
class Counter<T extends KubernetesObject> implements ResourceEventHandler<T> {
  readonly again = new Map<string, number>();
  readonly failures: string[] = [];
  readonly #known = new Map<string, string>();
  readonly #isAsync: boolean;

  constructor(isAsync = false) {
    this.#isAsync = isAsync;
  }

  onAdd({ metadata }: T): void | Promise<void> {
    if (this.#known.has(metadata?.name ?? '')) this.failures.push(`${metadata?.name} was added twice`);
    return this.#hear(metadata);
  }

  onUpdate({ metadata: old }: T, { metadata }: T): void | Promise<void> {
    const name = metadata?.name ?? '';
    if (this.#known.get(name) !== old?.resourceVersion)
      this.failures.push(`${name} went on from ${old?.resourceVersion}`);
    if (old?.resourceVersion === metadata?.resourceVersion) this.again.set(name, (this.again.get(name) ?? 0) + 1);
    return this.#hear(metadata);
  }

  onDelete({ metadata }: T): void | Promise<void> {
    if (!this.#known.delete(metadata?.name ?? '')) this.failures.push(`${metadata?.name} was never there`);
    return this.#returned();
  }

  /** How often each object whose name begins so was heard of again: how many objects, by count. */
  counts(prefix: string): Record<number, number> {
    const counts: Record<number, number> = {};
    for (const name of [...this.#known.keys()].filter((known) => known.startsWith(prefix))) {
      const again = this.again.get(name) ?? 0;
      counts[again] = (counts[again] ?? 0) + 1;
    }
    return counts;
  }

  #hear(metadata: ObjectMeta | undefined): void | Promise<void> {
    this.#known.set(metadata?.name ?? '', metadata?.resourceVersion ?? '');
    return this.#returned();
  }

  #returned(): void | Promise<void> {
    if (this.#isAsync) return new Promise((resolve) => setImmediate(resolve));
  }
}

const isIdle = (registrations: readonly HandlerRegistration[]) => registrations.every(({ pending }) => pending === 0);

describe('resync', () => {
  it('is a line of debug each time', async () => {
    const lines: string[] = [];
    const logger = { ...silentLogger, debug: (line: string) => void lines.push(line) };
    const { source, informer, run, settle, stop } = informerFixture({ resyncMs: 3_000, logger });
    source.set('a');
    informer.addEventHandler({ onUpdate: () => {} });
    const running = run();
    await settle(6_500);
    stop.abort();
    await running;
    expect(lines.filter((line) => line.endsWith('resync.'))).toEqual(Array(2).fill(`${informer.name}: resync.`));
  });

  it('loses nothing of 20,000 objects when a second handler is due 5 ms after the first', async () => {
    const { source, informer, clock, run, stop } = informerFixture({ resyncMs: 3_000 });
    for (let n = 0; n < 20_000; n++) source.set(`object-${n}`);
    const counters = [new Counter<Thing>(true), new Counter<Thing>(true)];
    const registrations: HandlerRegistration[] = [];
    const running = run();
    for (const counter of counters) {
      registrations.push(informer.addEventHandler(counter));
      await clock.advance(5);
    }
    await Promise.all(registrations.map(({ synced }) => synced));
    for (let period = 1; period <= 3; period++) {
      await clock.advance(2_990);
      await clock.advance(5);
      await clock.advance(5);
      expect(registrations[0]?.pending, 'the first is in the middle of its round').toBeGreaterThan(0);
      await until(() => isIdle(registrations));
      for (const counter of counters) expect(counter.counts('object')).toEqual({ [period]: 20_000 });
    }
    stop.abort();
    await running;
  });

  it('comes first a whole period after the start, for a handler that was added long before', async () => {
    const { source, informer, run, settle, stop } = informerFixture();
    for (let n = 0; n < 300; n++) source.set(`object-${n}`);
    const counter = new Counter<Thing>();
    informer.addEventHandler(counter, { resyncMs: 10_000 });
    await settle(58_000);
    const running = run();
    await settle(9_999);
    expect(counter.counts('object')).toEqual({ 0: 300 });
    await settle(1);
    expect(counter.counts('object')).toEqual({ 1: 300 });
    await settle(10_000);
    expect(counter.counts('object')).toEqual({ 2: 300 });
    expect(counter.failures).toEqual([]);
    stop.abort();
    await running;
  });

  it('keeps its periods when its timer was late', async () => {
    const { source, informer, clock, run, settle, stop } = informerFixture();
    for (let n = 0; n < 300; n++) source.set(`object-${n}`);
    const counter = new Counter<Thing>();
    informer.addEventHandler(counter, { resyncMs: 10_000 });
    const running = run();
    await settle(1_000);
    clock.spend(34_000);
    await settle(0);
    expect(counter.counts('object')).toEqual({ 1: 300 });
    await settle(4_999);
    expect(counter.counts('object')).toEqual({ 1: 300 });
    await settle(1);
    expect(counter.counts('object')).toEqual({ 2: 300 });
    expect(counter.failures).toEqual([]);
    stop.abort();
    await running;
  });

  it.each(['delta', 'inOrder'] as const)(
    'tells each handler of every object that stays as it is once in each of its periods, with the %s queue',
    async (queue) => {
      const { source, informer, clock, run, settle, stop } = informerFixture({ queue });
      for (let n = 0; n < 300; n++) source.set(`still-${n}`, {}, { half: String(n % 2) });
      for (let n = 0; n < 100; n++) source.set(`busy-${n}`, {}, { half: String(n % 2) });
      const half = new DerivedInformer(informer, { labelSelector: 'half=1' });
      const running = run();
      await informer.waitForSync();
      const plans = [
        { on: informer, resyncMs: 1_000, isAsync: false, delivery: 'all', still: 300 },
        { on: informer, resyncMs: 1_300, isAsync: true, delivery: 'all', still: 300 },
        { on: informer, resyncMs: 2_000, isAsync: true, delivery: 'latest', still: 300 },
        { on: half, resyncMs: 1_000, isAsync: false, delivery: 'latest', still: 150 },
        { on: half, resyncMs: 3_100, isAsync: true, delivery: 'all', still: 150 },
      ] as const;
      const listeners: { counter: Counter<Thing>; registration: HandlerRegistration; sinceMs: number }[] = [];
      for (const [nth, { on, isAsync, resyncMs, delivery }] of plans.entries()) {
        const counter = new Counter<Thing>(isAsync);
        const filter = (thing: Thing) => !thing.metadata?.name?.endsWith('7');
        const options = { resyncMs, delivery, ...(nth === 1 && { filter }) };
        listeners.push({ counter, registration: on.addEventHandler(counter, options), sinceMs: clock.now() });
        await settle(5);
      }
      const registrations = listeners.map(({ registration }) => registration);
      for (let step = 0; step < 40; step++) {
        for (const n of [step, step + 1, step + 2]) {
          if (n % 3 === 0) source.remove(`busy-${n}`);
          else source.set(`busy-${(7 * n) % 100}`, { color: String(step) }, { half: String(step % 2) });
        }
        await settle(250);
        await until(() => isIdle(registrations));
      }
      for (const [nth, { counter, sinceMs }] of listeners.entries()) {
        const { resyncMs = 1, still = 0 } = plans[nth] ?? {};
        const shown = nth === 1 ? 270 : still;
        expect(counter.counts('still')).toEqual({ [Math.floor((clock.now() - sinceMs) / resyncMs)]: shown });
        expect(counter.failures).toEqual([]);
      }
      stop.abort();
      await running;
    },
  );
});

describe('stop', () => {
  it('ends a round in the middle: nothing is called and no timer is left', async () => {
    const { source, informer, clock, run } = informerFixture({ resyncMs: 1_000 });
    for (let n = 0; n < 100; n++) source.set(`object-${n}`);
    let calls = 0;
    const registration = informer.addEventHandler({
      onUpdate: async () => {
        if (++calls === 10) void informer.stop();
      },
    });
    const running = run();
    await registration.synced;
    await clock.advance(1_000);
    await running;
    await clock.advance(5_000);
    expect(calls).toBe(10);
    expect(registration.pending).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('resync of several namespaces', () => {
  let end: () => Promise<void>;
  afterEach(() => end());

  it('covers all of them, and is not held up by one that may not be read', async () => {
    const server = await ApiServer.start({ listen: false, logger: silentLogger });
    const clock = new FakeClock();
    const cluster = server.cluster();
    for (const name of ['one', 'two', 'hidden']) {
      await cluster.client(namespaces).create({ metadata: { name } });
      for (let n = 0; n < 20; n++) {
        await cluster.client(configMaps).create({ metadata: { name: `${name}-${n}`, namespace: name } });
      }
    }
    server.access.deny({ verbs: ['list', 'watch'], namespaces: ['hidden'] });
    const factory = new SharedInformerFactory(cluster, {
      clock,
      logger: silentLogger,
      namespace: ['one', 'two', 'hidden'],
      resyncMs: 1_000,
    });
    end = async () => {
      await factory.shutdown();
      await cluster.close();
      await server.stop();
    };
    const informer = factory.for(configMaps).informer();
    const counter = new Counter();
    const registration = informer.addEventHandler(counter);
    factory.start();
    await until(() => informer.store.listKeys().length === 40 && registration.pending === 0);
    for (let period = 1; period <= 2; period++) {
      await clock.advance(1_000);
      await until(() => registration.pending === 0);
      expect(informer.hasSynced()).toBe(false);
      expect([counter.counts('one'), counter.counts('two')]).toEqual([{ [period]: 20 }, { [period]: 20 }]);
    }
  });
});
