import type { Mutant } from './mutant.ts';

const STORE = 'src/store/store.test.ts';
const TABLE = 'src/store/object-table.test.ts';
const MODEL = 'src/store/object-table-model.test.ts';

export const STORE_MUTANTS: readonly Mutant[] = [
  {
    bug: 'the last object keeps its row when another goes',
    file: 'src/store/object-table.ts',
    original: '      this.#rows.set(last.key, row);\n',
    replacement: '',
    tests: [MODEL],
  },
  {
    bug: 'indexes keep what was removed',
    file: 'src/store/object-table.ts',
    original: '    for (const index of this.#indexes) index.remove(row);\n',
    replacement: '',
    tests: [MODEL],
  },
  {
    bug: 'indexes keep what was overwritten',
    file: 'src/store/object-table.ts',
    original: 'for (let i = 0; i < this.#indexes.length; i++) this.#indexes[i]?.move(row, values[i]);',
    replacement: '',
    tests: [MODEL],
  },
  {
    bug: 'the version of a deletion is not remembered',
    file: 'src/store/object-table.ts',
    original: "    if (resourceVersion !== '') this.#resourceVersion = resourceVersion;\n    const row",
    replacement: '    const row',
    tests: [STORE],
  },
  {
    bug: 'an object without a version takes that of the store away',
    file: 'src/store/object-table.ts',
    original:
      "    if (cached.resourceVersion !== '') this.#resourceVersion = cached.resourceVersion;\n    if (old !== cached) {",
    replacement: '    this.#resourceVersion = cached.resourceVersion;\n    if (old !== cached) {',
    tests: [STORE],
  },
  {
    bug: 'a row of a column beyond the first page is lost',
    file: 'src/store/value-index.ts',
    original: 'if (page === this.#pages.length) this.#pages.push([value]);',
    replacement: 'if (page === this.#pages.length) this.#pages[0]?.push(value);',
    tests: ['src/store/column.test.ts'],
  },
  {
    bug: 'a bytes-at-rest object is never told that it was dropped',
    file: 'src/store/object-table.ts',
    original: '    removed?.dropped?.();\n',
    replacement: '',
    tests: [TABLE],
  },
];
