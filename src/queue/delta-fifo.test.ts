import { describe, expect, it } from 'vitest';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { DeltaFIFO, type DeltaFIFOOptions } from './delta-fifo.ts';
import type { Delta, Deltas, KnownObjects } from './queue.ts';

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

function queue(options: DeltaFIFOOptions<Thing> = {}): DeltaFIFO<Thing> {
  return new DeltaFIFO<Thing>({ keyFunction: (object) => object.name, ...options });
}

function drain(fifo: DeltaFIFO<Thing>): Deltas<Thing>[] {
  const popped: Deltas<Thing>[] = [];
  while (fifo.popNow((deltas) => popped.push(deltas)) !== undefined);
  return popped;
}

const delta = (type: Delta<Thing>['type'], object: Thing | DeletedFinalStateUnknown<Thing>): Delta<Thing> => ({
  type,
  object,
});

describe('DeltaFIFO accumulates', () => {
  it('hands out all that happened to an object in one piece, oldest first', () => {
    const fifo = queue();
    fifo.add(thing('foo', 10));
    fifo.update(thing('foo', 12));
    fifo.delete(thing('foo', 15));
    expect(fifo.list()).toEqual([thing('foo', 15)]);
    expect(fifo.listKeys()).toEqual(['foo']);
    expect(drain(fifo)).toEqual([
      [delta('Added', thing('foo', 10)), delta('Updated', thing('foo', 12)), delta('Deleted', thing('foo', 15))],
    ]);
    expect(fifo.get(thing('foo', 0))).toBeUndefined();
  });

  it('keeps the place of an object that changes again, and gives it a new place once it has been popped', () => {
    const fifo = queue();
    fifo.add(thing('foo', 10));
    fifo.add(thing('bar', 1));
    fifo.add(thing('foo', 11));
    fifo.add(thing('foo', 13));
    fifo.add(thing('zab', 30));
    const order: unknown[] = [];
    const note = (deltas: Deltas<Thing>) => order.push(deltas.at(-1)?.object);
    void fifo.popNow(note);
    fifo.add(thing('foo', 14));
    while (fifo.popNow(note) !== undefined);
    expect(order).toEqual([thing('foo', 13), thing('bar', 1), thing('zab', 30), thing('foo', 14)]);
  });

  it('drops the delete of an object that is neither known nor queued', () => {
    const fifo = queue();
    fifo.add(thing('foo', 10));
    fifo.update(thing('bar', 15));
    fifo.add(thing('qux', 17));
    fifo.delete(thing('qux', 18));
    fifo.delete(thing('baz', 20));
    expect(fifo.list()).toEqual([thing('foo', 10), thing('bar', 15), thing('qux', 18)]);
  });

  it('queues the delete of an object that is known', () => {
    const fifo = queue({ knownObjects: knowing(thing('foo', 5), thing('bar', 6), thing('baz', 7)) });
    fifo.add(thing('foo', 10));
    fifo.update(thing('bar', 15));
    fifo.delete(thing('baz', 20));
    expect(fifo.list()).toEqual([thing('foo', 10), thing('bar', 15), thing('baz', 20)]);
  });

  it('queues the delete of an object that is queued and not known', () => {
    const fifo = queue({ knownObjects: knowing() });
    fifo.add(thing('foo', 5));
    fifo.delete(thing('foo', 6));
    expect(fifo.getByKey('foo')?.map(({ type }) => type)).toEqual(['Added', 'Deleted']);
  });

  it('collapses deletes in a row into the one that knows the final state', () => {
    const fifo = queue({ knownObjects: knowing(thing('a', 1), thing('b', 1), thing('c', 1), thing('d', 1)) });
    fifo.delete(thing('a', 2));
    fifo.delete(thing('a', 3));
    fifo.delete(tombstone('b', 2));
    fifo.delete(thing('b', 3));
    fifo.delete(thing('c', 2));
    fifo.delete(tombstone('c', 3));
    fifo.delete(tombstone('d', 2));
    fifo.delete(tombstone('d', 3));
    expect(drain(fifo)).toEqual([
      [delta('Deleted', thing('a', 2))],
      [delta('Deleted', thing('b', 3))],
      [delta('Deleted', thing('c', 2))],
      [delta('Deleted', tombstone('d', 3))],
    ]);
  });

  it('shows copies: what get returned does not change when the object changes again', () => {
    const fifo = queue();
    fifo.add(thing('foo', 1));
    const seen = fifo.get(thing('foo', 0));
    fifo.update(thing('foo', 2));
    expect(seen).toEqual([delta('Added', thing('foo', 1))]);
  });

  it('takes objects of the API without a key function, and keys like __proto__', () => {
    const fifo = new DeltaFIFO();
    fifo.add({ metadata: { namespace: 'default', name: 'web' } });
    fifo.add({ metadata: { name: '__proto__' } });
    fifo.delete(new DeletedFinalStateUnknown('default/web', { metadata: { name: 'unused' } }));
    expect(fifo.listKeys()).toEqual(['default/web', '__proto__']);
    expect(fifo.getByKey('default/web')).toHaveLength(2);
    expect(fifo.getByKey('constructor')).toBeUndefined();
  });
});

