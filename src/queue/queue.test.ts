import { describe, expect, it } from 'vitest';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { DeltaFIFO } from './delta-fifo.ts';
import { InOrderQueue } from './in-order-queue.ts';
import { type Deltas, type KnownObjects, type Queue, QueueClosedError, type QueueOptions } from './queue.ts';

interface Thing {
  name: string;
  val: number;
}

const thing = (name: string, val: number): Thing => ({ name, val });

function knowing(...things: Thing[]): KnownObjects<Thing> {
  const byName = new Map(things.map((known) => [known.name, known]));
  return { listKeys: () => byName.keys(), getByKey: (key) => byName.get(key) };
}

const nameOf = (object: Thing): string => {
  if (object.name === '') throw new Error('no name');
  return object.name;
};

/** The newest value of each popped item; tombstones count with the state inside. */
function newestValue(deltas: Deltas<Thing>): number | undefined {
  const object = deltas.at(-1)?.object;
  return object instanceof DeletedFinalStateUnknown ? object.obj.val : object?.val;
}

function drainValues(fifo: Queue<Thing>): (number | undefined)[] {
  const values: (number | undefined)[] = [];
  while (fifo.popNow((deltas) => values.push(newestValue(deltas))) !== undefined);
  return values;
}

/** A processing step that the test settles. */
function gate(): { process: () => Promise<void>; open: () => void; fail: (reason: Error) => void } {
  let open = () => {};
  let fail: (reason: Error) => void = () => {};
  const promise = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { process: () => promise, open, fail };
}

