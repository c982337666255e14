import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SortedMap } from './sorted-map.ts';

const key = fc.stringMatching(/^[a-c]{1,3}(\/[a-c]{1,3})?$/);

describe('SortedMap', () => {
  it('holds what a Map holds, in the order of its keys', () => {
    const command = fc.oneof(
      fc.record({ op: fc.constant('set' as const), key, value: fc.integer() }),
      fc.record({ op: fc.constant('delete' as const), key, value: fc.constant(0) }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 200 }), key, (commands, from) => {
        const map = new SortedMap<number>();
        const model = new Map<string, number>();
        for (const { op, key: at, value } of commands) {
          if (op === 'set') {
            map.set(at, value);
            model.set(at, value);
          } else expect(map.delete(at)).toBe(model.delete(at));
        }
        const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
        expect([...map.entries()]).toEqual(sorted);
        expect(map.values(from)).toEqual(sorted.filter(([at]) => at >= from).map(([, value]) => value));
        const inside = sorted.filter(([at]) => at.startsWith('a/') && at >= from);
        expect([...map.entries(from, 'a/')]).toEqual(inside);
        expect(map.values(from, 'a/')).toEqual(inside.map(([, value]) => value));
        expect(map.size).toBe(model.size);
      }),
    );
  });

  it('keeps its order through many chunks, whatever the order of insertion', () => {
    const names = Array.from({ length: 3000 }, (_, index) => String((index * 7919) % 3000).padStart(5, '0'));
    const map = new SortedMap<string>();
    for (const name of names) map.set(name, name);
    expect(map.values()).toEqual(names.toSorted());
    for (const name of names.filter((_, index) => index % 2 === 0)) map.delete(name);
    expect(map.values('01000')).toEqual(names.filter((name, index) => index % 2 === 1 && name >= '01000').toSorted());
  });
});
