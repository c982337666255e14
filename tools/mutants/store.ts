import type { Mutant } from './mutant.ts';

const STORE = 'src/store/store.test.ts';
const TABLE = 'src/store/object-table.test.ts';
const MODEL = 'src/store/object-table-model.test.ts';
const HANDLER = 'src/informer/delta-handler.test.ts';

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
    original: '    this.#advance(cached);\n    if (old !== cached) {',
    replacement: '    this.#resourceVersion = cached.resourceVersion;\n    if (old !== cached) {',
    tests: [STORE],
  },
  {
    bug: 'a list puts an object that is there already a second time',
    file: 'src/store/object-table.ts',
    original: '      if (rows.has(cached.key)) break;\n',
    replacement: '',
    tests: [HANDLER],
  },
  {
    bug: 'objects of a list are put before their index functions have been asked',
    file: 'src/store/object-table.ts',
    original: 'if (this.#indexes.length !== 1 || index?.read !== readNamespace) return from;',
    replacement: 'if (index === undefined) return from;',
    tests: [HANDLER],
  },
  {
    bug: 'a row that gets the number of another leaves its bucket with the old one',
    file: 'src/store/value-index.ts',
    original: 'if (bucket !== undefined) bucket.rows[position] = to;',
    replacement: '',
    tests: ['src/store/value-index.test.ts'],
  },
  {
    bug: 'the number of a bucket that has gone is never given again, and means another',
    file: 'src/store/value-index.ts',
    original: 'this.#vacant.push(id);',
    replacement: 'this.#vacant.push(id - 1);',
    tests: ['src/store/value-index.test.ts'],
  },
  {
    bug: 'rows are lost when most of them have gone',
    file: 'src/store/value-index.ts',
    original: 'this.#resize(2 * this.#length);',
    replacement: 'this.#resize(this.#length >> 1);',
    tests: ['src/store/value-index.test.ts'],
  },
  {
    bug: 'a bytes-at-rest object is never told that it was dropped',
    file: 'src/store/object-table.ts',
    original: '    removed?.dropped?.();\n',
    replacement: '',
    tests: [TABLE],
  },
];
