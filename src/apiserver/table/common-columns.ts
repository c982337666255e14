import { getPath, type JsonObject, type JsonValue } from '../values/json.ts';
import { age, containerImages, containerNames, selectorOrNone, text } from './cell-text.ts';
import { column, type PrintedColumn, printer, type TablePrinter } from './table-printer.ts';

const NAME = {
  format: 'name',
  description: 'The name of the object, unique for its kind within a namespace.',
};

export const nameColumn: PrintedColumn = column('Name', (object) => text(object, 'metadata', 'name'), NAME);

/** For kinds that show more than the bare name in its column. */
export function nameColumnOf(cell: (object: JsonObject) => string): PrintedColumn {
  return column('Name', cell, NAME);
}

export const ageColumn: PrintedColumn = column('Age', age, { description: 'The time since the object was created.' });

const createdAtColumn: PrintedColumn = column(
  'Created At',
  (object) => text(object, 'metadata', 'creationTimestamp') || '0001-01-01T00:00:00Z',
  { type: 'date', description: 'When the object was created.' },
);

/** What the real server shows of kinds that nobody wrote a printer for. */
export const defaultPrinter: TablePrinter = printer([nameColumn, createdAtColumn], { emptyRowsAreNull: true });

export const nameAndAge: TablePrinter = printer([nameColumn, ageColumn]);

export function containerColumns(podSpec: (object: JsonObject) => JsonValue | undefined): PrintedColumn[] {
  return [
    column('Containers', (object) => containerNames(podSpec(object)), {
      wide: true,
      description: 'The names of the containers of a pod.',
    }),
    column('Images', (object) => containerImages(podSpec(object)), {
      wide: true,
      description: 'The images of the containers of a pod.',
    }),
  ];
}

export function selectorColumn(...path: string[]): PrintedColumn {
  return column('Selector', (object) => selectorOrNone(getPath(object, ...path)), {
    wide: true,
    description: 'Which pods belong to the object.',
  });
}