describe('DeltaFIFO.replace', () => {
  it('queues the list after a pending delete of the same key, so that the new object is heard of', async () => {
    const fifo = queue({ knownObjects: knowing(thing('foo', 1)) });
    fifo.delete(thing('foo', 1));
    await fifo.replace([thing('foo', 2)], '');
    expect(drain(fifo)).toEqual([[delta('Deleted', thing('foo', 1)), delta('Replaced', thing('foo', 2))]]);
  });

  it('queues Replaced, or Sync for consumers that do not know Replaced', async () => {
    for (const [emitReplaced, type] of [
      [true, 'Replaced'],
      [false, 'Sync'],
    ] as const) {
      const fifo = queue({ emitReplaced, knownObjects: knowing(thing('foo', 5)) });
      await fifo.replace([thing('foo', 5)], '0');
      expect(drain(fifo)).toEqual([[delta(type, thing('foo', 5))]]);
    }
  });

  it('adds to what is pending for an object', async () => {
    const fifo = queue();
    fifo.add(thing('foo', 10));
    await fifo.replace([thing('foo', 15)], '0');
    expect(drain(fifo)).toEqual([[delta('Added', thing('foo', 10)), delta('Replaced', thing('foo', 15))]]);
  });

  it('queues tombstones after the list, with the newest state that is queued or else known', async () => {
    const known = () => knowing(thing('foo', 5), thing('bar', 6), thing('baz', 7));

    const afterDelete = queue({ knownObjects: known() });
    afterDelete.delete(thing('baz', 10));
    await afterDelete.replace([thing('foo', 6)], '0');
    expect(drain(afterDelete)).toEqual([
      [delta('Deleted', thing('baz', 10))],
      [delta('Replaced', thing('foo', 6))],
      [delta('Deleted', tombstone('bar', 6))],
    ]);

    const afterAdd = queue({ knownObjects: known() });
    afterAdd.add(thing('baz', 10));
    await afterAdd.replace([thing('foo', 5)], '0');
    expect(drain(afterAdd)).toEqual([
      [delta('Added', thing('baz', 10)), delta('Deleted', tombstone('baz', 10))],
      [delta('Replaced', thing('foo', 5))],
      [delta('Deleted', tombstone('bar', 6))],
    ]);

    const recreated = queue({ knownObjects: known() });
    recreated.delete(thing('bar', 6));
    recreated.add(thing('bar', 100));
    await recreated.replace([thing('foo', 5)], '0');
    expect(drain(recreated)).toEqual([
      [delta('Deleted', thing('bar', 6)), delta('Added', thing('bar', 100)), delta('Deleted', tombstone('bar', 100))],
      [delta('Replaced', thing('foo', 5))],
      [delta('Deleted', tombstone('baz', 7))],
    ]);

    const listedTwice = queue({ knownObjects: known() });
    await listedTwice.replace([thing('bar', 100), thing('foo', 5)], '0');
    await listedTwice.replace([thing('foo', 5)], '0');
    expect(drain(listedTwice)).toEqual([
      [delta('Replaced', thing('bar', 100)), delta('Deleted', tombstone('bar', 100))],
      [delta('Replaced', thing('foo', 5)), delta('Replaced', thing('foo', 5))],
      [delta('Deleted', tombstone('baz', 7))],
    ]);
  });

  const [one, two] = [thing('foo', 2), thing('foo', 3)];
  const onlyQueued: [string, (fifo: DeltaFIFO<Thing>) => Promise<void>, Delta<Thing>[]][] = [
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
      expect(drain(fifo)).toEqual([expected]);
    }
  });

  it('keeps both of two objects with one key in a list, under one place', async () => {
    const fifo = queue();
    await fifo.replace([thing('a', 1), thing('a', 2)], '0');
    expect(drain(fifo)).toEqual([[delta('Replaced', thing('a', 1)), delta('Replaced', thing('a', 2))]]);
    expect(fifo.hasSynced()).toBe(true);
  });
});

describe('DeltaFIFO.resync', () => {
  it('queues Sync for what is known', () => {
    const fifo = queue({ knownObjects: knowing(thing('foo', 5)) });
    fifo.resync();
    expect(drain(fifo)).toEqual([[delta('Sync', thing('foo', 5))]]);
  });

  it('leaves alone what has something pending, be it an update or a delete', () => {
    const fifo = queue({ knownObjects: knowing(thing('foo', 5), thing('bar', 5)) });
    fifo.update(thing('foo', 6));
    fifo.delete(thing('bar', 10));
    fifo.resync();
    expect(drain(fifo)).toEqual([[delta('Updated', thing('foo', 6))], [delta('Deleted', thing('bar', 10))]]);
  });
});

describe('DeltaFIFO for those who put its parts together', () => {
  it('knows the key of an object, of a tombstone and of deltas', () => {
    const fifo = queue();
    expect(fifo.keyOf(thing('foo', 1))).toBe('foo');
    expect(fifo.keyOf(tombstone('bar', 1))).toBe('bar');
    expect(fifo.keyOf([delta('Added', thing('foo', 1)), delta('Deleted', tombstone('foo', 2))])).toBe('foo');
    expect(() => fifo.keyOf([])).toThrow('have no key');
  });

  it('takes deltas back that could not be processed, unless newer ones are queued', () => {
    const fifo = queue();
    fifo.add(thing('foo', 1));
    fifo.update(thing('foo', 2));
    fifo.add(thing('bar', 1));
    const [foo = [], bar = []] = drain(fifo);
    fifo.update(thing('bar', 3));
    fifo.addIfNotPresent(foo);
    fifo.addIfNotPresent(bar);
    expect(drain(fifo)).toEqual([
      [delta('Updated', thing('bar', 3))],
      [delta('Added', thing('foo', 1)), delta('Updated', thing('foo', 2))],
    ]);
    fifo.close();
    fifo.addIfNotPresent(foo);
    expect(fifo.length).toBe(0);
  });

  it('wakes a pop that waits, and counts as populated', async () => {
    const fifo = queue();
    const popped = fifo.pop(() => {});
    fifo.addIfNotPresent([delta('Added', thing('foo', 1))]);
    expect(await popped).toEqual([delta('Added', thing('foo', 1))]);
    expect(fifo.hasSynced()).toBe(true);
  });
});
