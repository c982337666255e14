import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IndexValues, ValueIndex } from './value-index.ts';

/** What an index has to know, written down the plain way: the values of each row. */
function expectLike(index: ValueIndex<never>, rows: readonly IndexValues[]): void {
  const expected = new Map<string, number[]>();
  for (const [row, values] of rows.entries()) {
    for (const value of new Set(typeof values === 'string' ? [values] : values)) {
      expected.set(value, [...(expected.get(value) ?? []), row]);
    }
  }
  expect(index.values().sort()).toEqual([...expected.keys()].sort());
  for (const [value, wanted] of expected) expect([...(index.rows(value) ?? [])].sort((a, b) => a - b)).toEqual(wanted);
  expect(index.rows('of none')).toBeUndefined();
}

const someValues = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom('a', 'b', 'c'),
  fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }),
);

const anyStep = fc.oneof(
  fc.record({ what: fc.constant('append' as const), values: someValues }),
  fc.record({ what: fc.constant('move' as const), row: fc.nat(), values: someValues }),
  fc.record({ what: fc.constant('remove' as const), row: fc.nat() }),
);

describe('an index of values', () => {
  it('has each row under its values, whatever comes, moves and goes', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
        const index = new ValueIndex<never>(() => undefined);
        const rows: IndexValues[] = [];
        for (const step of steps) {
          if (step.what === 'append') {
            index.append(step.values);
            rows.push(step.values);
          } else if (rows.length > 0) {
            const row = step.row % rows.length;
            if (step.what === 'move') {
              index.move(row, step.values);
              rows[row] = step.values;
            } else {
              index.remove(row);
              const last = rows.pop();
              if (row < rows.length) rows[row] = last;
            }
          }
          expectLike(index, rows);
        }
      }),
    );
  });

  it('is right when many rows have come, and when most of them have gone', () => {
    const index = new ValueIndex<never>(() => undefined);
    const valuesOf = (i: number) => (i % 7 === 0 ? ['seventh', `n${i % 3}`] : `n${i % 3}`);
    const rows: IndexValues[] = Array.from({ length: 5_000 }, (_, i) => valuesOf(i));
    for (const values of rows) index.append(values);
    expectLike(index, rows);
    while (rows.length > 5) {
      const row = (rows.length * 3) >> 2;
      index.remove(row);
      const last = rows.pop();
      if (row < rows.length) rows[row] = last;
    }
    expectLike(index, rows);
    index.append('once more');
    expectLike(index, [...rows, 'once more']);
  });
});
