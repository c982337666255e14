import { describe, expect, it } from 'vitest';
import { DELAYED, DIRTY, NONE, RUNNING, Slots } from './slots.ts';

describe('slots', () => {
  it('keep an item until it has no more to do', () => {
    const slots = new Slots<{ id: string }>(false);
    const slot = slots.take('a', { id: 'a' });
    slots.set(slot, DIRTY);
    expect(slots.release(slot)).toBe(false);
    expect([slots.size, slots.find('a')]).toEqual([1, slot]);
    slots.clear(slot, DIRTY);
    expect(slots.release(slot)).toBe(true);
    expect([slots.size, slots.find('a'), slots.itemAt(slot)]).toEqual([0, NONE, undefined]);
  });

  it('give an item that comes again the slot that it had, and another one the slot of somebody who has gone', () => {
    const slots = new Slots<string>(true);
    const [a, b] = [slots.take('a', 'a'), slots.take('b', 'b')];
    const all = slots.capacity;
    for (let n = 2; n < all; n++) slots.take(`item-${n}`, `item-${n}`);
    for (let n = 0; n < 5; n++) {
      slots.release(a);
      expect([slots.find('a'), slots.take('a', 'a'), slots.size]).toEqual([NONE, a, all]);
      slots.set(a, DIRTY);
      slots.clear(a, DIRTY);
    }
    slots.release(b);
    // The slot of a was free once, and is not now.
    expect([slots.take('c', 'c'), slots.find('b'), slots.find('a'), slots.size]).toEqual([b, NONE, a, all]);
    expect(slots.take('d', 'd')).not.toBe(a);
    expect([slots.keyAt(a), slots.keyAt(b)]).toEqual(['a', 'c']);
  });

  it('forget the keys of a long queue when it is empty', () => {
    const slots = new Slots<string>(true);
    const taken = Array.from({ length: 3_000 }, (_, n) => slots.take(`item-${n}`, `item-${n}`));
    for (const slot of taken) slots.release(slot);
    expect([slots.capacity, slots.size, slots.keyAt(taken[5] ?? NONE)]).toEqual([64, 0, undefined]);
    const slot = slots.take('item-5', 'item-5');
    expect([slots.find('item-5'), slots.size, slots.has(slot, RUNNING | DIRTY | DELAYED)]).toEqual([slot, 1, false]);
  });

  it.each([1, 8, 9, 10, 65])('are found by their keys, among %i that come, go and come again', (count) => {
    const slots = new Slots<unknown>(true);
    const keys = [Number.NaN, ...Array.from({ length: count }, (_, n) => `item-${n}`), 7, 7n].slice(0, count);
    for (let round = 0; round < 3; round++) {
      const taken = keys.map((key) => slots.take(key, key));
      expect(new Set(taken).size).toBe(count);
      expect(keys.map((key) => slots.find(key))).toEqual(taken);
      expect(keys.map((key) => slots.take(key, key))).toEqual(taken);
      expect([slots.size, slots.find('somebody else')]).toEqual([count, NONE]);
      for (const [n, slot] of taken.entries()) {
        slots.release(slot);
        expect(keys.map((key) => slots.find(key))).toEqual(taken.map((other, m) => (m <= n ? NONE : other)));
      }
    }
  });

  it('hold the item as it was added last, under the slot that its key has', () => {
    const slots = new Slots<{ id: string; n: number }>(false);
    const slot = slots.take('a', { id: 'a', n: 1 });
    expect(slots.take('b', { id: 'b', n: 1 })).not.toBe(slot);
    expect(slots.take('a', { id: 'a', n: 2 })).toBe(slot);
    expect([slots.keyAt(slot), slots.itemAt(slot)]).toEqual(['a', { id: 'a', n: 2 }]);
  });

  it('have flags that do not touch one another', () => {
    const slots = new Slots<string>(true);
    const slot = slots.take('a', 'a');
    slots.set(slot, RUNNING);
    slots.set(slot, DELAYED);
    slots.clear(slot, RUNNING);
    expect([RUNNING, DIRTY, DELAYED].map((flag) => slots.has(slot, flag))).toEqual([false, false, true]);
  });

  it('are used again before there is room for more', () => {
    const slots = new Slots<string>(true);
    const first = slots.capacity;
    for (let n = 0; n < 10 * first; n++) slots.release(slots.take(`item-${n}`, `item-${n}`));
    expect(slots.capacity).toBe(first);
  });

  it('give back the room for many items when the last one has gone, and lose no column while they grow', () => {
    const slots = new Slots<string>(true);
    const column = slots.numberColumn();
    const links = slots.slotColumn();
    for (let n = 0; n < 40_000; n++) {
      const slot = slots.take(`item-${n}`, `item-${n}`);
      column.set(slot, n + 0.5);
      links.set(slot, slot - 1);
    }
    const taken = Array.from({ length: 40_000 }, (_, n) => slots.find(`item-${n}`));
    expect(taken.every((slot, n) => column.get(slot) === n + 0.5 && links.get(slot) === slot - 1)).toBe(true);
    const [last = NONE, ...others] = taken;
    for (const slot of others) slots.release(slot);
    expect(slots.capacity).toBeGreaterThanOrEqual(40_000);
    slots.release(last);
    expect(slots.capacity).toBe(64);
    for (let n = 0; n < 5_000; n++) column.set(slots.take(`${n}`, `${n}`), n);
    expect(Array.from({ length: 5_000 }, (_, n) => column.get(slots.find(`${n}`)))).toEqual([...Array(5_000).keys()]);
  });
});
