import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../observe/fake-clock.ts';
import { StatusError } from '../request/status-error.ts';
import { Store } from './storage.ts';

function makeStore(options: { historyLimit?: number; historyMaxAgeMs?: number } = {}) {
  const clock = new FakeClock();
  const store = new Store({ clock, historyLimit: 10_000, historyMaxAgeMs: 3_600_000, ...options });
  return { clock, store, table: store.table('things') };
}

const object = (name: string, value: number) => ({ metadata: { name, namespace: 'n' }, value });

describe('Store', () => {
  it('gives back every state of the past that it still remembers', () => {
    const change = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), remove: fc.boolean() });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), fc.nat(40), (changes, compactAt) => {
        const { store, table } = makeStore();
        const other = store.table('others');
        const model = new Map<string, number>();
        const past = new Map<number, Map<string, number>>([[store.revision, new Map()]]);
        changes.forEach(({ name, remove }, index) => {
          if (remove) {
            store.remove(table, `n/${name}`);
            model.delete(name);
          } else {
            store.put(table, object(name, index));
            model.set(name, index);
          }
          past.set(store.revision, new Map(model));
          store.put(other, object(name, index));
          past.set(store.revision, new Map(model));
        });
        store.compact(Math.min(compactAt, store.revision));
        for (const [revision, state] of past) {
          const expected = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
          if (revision < store.compactedRevision) {
            expect(() => store.snapshot(table, revision)).toThrow(StatusError);
          } else {
            const found = store.snapshot(table, revision).map((stored) => [stored.name, stored.decode().value]);
            expect(found).toEqual(expected);
          }
        }
      }),
    );
  });

  it('counts one revision for all tables, and writes it into the object', () => {
    const { store, table } = makeStore();
    const first = store.put(table, object('a', 1));
    store.put(store.table('others'), object('x', 1));
    const second = store.put(table, object('b', 1));
    expect(second.revision - first.revision).toBe(2);
    expect(second.decode().metadata).toMatchObject({ resourceVersion: String(second.revision) });
  });

  it('answers a removal with the last state under the revision of the removal', () => {
    const { store, table } = makeStore();
    store.put(table, object('a', 7));
    const last = store.remove(table, 'n/a');
    expect(last?.decode()).toMatchObject({ value: 7, metadata: { resourceVersion: String(store.revision) } });
    expect(store.remove(table, 'n/a')).toBeUndefined();
  });

  it('forgets changes beyond the limit, and those that are too old', async () => {
    const { store, table, clock } = makeStore({ historyLimit: 3, historyMaxAgeMs: 1_000 });
    for (let value = 0; value < 5; value++) store.put(table, object('a', value));
    expect(table.changesSince(0)).toHaveLength(3);
    await clock.advance(2_000);
    store.put(table, object('a', 9));
    expect(table.changesSince(0)).toHaveLength(1);
    expect(store.compactedRevision).toBe(store.revision - 1);
  });

  it('forgets nothing sooner or later because the wall clock jumps', async () => {
    const { store, table, clock } = makeStore({ historyMaxAgeMs: 1_000 });
    store.put(table, object('a', 1));
    clock.jump(3_600_000);
    store.put(table, object('a', 2));
    expect(table.changesSince(0)).toHaveLength(2);
    clock.jump(-3_600_000);
    await clock.advance(1_001);
    store.put(table, object('a', 3));
    expect(table.changesSince(0)).toHaveLength(1);
  });

  it('wakes those who wait for a revision, and gives up after the time', async () => {
    const { store, table, clock } = makeStore();
    const reached = store.waitForRevision(BigInt(store.revision + 1), 3_000);
    store.put(table, object('a', 1));
    await expect(reached).resolves.toBe(true);
    const missed = store.waitForRevision(BigInt(store.revision + 10), 3_000);
    await clock.advance(3_000);
    await expect(missed).resolves.toBe(false);
    const controller = new AbortController();
    const aborted = store.waitForRevision(BigInt(store.revision + 10), 3_000, controller.signal);
    controller.abort(new Error('gone'));
    await expect(aborted).rejects.toThrow('gone');
    expect(clock.pendingTimers).toBe(0);
  });

  it('reads objects again when a field becomes selectable', () => {
    const { store, table } = makeStore();
    store.put(table, object('a', 5));
    table.addSelectable([{ name: 'value', read: (stored) => String(stored.value) }]);
    expect(table.objects.get('n/a')?.fields[table.fieldIndex('value')]).toBe('5');
  });
});
