import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Painter } from '../terminal/style.ts';
import { textWidth } from '../terminal/text-width.ts';
import { fittedWidths, GAP } from './column-layout.ts';
import { LiveTable } from './live-table.ts';
import { RowOutput } from './row-output.ts';
import { MARK_MS, RowTable } from './row-table.ts';
import { type TableColumn, type TableRow, tableRow } from './table-rows.ts';
import { cellText, viewColumns } from './table-view.ts';

function row(name: string, cells: readonly unknown[] = [name], namespace = 'default'): TableRow {
  return tableRow({ metadata: { name, namespace } }, cells);
}

describe('rows of a screen', () => {
  it('are those of the last state, in the order of the server, whatever happened in between', () => {
    const key = fc.constantFrom('a', 'a-1', 'a.b', 'b', 'c', 'd', 'e', 'f');
    const change = fc.oneof(
      fc.record({ do: fc.constant('put' as const), name: key, namespace: fc.constantFrom('n', 'n-1') }),
      fc.record({ do: fc.constant('delete' as const), name: key, namespace: fc.constantFrom('n', 'n-1') }),
      fc.record({ do: fc.constant('look' as const), ms: fc.constantFrom(0, 100, MARK_MS) }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const table = new RowTable();
        const expected = new Map<string, TableRow>();
        let nowMs = 0;
        for (const step of changes) {
          if (step.do === 'look') {
            nowMs += step.ms;
            table.rows(nowMs);
            continue;
          }
          const one = row(step.name, [step.name], step.namespace);
          const place = `${step.namespace}/${step.name}`;
          if (step.do === 'put') {
            table.put(one, expected.has(place) ? 'changed' : 'added', nowMs);
            expected.set(place, one);
          } else {
            table.delete(one, nowMs);
            expected.delete(place);
          }
        }
        expect(table.size).toBe(expected.size);
        const shown = table.rows(nowMs + MARK_MS);
        expect(shown.map((entry) => entry.row)).toEqual(
          [...expected.keys()].sort().map((place) => expected.get(place)),
        );
      }),
    );
  });

  it('stay for a moment when they are deleted, and come back under the same name', () => {
    const table = new RowTable();
    table.put(row('a'), undefined, 0);
    table.delete(row('a'), 100);
    expect(table.rows(200).map(({ mark }) => mark)).toEqual(['deleted']);
    expect(table.size).toBe(0);
    table.put(row('a', ['again']), 'added', 300);
    expect(table.rows(100 + MARK_MS)).toHaveLength(1);
    table.delete(row('a'), 400);
    expect(table.rows(400 + MARK_MS)).toHaveLength(0);
  });
});

describe('the widths of columns', () => {
  it('are those wanted where there is room, and otherwise fit, the widest giving way first', () => {
    expect(fittedWidths([10, 5, 20], 80)).toEqual([10, 5, 20]);
    expect(fittedWidths([30, 5, 9], 40)).toEqual([22, 5, 9]);
    expect(fittedWidths([30, 30, 5], 49)).toEqual([20, 20, 5]);
    expect(fittedWidths([30, 30, 5], 49, [25, 8, 8])).toEqual([25, 15, 5]);
    expect(fittedWidths([30, 30, 5], 10, [25, 8, 8])).toEqual([25, 8, 5]);
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 9 }),
        fc.nat(120),
        (wanted, columns) => {
          const widths = fittedWidths(wanted, columns);
          const total = widths.reduce((sum, width) => sum + width + GAP, -GAP);
          for (const [at, width] of widths.entries()) {
            expect(width).toBeLessThanOrEqual(wanted[at] ?? 0);
            expect(width).toBeGreaterThanOrEqual(Math.min(8, wanted[at] ?? 0));
          }
          if (widths.some((width) => width > 8)) expect(total).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

describe('a live table', () => {
  it('never draws a line that is wider than the window, whatever the cells hold', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '日', '🚀', '\x1b', '\n', '\u202e', 'ß', ' ') });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { maxLength: 8 }),
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        (cells, columns, unicode) => {
          const rows = new RowTable();
          for (const [at, pair] of cells.entries()) rows.put(row(`r${at}`, pair), 'added', 0);
          const definitions = [{ name: 'Name' }, { name: 'Status' }];
          const options = { wide: false, namespaces: false, labelColumns: [], showLabels: false };
          const painter = new Painter({ color: false, unicode });
          const table = new LiveTable({ painter, rows, columns: () => viewColumns(definitions, options) });
          for (const line of table.lines(columns, 5, 0).lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });
});

describe('the columns of a view', () => {
  const options = { wide: false, namespaces: false, labelColumns: [], showLabels: false };
  const definitions: TableColumn[] = [
    { name: 'Name', type: 'string' },
    { name: 'Node', type: 'string', priority: 1 },
    {
      name: 'Age',
      type: 'string',
      description: 'CreationTimestamp is a timestamp representing the server time when …',
    },
  ];

  it('leave out what only -o wide shows', () => {
    expect(viewColumns(definitions, options).map(({ heading }) => heading)).toEqual(['NAME', 'AGE']);
    expect(
      viewColumns(definitions, { ...options, wide: true, namespaces: true }).map(({ heading }) => heading),
    ).toEqual(['NAMESPACE', 'NAME', 'NODE', 'AGE']);
  });

  it('count an age on where the server has stopped, but only where it is the age of the object', () => {
    const created = tableRow({ metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' } }, ['a', '', '5s']);
    const [, age] = viewColumns(definitions, options);
    expect(age?.text(created, Date.UTC(2026, 0, 1, 0, 10))).toBe('10m');
    expect(age?.text(created, Date.UTC(2025, 0, 1))).toBe('0s');
    const [other] = viewColumns([{ name: 'Age', description: 'of the wine' }], options);
    expect(
      other?.text(tableRow({ metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' } }, ['12y']), 0),
    ).toBe('12y');
  });

  it.each([
    [null, ''],
    [undefined, ''],
    [3, '3'],
    [true, 'true'],
    ['one\ntwo', 'one...'],
    [{ a: 1 }, '{"a":1}'],
  ])('show the cell %j as %j', (cell, text) => {
    expect(cellText(cell)).toBe(text);
  });
});

describe('rows as lines', () => {
  it('repeat the headings when the columns change', () => {
    let columns: TableColumn[] = [{ name: 'Name' }, { name: 'Data' }];
    const options = { wide: false, namespaces: false, labelColumns: [], showLabels: false };
    const output = new RowOutput({
      columns: () => viewColumns(columns, options),
      headers: true,
      showEvents: false,
      now: () => 0,
    });
    expect(output.lines([['ADDED', row('a', ['a', 1])]])).toBe('NAME   DATA\na      1\n');
    expect(output.lines([['ADDED', row('b', ['b', 2])]])).toBe('b      2\n');
    expect(output.lines([['ADDED', row('日本語', ['日本語', 2])]])).toBe('日本語   2\n');
    columns = [{ name: 'Name' }, { name: 'Size' }];
    expect(output.lines([['ADDED', row('c', ['c', 3])]])).toBe('NAME   SIZE\nc      3\n');
    expect(output.lines([])).toBe('');
  });
});