describe.each([
  ['DeltaFIFO', (options: QueueOptions<Thing>): Queue<Thing> => new DeltaFIFO({ keyFunction: nameOf, ...options })],
  [
    'InOrderQueue',
    (options: QueueOptions<Thing>): Queue<Thing> => new InOrderQueue({ keyFunction: nameOf, ...options }),
  ],
])('%s', (_, make) => {
  describe('pop', () => {
    it('keeps the order of two producers, each on its own', async () => {
      const fifo = make({});
      const producer = async (prefix: string, sign: number) => {
        for (let i = 1; i <= 500; i++) {
          fifo.add(thing(`${prefix}${i}`, sign * i));
          if (i % 7 === 0) await Promise.resolve();
        }
      };
      const producers = [producer('a', 1), producer('b', -1)];
      let [last, lowest] = [0, 0];
      for (let i = 0; i < 1000; i++) {
        const value = newestValue(await fifo.pop(() => {})) ?? Number.NaN;
        if (value > 0) {
          expect(value).toBe(last + 1);
          last = value;
        } else {
          expect(value).toBe(lowest - 1);
          lowest = value;
        }
      }
      await Promise.all(producers);
      expect(fifo.length).toBe(0);
    });

    it('waits for something to come, and does not process it inside the call that brought it', async () => {
      const fifo = make({});
      let processed = 0;
      const popped = fifo.pop(() => {
        processed++;
      });
      fifo.add(thing('a', 1));
      expect(processed).toBe(0);
      expect(newestValue(await popped)).toBe(1);
      expect(processed).toBe(1);
    });

    it('gives each of several calls its own item, in order', async () => {
      const fifo = make({});
      const order: unknown[] = [];
      const pops = [1, 2, 3].map((call) => fifo.pop((deltas) => void order.push([call, newestValue(deltas)])));
      await fifo.replace([thing('a', 1), thing('b', 2)], '1');
      const late = fifo.pop((deltas) => void order.push([4, newestValue(deltas)]));
      fifo.add(thing('c', 3));
      fifo.add(thing('d', 4));
      await Promise.all([...pops, late]);
      expect(order).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
        [4, 4],
      ]);
    });

    it('starts no call before the processing of the one before has settled', async () => {
      const fifo = make({});
      const first = gate();
      let secondRan = false;
      fifo.add(thing('a', 1));
      fifo.add(thing('b', 2));
      const pops = [
        fifo.pop(first.process),
        fifo.pop(() => {
          secondRan = true;
        }),
      ];
      await Promise.resolve();
      expect(secondRan).toBe(false);
      expect(() => fifo.popNow(() => {})).toThrow(/while a is being processed/);
      first.open();
      await Promise.all(pops);
      expect(secondRan).toBe(true);
    });

    it('tells through whenReady that something has come', async () => {
      const fifo = make({ knownObjects: knowing(thing('k', 1)) });
      const ready = [fifo.whenReady(), fifo.whenReady()];
      fifo.resync();
      await Promise.all(ready);
      await fifo.whenReady();
      expect(fifo.length).toBe(1);
    });

    it('returns undefined from popNow when nothing is queued', () => {
      expect(make({}).popNow(() => {})).toBeUndefined();
    });
  });

  describe('processing that fails', () => {
    it('reports the failure and drops the deltas', async () => {
      const fifo = make({});
      await fifo.replace([thing('a', 1), thing('b', 2)], '1');
      await expect(fifo.pop(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
      expect(() =>
        fifo.popNow(() => {
          throw new Error('never');
        }),
      ).toThrow('never');
      expect(fifo.length).toBe(0);
      expect(fifo.hasSynced()).toBe(true);
    });

    it('puts the deltas back before newer ones of that object when asked to retry', async () => {
      const fifo = make({ retryOnError: true });
      fifo.add(thing('a', 1));
      const failing = gate();
      const popped = fifo.pop(failing.process);
      fifo.update(thing('a', 2));
      failing.fail(new Error('busy'));
      await expect(popped).rejects.toThrow('busy');
      const seen: (number | undefined)[] = [];
      while (fifo.popNow((deltas) => seen.push(...deltas.map((delta) => newestValue([delta])))) !== undefined);
      expect(seen).toEqual([1, 2]);
    });

    it('has not synced while an object of the first list is being retried', async () => {
      const fifo = make({ retryOnError: true });
      await fifo.replace([thing('a', 1)], '1');
      const initial: boolean[] = [];
      const fail = (_deltas: Deltas<Thing>, isInInitialList: boolean) => {
        initial.push(isInInitialList);
        if (initial.length < 3) throw new Error('busy');
      };
      expect(() => fifo.popNow(fail)).toThrow('busy');
      expect(() => fifo.popNow(fail)).toThrow('busy');
      expect(fifo.hasSynced()).toBe(false);
      void fifo.popNow(fail);
      expect(initial).toEqual([true, true, true]);
      expect(fifo.hasSynced()).toBe(true);
    });

    it('does not change the deltas that a failed call has been given', () => {
      const fifo = make({ retryOnError: true });
      fifo.add(thing('a', 1));
      let seen: Deltas<Thing> = [];
      expect(() =>
        fifo.popNow((deltas) => {
          seen = deltas;
          throw new Error('busy');
        }),
      ).toThrow('busy');
      fifo.update(thing('a', 2));
      expect(seen).toHaveLength(1);
    });

    it('wakes those who wait when the deltas are put back', async () => {
      const fifo = make({ retryOnError: true });
      fifo.add(thing('a', 1));
      const failing = gate();
      const first = fifo.pop(failing.process);
      const second = fifo.pop(() => {});
      failing.fail(new Error('busy'));
      await expect(first).rejects.toThrow('busy');
      expect(newestValue(await second)).toBe(1);
    });
  });

  describe('while an object is being processed', () => {
    async function during(
      knownObjects: KnownObjects<Thing>,
      act: (fifo: Queue<Thing>) => unknown,
    ): Promise<Queue<Thing>> {
      const fifo = make({ knownObjects });
      fifo.add(thing('a', 1));
      const processing = gate();
      const popped = fifo.pop(processing.process);
      await act(fifo);
      processing.open();
      await popped;
      return fifo;
    }

    it('takes its delete although it is neither known nor queued', async () => {
      expect(drainValues(await during(knowing(), (fifo) => fifo.delete(thing('a', 2))))).toEqual([2]);
    });

    it('makes a tombstone of it when a list does not have it', async () => {
      expect(drainValues(await during(knowing(), (fifo) => fifo.replace([], '1')))).toEqual([1]);
    });

    it('makes no tombstone of it when a list has it', async () => {
      const fifo = await during(knowing(thing('a', 0)), (queue) => queue.replace([thing('a', 1)], '1'));
      expect(drainValues(fifo)).toEqual([1]);
    });

    it('does not queue its older known state', async () => {
      const fifo = await during(knowing(thing('a', 0), thing('b', 0)), (queue) => queue.resync());
      expect(fifo.length).toBe(1);
    });

    it('makes no second deletion of one whose deletion is being processed', async () => {
      const fifo = make({ knownObjects: knowing(thing('a', 1)) });
      fifo.delete(thing('a', 2));
      const processing = gate();
      const popped = fifo.pop(processing.process);
      await fifo.replace([], '1');
      processing.open();
      await popped;
      expect(fifo.length).toBe(0);
    });
  });

  describe('hasSynced', () => {
    const cases: [string, (fifo: Queue<Thing>) => unknown, boolean][] = [
      ['is false at first', () => {}, false],
      ['is true after an add that came before any list', (fifo) => fifo.add(thing('a', 1)), true],
      ['is true after a delete that came before any list', (fifo) => fifo.delete(thing('a', 1)), true],
      ['is true after an empty list', (fifo) => fifo.replace([], '0'), true],
      ['is false after a list', (fifo) => fifo.replace([thing('a', 1), thing('b', 2)], '0'), false],
      [
        'is false when part of the list has been popped',
        async (fifo) => {
          await fifo.replace([thing('a', 1), thing('b', 2)], '0');
          void fifo.popNow(() => {});
        },
        false,
      ],
      [
        'is true when the list has been popped',
        async (fifo) => {
          await fifo.replace([thing('a', 1), thing('b', 2)], '0');
          void fifo.popNow(() => {});
          void fifo.popNow(() => {});
        },
        true,
      ],
      [
        'is true when only what came after the list is left, and stays true after another list',
        async (fifo) => {
          await fifo.replace([thing('a', 1)], '0');
          fifo.add(thing('b', 2));
          void fifo.popNow(() => {});
          await fifo.replace([thing('c', 3)], '1');
        },
        true,
      ],
    ];
    it.each(cases)('%s', async (_name, act, expected) => {
      const fifo = make({});
      await act(fifo);
      expect(fifo.hasSynced()).toBe(expected);
    });

    it('counts the tombstones of the first list', async () => {
      const fifo = make({ knownObjects: knowing(thing('foo', 5), thing('bar', 6), thing('baz', 7)) });
      await fifo.replace([thing('foo', 5)], '0');
      for (let left = 3; left > 0; left--) {
        expect(fifo.hasSynced()).toBe(false);
        void fifo.popNow((_deltas, isInInitialList) => expect(isInInitialList).toBe(true));
      }
      expect(fifo.hasSynced()).toBe(true);
    });

    it('turns true only when the last of the list has been processed', async () => {
      const fifo = make({});
      await fifo.replace([thing('a', 1)], '0');
      const processing = gate();
      const popped = fifo.pop(processing.process);
      await Promise.resolve();
      expect(fifo.hasSynced()).toBe(false);
      processing.open();
      await popped;
      expect(fifo.hasSynced()).toBe(true);
    });

    it('waits for an object of the first list also when an earlier state of it is being retried', async () => {
      const fifo = make({ retryOnError: true, knownObjects: knowing(thing('a', 1)) });
      fifo.resync();
      const processing = gate();
      const popped = fifo.pop(processing.process);
      await fifo.replace([thing('a', 2)], '0');
      processing.fail(new Error('busy'));
      await expect(popped).rejects.toThrow('busy');
      expect(fifo.hasSynced()).toBe(false);
      drainValues(fifo);
      expect(fifo.hasSynced()).toBe(true);
    });

    it('says of each item whether it was in the first list', async () => {
      const fifo = make({});
      await fifo.replace([thing('a', 1)], '0');
      fifo.add(thing('b', 2));
      const initial: boolean[] = [];
      while (fifo.popNow((_deltas, isInInitialList) => initial.push(isInInitialList)) !== undefined);
      expect(initial).toEqual([true, false]);
    });
  });

  describe('a long list', () => {
    const many = (version: number, from = 0) =>
      Array.from({ length: 30_000 }, (_, i) => thing(`thing-${from + i}`, version));
    const sorted = (things: Thing[]) => things.sort((a, b) => (a.name < b.name ? -1 : 1));
    /** What a consumer makes of what it pops, a little in each turn of the event loop, until `done` has settled. */
    async function consume(fifo: Queue<Thing>, store: Map<string, Thing>, done: Promise<void>): Promise<Set<string>> {
      const initial = new Set<string>();
      let isDone = false;
      void done.then(() => {
        isDone = true;
      });
      while (!isDone || fifo.length > 0) {
        for (let n = 0; n < 500 && fifo.length > 0; n++) {
          void fifo.popNow((deltas, isInInitialList) => {
            for (const { type, object } of deltas) {
              const gone = object instanceof DeletedFinalStateUnknown;
              const { name } = gone ? object.obj : object;
              if (isInInitialList) initial.add(name);
              if (type === 'Deleted') store.delete(name);
              else if (!gone) store.set(name, object);
            }
          });
        }
        await new Promise(setImmediate);
      }
      return initial;
    }

    it.each([true, false])('shows nothing of the first list before it is whole (sorted: %s)', async (areSorted) => {
      const fifo = make({});
      const done = fifo.replace(areSorted ? sorted(many(1)) : many(1), '1');
      expect(fifo.length === 0 || fifo.length === 30_000).toBe(true);
      expect(fifo.hasSynced()).toBe(false);
      const initial = await consume(fifo, new Map(), done);
      expect(initial.size).toBe(30_000);
      expect(fifo.hasSynced()).toBe(true);
    });

    it('merges what is new with what is left of the first list', async () => {
      const fifo = make({});
      await fifo.replace([thing('a', 1), thing('b', 1), thing('c', 1)], '1');
      expect(fifo.length).toBe(3);
      void fifo.popNow(() => {});
      fifo.update(thing('b', 2));
      fifo.update(thing('a', 2));
      const popped: string[] = [];
      while (fifo.length > 0) {
        void fifo.popNow((deltas, isInInitialList) => {
          const values = deltas.map(
            ({ type, object }) => `${type} ${'val' in object ? `${object.name}${object.val}` : ''}`,
          );
          popped.push(`${values.join(', ')}${isInInitialList ? ' initial' : ''}`);
        });
      }
      expect(popped).toEqual(
        fifo instanceof DeltaFIFO
          ? ['Replaced b1, Updated b2 initial', 'Replaced c1 initial', 'Updated a2']
          : ['Replaced b1 initial', 'Replaced c1 initial', 'Updated b2', 'Updated a2'],
      );
      expect(fifo.hasSynced()).toBe(true);
    });

    it('ends with the state of the list, whatever is popped and resynced meanwhile', async () => {
      const store = new Map(many(1).map((known) => [known.name, known]));
      const fifo = make({ knownObjects: { listKeys: () => store.keys(), getByKey: (key) => store.get(key) } });
      for (const changed of many(2).slice(0, 5_000)) fifo.update(changed);
      const done = fifo.replace(many(3, 10_000), '3');
      fifo.resync();
      setImmediate(() => fifo.resync());
      expect(await consume(fifo, store, done)).toEqual(new Set());
      expect(store.size).toBe(30_000);
      expect(many(3, 10_000).every(({ name }) => store.get(name)?.val === 3)).toBe(true);
    });

    it('ends when the queue is closed, and rejects when a key function fails, having changed nothing', async () => {
      const fifo = make({});
      await expect(fifo.replace([thing('a', 1), thing('', 1)], '1')).rejects.toThrow('no name');
      expect(fifo.length).toBe(0);
      const done = fifo.replace(many(1), '1');
      fifo.close();
      await done;
      expect(fifo.length).toBe(0);
    });
  });

  describe('close', () => {
    it('rejects every waiting pop, and every later one', async () => {
      const fifo = make({});
      const pops = Array.from({ length: 10 }, () => fifo.pop(() => {}));
      fifo.close();
      fifo.close();
      for (const pop of [...pops, fifo.pop(() => {})]) await expect(pop).rejects.toBeInstanceOf(QueueClosedError);
      expect(fifo.isClosed).toBe(true);
    });

    it('drops what is queued and ignores what comes later', async () => {
      const fifo = make({ knownObjects: knowing(thing('k', 1)) });
      fifo.add(thing('a', 1));
      fifo.close();
      fifo.add(thing('b', 2));
      fifo.delete(thing('k', 2));
      await fifo.replace([thing('c', 3)], '1');
      fifo.resync();
      expect(fifo.length).toBe(0);
      expect(fifo.popNow(() => {})).toBeUndefined();
      await fifo.whenReady();
    });

    it('wakes whoever waits for something to come', async () => {
      const fifo = make({});
      const ready = fifo.whenReady();
      fifo.close();
      await ready;
    });

    it('lets the item in process finish, and does not put it back', async () => {
      const fifo = make({ retryOnError: true });
      fifo.add(thing('a', 1));
      fifo.add(thing('b', 1));
      const processing = gate();
      const popped = fifo.pop(processing.process);
      const next = fifo.pop(() => {});
      fifo.close();
      processing.fail(new Error('too late'));
      await expect(popped).rejects.toThrow('too late');
      await expect(next).rejects.toBeInstanceOf(QueueClosedError);
      expect(fifo.length).toBe(0);
    });
  });
});
