import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Column } from './value-index.ts';

/** More than one page holds. */
const MANY = 10_000;

function filled(length: number): Column<number> {
  const column = new Column<number>();
  for (let i = 0; i < length; i++) column.push(i);
  return column;
}

function contents(column: Column<number>): (number | undefined)[] {
  return Array.from({ length: column.length }, (_, i) => column.get(i));
}

describe('Column', () => {
  it('holds at each place what was put there last', () => {
    const column = filled(MANY);
    for (let i = 0; i < MANY; i += 3) column.set(i, -i);
    expect(contents(column)).toEqual(Array.from({ length: MANY }, (_, i) => (i % 3 === 0 ? -i : i)));
  });

  it('has nothing outside', () => {
    const column = filled(3);
    expect(column.get(3)).toBeUndefined();
    expect(column.get(MANY)).toBeUndefined();
    expect(new Column().pop()).toBeUndefined();
  });

  it('is what an array would be, however it grows and shrinks', () => {
    const anySteps = fc.array(fc.integer({ min: -9_000, max: 9_000 }), { maxLength: 8 });
    fc.assert(
      fc.property(anySteps, (steps) => {
        const column = new Column<number>();
        const model: number[] = [];
        for (const step of steps) {
          for (let i = 0; i < step; i++) {
            column.push(step + i);
            model.push(step + i);
          }
          const popped: (number | undefined)[] = [];
          for (let i = 0; i > step; i--) popped.push(column.pop());
          expect(popped).toEqual(Array.from(popped, () => model.pop()));
          expect(contents(column)).toEqual(model);
        }
      }),
      { numRuns: 20 },
    );
  });
});
