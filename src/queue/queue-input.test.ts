import { describe, expect, it } from 'vitest';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { KeyError } from '../api/key.ts';
import { TransformError } from '../api/transform-error.ts';
import { type Logger, silentLogger } from '../observe/logger.ts';
import { DeltaFIFO } from './delta-fifo.ts';
import { InOrderQueue } from './in-order-queue.ts';
import type { Deltas, KnownObjects, Queue, QueueOptions } from './queue.ts';

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

describe.each([
  ['DeltaFIFO', (options: QueueOptions<Thing>): Queue<Thing> => new DeltaFIFO({ keyFunction: nameOf, ...options })],
  [
    'InOrderQueue',
    (options: QueueOptions<Thing>): Queue<Thing> => new InOrderQueue({ keyFunction: nameOf, ...options }),
  ],
])('%s', (_, make) => {
  describe('given bad input', () => {
    it('surfaces a key function that fails as KeyError, and changes nothing', async () => {
      const fifo = make({ knownObjects: knowing(thing('k', 1)) });
      for (const act of [
        async () => fifo.add(thing('', 1)),
        async () => fifo.update(thing('', 1)),
        async () => fifo.delete(thing('', 1)),
        () => fifo.replace([thing('a', 1), thing('', 2)], '1'),
      ]) {
        await expect(act()).rejects.toThrow(KeyError);
        expect(fifo.length).toBe(0);
        expect(fifo.hasSynced()).toBe(false);
      }
    });

    it('takes a tombstone under its own key, and does not ask for another', () => {
      const fifo = make({ knownObjects: knowing(thing('k', 1)) });
      fifo.delete(new DeletedFinalStateUnknown('k', thing('', 2)));
      fifo.resync();
      expect(drainValues(fifo)).toEqual([2]);
    });

    it('says so when the key is not a string', () => {
      const fifo = make({ keyFunction: () => undefined as unknown as string });
      expect(() => fifo.add(thing('a', 1))).toThrow(/returned undefined, not a string/);
    });

    it.each<[string, (object: Thing) => Thing, RegExp]>([
      [
        'throws',
        () => {
          throw new Error('boom');
        },
        /the transform failed on a: boom/,
      ],
      ['returns nothing', () => undefined as unknown as Thing, /the transform returned undefined for a/],
      ['changes the key', (object) => ({ ...object, name: 'other' }), /must keep the key, but made "other" of a/],
    ])('surfaces a transform that %s, and changes nothing', async (_name, transform, message) => {
      const fifo = make({ transform: (object) => (object.val === 0 ? transform(object) : object) });
      await expect(fifo.replace([thing('b', 1), thing('a', 0)], '1')).rejects.toThrow(message);
      expect(() => fifo.add(thing('a', 0))).toThrow(TransformError);
      expect(() => fifo.add(thing('a', 0))).toThrow(expect.objectContaining({ kind: 'transform', key: 'a' }));
      expect(fifo.length).toBe(0);
      expect(fifo.hasSynced()).toBe(false);
    });

    it('warns of known objects that cannot be looked up, and goes on with the rest', async () => {
      const warnings: string[] = [];
      const logger: Logger = { ...silentLogger, warn: (message) => void warnings.push(message) };
      const knownObjects: KnownObjects<Thing> = {
        listKeys: () => ['lost', 'broken', 'a'],
        getByKey(key) {
          if (key === 'broken') throw new Error('disk on fire');
          return key === 'a' ? thing('a', 1) : undefined;
        },
      };
      const resynced = make({ knownObjects, logger });
      resynced.resync();
      expect(drainValues(resynced)).toEqual([1]);
      const replaced = make({ knownObjects, logger });
      await replaced.replace([], '1');
      expect(drainValues(replaced)).toEqual([1]);
      expect(warnings).toHaveLength(4);
      expect(warnings[0]).toContain('lost');
      expect(warnings[1]).toContain('broken');
    });
  });

  it('transforms each object once, and neither tombstones nor what is queued again', async () => {
    const transformed: number[] = [];
    const known = thing('k', 7);
    const fifo = make({
      knownObjects: knowing(known),
      transform(object) {
        transformed.push(object.val);
        return { ...object, val: object.val + 1000 };
      },
    });
    fifo.add(thing('foo', 10));
    fifo.add(thing('bar', 11));
    fifo.update(thing('foo', 12));
    fifo.delete(thing('foo', 15));
    fifo.resync();
    await fifo.replace([], '');
    fifo.add(thing('bar', 16));
    await fifo.replace([], '');
    expect(transformed).toEqual([10, 11, 12, 15, 16]);
    const last = new Map<string, number | undefined>();
    const isTombstone = new Map<string, boolean>();
    const note = (deltas: Deltas<Thing>) => {
      const object = deltas.at(-1)?.object;
      if (object === undefined) return;
      const name = object instanceof DeletedFinalStateUnknown ? object.key : object.name;
      last.set(name, newestValue(deltas));
      isTombstone.set(name, object instanceof DeletedFinalStateUnknown);
    };
    while (fifo.popNow(note) !== undefined);
    expect(Object.fromEntries(last)).toEqual({ foo: 1015, bar: 1016, k: 7 });
    expect(Object.fromEntries(isTombstone)).toEqual({ foo: false, bar: true, k: true });
  });
});
