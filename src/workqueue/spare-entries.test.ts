import { describe, expect, it } from 'vitest';
import { Entry } from './entry.ts';
import { SpareEntries } from './spare-entries.ts';
import { WorkQueue } from './work-queue.ts';

const MAX_SPARE = 32_768;

class Probe extends WorkQueue<{ id: string }> {
  constructor() {
    super({ keyOf: ({ id }) => id });
  }

  get held(): { readonly count: number; readonly items: number } {
    const all = [...this.entries.values()];
    return { count: all.length, items: all.filter(({ item }) => item !== undefined).length };
  }
}

function workThrough(queue: Probe, count: number): number {
  for (let n = 0; n < count; n++) queue.add({ id: `item-${n}` });
  let done = 0;
  for (let item = queue.tryGet(); item; item = queue.tryGet()) {
    queue.done(item);
    done++;
  }
  return done;
}

describe('spare entries', () => {
  it('hold no item, and are no more than 32,768, however many keys a queue has seen', () => {
    const queue = new Probe();
    expect(workThrough(queue, 40_000)).toBe(40_000);
    expect(queue.held).toEqual({ count: MAX_SPARE, items: 0 });
    expect(workThrough(queue, 40_000)).toBe(40_000);
    expect(queue.held).toEqual({ count: MAX_SPARE, items: 0 });
  });

  it('leave out one that has work again when there are too many', () => {
    const spare = new SpareEntries<string>();
    const entries = Array.from({ length: MAX_SPARE + 2 }, (_, n) => new Entry(n, `${n}`));
    for (const entry of entries.slice(0, MAX_SPARE)) expect(spare.keep(entry)).toBeUndefined();
    const [first, second] = entries as [Entry<string>, Entry<string>];
    first.isRunning = true;
    expect(spare.keep(entries.at(-1) as Entry<string>)).toBeUndefined();
    first.isRunning = false;
    expect(spare.keep(first)).toBe(second);
  });

  it('keep an entry once, however often it becomes idle', () => {
    const spare = new SpareEntries<string>();
    const [hot, other] = [new Entry('hot', 'hot'), new Entry('other', 'other')];
    for (let n = 0; n < 2 * MAX_SPARE; n++) expect(spare.keep(hot)).toBeUndefined();
    expect(spare.keep(other)).toBeUndefined();
  });
});
