import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import type { Logger } from '../observe/logger.ts';
import { DeltaFIFO } from './delta-fifo.ts';
import { InOrderQueue } from './in-order-queue.ts';
import type { Queue, QueueOptions } from './queue.ts';
import { STEP, type Steps } from './queue-input.ts';

interface Thing {
  name: string;
  version: number;
}

interface SteppedQueue extends Queue<Thing> {
  /** One `replace`, which pauses where the test lets it. */
  steps(objects: readonly Thing[], areSorted: boolean): Steps;
}

class SteppedDeltaFIFO extends DeltaFIFO<Thing> implements SteppedQueue {
  steps(objects: readonly Thing[], areSorted: boolean): Steps {
    return this.replaceSteps(areSorted ? objects.toSorted(byName) : objects);
  }
}

class SteppedInOrderQueue extends InOrderQueue<Thing> implements SteppedQueue {
  steps(objects: readonly Thing[]): Steps {
    return this.replaceSteps(objects);
  }
}

const MANY = 100 * STEP;
const things = (count: number, version: number, from = 0): Thing[] =>
  Array.from({ length: count }, (_, i) => ({ name: `thing-${from + i}`, version }));

/** A queue, and a consumer that keeps a store as the informer does. */
function fixture(make: (options: QueueOptions<Thing>) => SteppedQueue, known: readonly Thing[] = []) {
  const store = new Map(known.map((thing) => [thing.name, thing]));
  const logger = logRecorder();
  const queue = make({
    logger,
    keyFunction: ({ name }) => name,
    knownObjects: { listKeys: () => store.keys(), getByKey: (key) => store.get(key) },
  });
  const initial = new Set<string>();
  const popped = new Set<Thing>();
  const pop = () =>
    queue.popNow((deltas, isInInitialList) => {
      for (const { type, object } of deltas) {
        const thing = object instanceof DeletedFinalStateUnknown ? object.obj : object;
        if (thing.version < (store.get(thing.name)?.version ?? 0)) throw new Error(`${thing.name} went back`);
        if (type === 'Replaced' && popped.has(thing)) throw new Error(`${thing.name} came out twice`);
        if (type === 'Replaced') popped.add(thing);
        if (isInInitialList) initial.add(thing.name);
        if (type === 'Deleted') store.delete(thing.name);
        else store.set(thing.name, thing);
      }
    }) !== undefined;
  const drain = () => {
    while (pop());
  };
  return { queue, store, initial, popped, logger, pop, drain };
}

function logRecorder(): Logger & { lines: string[] } {
  const lines: string[] = [];
  const push = (message: string) => void lines.push(message);
  return { lines, debug: () => {}, info: () => {}, warn: push, error: push };
}

function pauses(steps: Steps): number {
  let count = 0;
  while (!steps.next().done) count++;
  return count;
}

describe.each<[string, (options: QueueOptions<Thing>) => SteppedQueue]>([
  ['DeltaFIFO', (options) => new SteppedDeltaFIFO(options)],
  ['InOrderQueue', (options) => new SteppedInOrderQueue(options)],
])('%s', (name, make) => {
  const isDelta = name === 'DeltaFIFO';
  /** How often a queue may pause when it goes through `MANY` once. */
  const once = MANY / STEP;

  it('pauses while it goes through a first list', () => {
    const { queue } = fixture(make);
    // A DeltaFIFO takes it as it is.
    expect(pauses(queue.steps(things(MANY, 1), true))).toBeGreaterThanOrEqual(isDelta ? once : 3 * once);
    expect(queue.length).toBe(MANY);
  });

  it('pauses while it goes through a first list, and all that is known and queued beside it', () => {
    const { queue, initial, drain } = fixture(make, things(MANY, 1));
    queue.resync();
    // The list three times, what is queued once or twice, what is known once.
    expect(pauses(queue.steps(things(MANY, 2, MANY), false))).toBeGreaterThanOrEqual((isDelta ? 5 : 6) * once);
    expect(queue.hasSynced()).toBe(false);
    drain();
    expect(initial.size).toBe(2 * MANY);
    expect(queue.hasSynced()).toBe(true);
  });

  it('pauses while it goes through a later list, and all that is known and queued beside it', () => {
    const { queue, store, drain } = fixture(make, things(MANY, 1));
    for (const changed of things(MANY, 2)) queue.update(changed);
    expect(pauses(queue.steps(things(MANY, 3, MANY), false))).toBeGreaterThanOrEqual(5 * once);
    drain();
    expect([...store.keys()].sort()).toEqual(
      things(MANY, 3, MANY)
        .map((thing) => thing.name)
        .sort(),
    );
  });

  it('pauses while it goes through what is left of the first list when a second one comes', () => {
    const { queue, drain, store } = fixture(make);
    pauses(queue.steps(things(MANY, 1), true));
    expect(pauses(queue.steps(things(MANY, 2), true))).toBeGreaterThanOrEqual(5 * once);
    drain();
    expect([...store.values()].every(({ version }) => version === 2)).toBe(true);
  });

  it('gives out nothing of a first list before it is whole', () => {
    const { queue, popped, pop, drain } = fixture(make, things(MANY, 1));
    for (const steps = queue.steps(things(MANY, 2), false); !steps.next().done; ) {
      pop();
      expect(popped.size).toBe(0);
    }
    drain();
    expect(popped.size).toBe(MANY);
  });

  it('does not miss what goes at one of its pauses, whichever it is', () => {
    let pause = 0;
    for (let count = 1; pause < count; pause++) {
      const { queue, store, logger, drain } = fixture(make);
      pauses(queue.steps(things(10, 1), true));
      drain();
      for (const known of store.values()) queue.delete(known);
      const steps = queue.steps(things(3 * STEP, 2, MANY), false);
      for (count = 0; !steps.next().done; count++) if (count === pause) drain();
      drain();
      expect(store.size).toBe(3 * STEP);
      expect(logger.lines).toEqual([]);
    }
    expect(pause).toBeGreaterThanOrEqual(6);
  });

  it('ends with the state of the list, whatever is popped and resynced at each pause', () => {
    const anyList = fc.record({
      from: fc.nat(300),
      count: fc.nat(700),
      areSorted: fc.boolean(),
      isResynced: fc.boolean(),
      pops: fc.array(fc.nat(150), { minLength: 1, maxLength: 20 }),
      popsAfter: fc.nat(300),
    });
    fc.assert(
      fc.property(fc.nat(300), fc.array(anyList, { minLength: 1, maxLength: 3 }), (known, lists) => {
        const { queue, store, initial, popped, logger, pop, drain } = fixture(make, things(known, 1));
        for (const [nth, { from, count, areSorted, isResynced, pops, popsAfter }] of lists.entries()) {
          const listed = things(count, nth + 2, from);
          const steps = queue.steps(listed, areSorted);
          if (isResynced) queue.resync();
          for (let pause = 0; !steps.next().done; pause++) {
            if (isResynced && pause === 3) queue.resync();
            for (let n = 0; n < (pops[pause % pops.length] ?? 0); n++) pop();
            if (nth === 0) expect([queue.hasSynced(), initial.size, popped.size]).toEqual([false, 0, 0]);
          }
          if (nth === 0) expect(queue.hasSynced()).toBe(queue.length === 0);
          for (let n = 0; n < popsAfter; n++) pop();
          if (nth < lists.length - 1) continue;
          drain();
          expect(queue.hasSynced()).toBe(true);
          expect([...store.values()].sort(byName)).toEqual(listed.sort(byName));
          expect(logger.lines).toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });
});

const byName = (a: Thing, b: Thing) => (a.name < b.name ? -1 : 1);
