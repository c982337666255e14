import { describe, expect, it } from 'vitest';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { InOrderQueue } from './in-order-queue.ts';
import type { Delta, KnownObjects, QueueOptions } from './queue.ts';

interface Thing {
  name: string;
  val: number;
}

const thing = (name: string, val: number): Thing => ({ name, val });
const tombstone = (name: string, val: number) => new DeletedFinalStateUnknown(name, thing(name, val));

function knowing(...things: Thing[]): KnownObjects<Thing> {
  const byName = new Map(things.map((known) => [known.name, known]));
  return { listKeys: () => byName.keys(), getByKey: (key) => byName.get(key) };
}

function queue(options: QueueOptions<Thing> = {}): InOrderQueue<Thing> {
  return new InOrderQueue<Thing>({ keyFunction: (object) => object.name, ...options });
}

function drain(fifo: InOrderQueue<Thing>): Delta<Thing>[] {
  const popped: Delta<Thing>[] = [];
  const take = () =>
    fifo.popNow((deltas) => {
      expect(deltas).toHaveLength(1);
      popped.push(...deltas);
    });
  while (take() !== undefined);
  return popped;
}

const delta = (type: Delta<Thing>['type'], object: Thing | DeletedFinalStateUnknown<Thing>): Delta<Thing> => ({
  type,
  object,
});

describe('InOrderQueue', () => {
  it('hands out every change on its own, in the order in which it came', () => {
    const fifo = queue();
    fifo.add(thing('foo', 10));
    fifo.update(thing('foo', 12));
    fifo.delete(thing('foo', 15));
    const expected = [
      delta('Added', thing('foo', 10)),
      delta('Updated', thing('foo', 12)),
      delta('Deleted', thing('foo', 15)),
    ];
    expect(fifo.list()).toEqual(expected);
    expect(fifo.length).toBe(3);
    expect(drain(fifo)).toEqual(expected);
    expect(fifo.list()).toEqual([]);
  });

  it('lets nothing jump the line', () => {
    const fifo = queue();
    for (const [name, val] of [
      ['foo', 10],
      ['bar', 1],
      ['foo', 11],
      ['foo', 13],
      ['zab', 30],
    ] as const) {
      fifo.add(thing(name, val));
    }
    const order: unknown[] = [];
    const note = ([first]: readonly Delta<Thing>[]) => order.push(first?.object);
    void fifo.popNow(note);
    fifo.add(thing('foo', 14));
    while (fifo.popNow(note) !== undefined);
    expect(order).toEqual([
      thing('foo', 10),
      thing('bar', 1),
      thing('foo', 11),
      thing('foo', 13),
      thing('zab', 30),
      thing('foo', 14),
    ]);
  });

  it('takes the delete of an object that it has never heard of', () => {
    for (const options of [{ knownObjects: knowing(thing('baz', 7)) }, {}]) {
      const fifo = queue(options);
      fifo.add(thing('foo', 10));
      fifo.delete(thing('qux', 18));
      fifo.delete(thing('baz', 20));
      expect(drain(fifo)).toEqual([
        delta('Added', thing('foo', 10)),
        delta('Deleted', thing('qux', 18)),
        delta('Deleted', thing('baz', 20)),
      ]);
    }
  });
});

