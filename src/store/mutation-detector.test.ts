import { describe, expect, it } from 'vitest';
import { FakeClock } from '../observe/fake-clock.ts';
import { type Logger, silentLogger } from '../observe/logger.ts';
import { SLICE_MS } from '../observe/scheduler.ts';
import { type Mutation, MutationDetector, type MutationDetectorOptions } from './mutation-detector.ts';
import { Store } from './store.ts';

function setUp(options: Partial<MutationDetectorOptions> = {}) {
  const clock = new FakeClock();
  const mutations: Mutation[] = [];
  const detector = new MutationDetector({ clock, onMutation: (mutation) => mutations.push(mutation), ...options });
  return { clock, mutations, detector };
}

const pod = () => ({
  metadata: { name: 'web', labels: { check: 'foo' } as Record<string, string> },
  spec: { ports: [80] },
});

describe('MutationDetector', () => {
  it('reports, once a period, an object of a store that a reader has changed, and where', async () => {
    const { clock, mutations, detector } = setUp();
    const store = new Store({ mutationDetector: detector });
    store.add(pod());
    const stop = new AbortController();
    const running = detector.run({ signal: stop.signal });
    await clock.advance(5_000);
    expect(mutations).toEqual([]);
    const cached = store.getByKey('web');
    if (cached?.metadata?.labels === undefined) throw new Error('the pod is not stored');
    cached.metadata.labels.change = 'true';
    await clock.advance(999);
    expect(mutations).toEqual([]);
    await clock.advance(1);
    expect(mutations).toEqual([{ key: 'web', paths: ['metadata.labels.change'] }]);
    await clock.advance(5_000);
    expect(mutations).toHaveLength(1);
    stop.abort();
    await running;
    expect(clock.pendingTimers).toBe(0);
  });

  it('watches what a store was filled with, too', () => {
    const { mutations, detector } = setUp();
    const store = new Store({ mutationDetector: detector });
    const [first, second] = [pod(), pod()];
    store.replace([first, { ...second, metadata: { name: 'other' } }], '1');
    delete first.metadata.labels.check;
    second.spec.ports.push(443);
    detector.check();
    expect(mutations).toEqual([
      { key: 'web', paths: ['metadata.labels.check'] },
      { key: 'other', paths: ['spec.ports.1'] },
    ]);
  });

  it('names a few places at most, and a whole branch by its root', () => {
    const { mutations, detector } = setUp();
    const object: Record<string, unknown> = { a: { deep: 1 }, b: 1, c: 1, d: 1, e: 1, f: 1, g: [1] };
    detector.watch('k', object);
    object.a = [];
    for (const key of ['b', 'c', 'd', 'e', 'f']) object[key] = 2;
    detector.check();
    expect(mutations).toEqual([{ key: 'k', paths: ['a', 'b', 'c', 'd', 'e'] }]);
  });

  it('does not mind another order of keys, and notices what can no longer be written down, once', () => {
    const { mutations, detector } = setUp();
    const object: Record<string, unknown> = { a: 1, b: 2 };
    detector.watch('k', object);
    delete object.a;
    object.a = 1;
    detector.check();
    expect(mutations).toEqual([]);
    object.self = object;
    detector.check();
    detector.check();
    expect(mutations).toEqual([{ key: 'k', paths: [] }]);
  });

  it('watches an object for as long as it is told to, and then lets go of it', async () => {
    const { clock, mutations, detector } = setUp({ retainMs: 10_000, periodMs: 1_000 });
    const stop = new AbortController();
    const running = detector.run({ signal: stop.signal });
    const [early, late] = [pod(), pod()];
    detector.watch('early', early);
    await clock.advance(9_500);
    early.spec.ports.push(1);
    await clock.advance(2_000);
    expect(mutations.map(({ key }) => key)).toEqual(['early']);
    detector.watch('late', late);
    await clock.advance(10_000);
    early.spec.ports.push(2);
    late.spec.ports.push(2);
    await clock.advance(2_000);
    expect(mutations.map(({ key }) => key)).toEqual(['early', 'late']);
    stop.abort();
    await running;
  });

  it('watches an object no shorter when the wall clock jumps', async () => {
    const { clock, mutations, detector } = setUp({ retainMs: 10_000, periodMs: 1_000 });
    const stop = new AbortController();
    const running = detector.run({ signal: stop.signal });
    const object = pod();
    detector.watch('k', object);
    for (let jumps = 0; jumps < 3; jumps++) {
      clock.jump(3_600_000);
      await clock.advance(1_000);
    }
    object.spec.ports.push(1);
    await clock.advance(1_000);
    expect(mutations).toHaveLength(1);
    stop.abort();
    await running;
  });

  it('compares in slices, so that the event loop is not held', async () => {
    const clock = new FakeClock();
    let slices = 0;
    const mutations: Mutation[] = [];
    const detector = new MutationDetector({
      onMutation: (mutation) => {
        mutations.push(mutation);
        clock.spend(1);
      },
      clock: {
        now: () => clock.now(),
        scheduler: clock,
        setTimeout(callback, delayMs) {
          if (delayMs === 0) slices++;
          return clock.setTimeout(callback, delayMs);
        },
        sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
      },
    });
    const objects = Array.from({ length: 100 }, pod);
    for (const object of objects) detector.watch('k', object);
    for (const object of objects) object.spec.ports.push(1);
    const stop = new AbortController();
    const running = detector.run({ signal: stop.signal });
    await clock.advance(1_000 + objects.length);
    stop.abort();
    await running;
    expect(mutations).toHaveLength(100);
    expect(slices).toBe(Math.floor(100 / (SLICE_MS + 1)));
  });

  it('logs an error by default, and one when the handler fails', () => {
    const errors: string[] = [];
    const logger: Logger = { ...silentLogger, error: (message) => void errors.push(message) };
    const detector = new MutationDetector({ clock: new FakeClock(), logger });
    const object = pod();
    detector.watch('default/web', object);
    object.spec.ports = [];
    detector.check();
    expect(errors).toEqual([
      'The cached object default/web was changed by a reader at spec.ports.0: objects from a store are shared; copy ' +
        'them (structuredClone) before changing them.',
    ]);

    const failing = new MutationDetector({
      clock: new FakeClock(),
      logger,
      onMutation() {
        throw new Error('handler');
      },
    });
    failing.watch('default/web', object);
    object.spec.ports = [1];
    failing.check();
    expect(errors[1]).toBe('The handler of mutations failed on default/web.');
  });

  it('does nothing when it is stopped before it has started', async () => {
    const { clock, detector } = setUp();
    await detector.run({ signal: AbortSignal.abort() });
    expect(clock.pendingTimers).toBe(0);
  });
});