describe('InOrderQueue.replace', () => {
  it('queues the list after a pending delete of the same key', async () => {
    const fifo = queue({ knownObjects: knowing(thing('foo', 1)) });
    fifo.delete(thing('foo', 1));
    await fifo.replace([thing('foo', 2)], '');
    expect(drain(fifo)).toEqual([delta('Deleted', thing('foo', 1)), delta('Replaced', thing('foo', 2))]);
  });

  it('keeps what was pending for a listed object', async () => {
    const fifo = queue();
    fifo.add(thing('foo', 10));
    await fifo.replace([thing('foo', 15)], '0');
    expect(drain(fifo)).toEqual([delta('Added', thing('foo', 10)), delta('Replaced', thing('foo', 15))]);
  });

  it('queues tombstones before the list, with the newest state that is queued or else known', async () => {
    const known = () => knowing(thing('foo', 5), thing('bar', 6), thing('baz', 7));

    const afterDelete = queue({ knownObjects: known() });
    afterDelete.delete(thing('baz', 10));
    await afterDelete.replace([thing('foo', 6)], '0');
    expect(drain(afterDelete)).toEqual([
      delta('Deleted', thing('baz', 10)),
      delta('Deleted', tombstone('bar', 6)),
      delta('Replaced', thing('foo', 6)),
    ]);

    const afterAdd = queue({ knownObjects: known() });
    afterAdd.add(thing('baz', 10));
    await afterAdd.replace([thing('foo', 5)], '0');
    expect(drain(afterAdd)).toEqual([
      delta('Added', thing('baz', 10)),
      delta('Deleted', tombstone('baz', 10)),
      delta('Deleted', tombstone('bar', 6)),
      delta('Replaced', thing('foo', 5)),
    ]);

    const recreated = queue({ knownObjects: known() });
    recreated.delete(thing('bar', 6));
    recreated.add(thing('bar', 100));
    await recreated.replace([thing('foo', 5)], '0');
    expect(drain(recreated)).toEqual([
      delta('Deleted', thing('bar', 6)),
      delta('Added', thing('bar', 100)),
      delta('Deleted', tombstone('bar', 100)),
      delta('Deleted', tombstone('baz', 7)),
      delta('Replaced', thing('foo', 5)),
    ]);

    const listedTwice = queue({ knownObjects: known() });
    await listedTwice.replace([thing('bar', 100), thing('foo', 5)], '0');
    await listedTwice.replace([thing('foo', 5)], '0');
    expect(drain(listedTwice)).toEqual([
      delta('Deleted', tombstone('baz', 7)),
      delta('Replaced', thing('bar', 100)),
      delta('Replaced', thing('foo', 5)),
      delta('Deleted', tombstone('bar', 100)),
      delta('Replaced', thing('foo', 5)),
    ]);
  });

  const [one, two] = [thing('foo', 2), thing('foo', 3)];
  const onlyQueued: [string, (fifo: InOrderQueue<Thing>) => Promise<void>, Delta<Thing>[]][] = [
    [
      'added',
      async (fifo) => {
        fifo.add(one);
        await fifo.replace([], '0');
      },
      [delta('Added', one), delta('Deleted', tombstone('foo', 2))],
    ],
    [
      'added and listed',
      async (fifo) => {
        fifo.add(one);
        await fifo.replace([one], '0');
        await fifo.replace([one], '0');
        await fifo.replace([], '0');
      },
      [delta('Added', one), delta('Replaced', one), delta('Replaced', one), delta('Deleted', tombstone('foo', 2))],
    ],
    [
      'added and deleted',
      async (fifo) => {
        fifo.add(one);
        fifo.delete(one);
        await fifo.replace([], '0');
      },
      [delta('Added', one), delta('Deleted', one)],
    ],
    [
      'added, and missing from two lists',
      async (fifo) => {
        fifo.add(one);
        await fifo.replace([], '0');
        await fifo.replace([], '1');
      },
      [delta('Added', one), delta('Deleted', tombstone('foo', 2))],
    ],
    [
      'added, deleted and added',
      async (fifo) => {
        fifo.add(one);
        fifo.delete(one);
        fifo.add(two);
        await fifo.replace([], '0');
      },
      [delta('Added', one), delta('Deleted', one), delta('Added', two), delta('Deleted', tombstone('foo', 3))],
    ],
  ];
  it.each(onlyQueued)('deletes once an object that was only queued: %s', async (_, operations, expected) => {
    for (const options of [{ knownObjects: knowing() }, {}]) {
      const fifo = queue(options);
      await operations(fifo);
      expect(drain(fifo)).toEqual(expected);
    }
  });

  it('hands out both of two objects with one key in a list', async () => {
    const fifo = queue();
    await fifo.replace([thing('a', 1), thing('a', 2)], '0');
    void fifo.popNow(() => {});
    expect(fifo.hasSynced()).toBe(false);
    void fifo.popNow(() => {});
    expect(fifo.hasSynced()).toBe(true);
  });
});

describe('InOrderQueue.resync', () => {
  it('queues Sync for what is known and has nothing pending', () => {
    const fifo = queue({ knownObjects: knowing(thing('foo', 5), thing('bar', 5), thing('baz', 5)) });
    fifo.update(thing('foo', 6));
    fifo.delete(thing('bar', 10));
    fifo.resync();
    expect(drain(fifo)).toEqual([
      delta('Updated', thing('foo', 6)),
      delta('Deleted', thing('bar', 10)),
      delta('Sync', thing('baz', 5)),
    ]);
  });
});
