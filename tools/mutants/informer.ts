import type { Mutant } from './mutant.ts';

const RESYNC = 'src/informer/resync.test.ts';
const DELTAS = 'src/informer/delta-handler.test.ts';
const INFORMER = 'src/informer/shared-index-informer.test.ts';
const DERIVED = 'src/informer/derived-informer.test.ts';
const CAUGHT_UP = 'src/informer/caught-up.test.ts';
const PARTS = 'src/informer/informer-part.test.ts';

export const INFORMER_MUTANTS: readonly Mutant[] = [
  {
    bug: 'a namespace that may not be read holds up the resync of the others',
    file: 'src/informer/shared-index-informer.ts',
    original: 'this.#parts.hasOneSynced() ? this.#table',
    replacement: 'this.#parts.hasSynced() ? this.#table',
    tests: [RESYNC],
  },
  {
    bug: 'the timer of the resync is not set again',
    file: 'src/informer/resync-schedule.ts',
    original: '      resync();\n      this.arm();\n',
    replacement: '      resync();\n',
    tests: [INFORMER],
  },
  {
    bug: 'a handler that comes late has no resync of its own',
    file: 'src/informer/shared-index-informer.ts',
    original: '    const listener = add(this.#table.values());\n    this.#resyncs.arm();',
    replacement: '    const listener = add(this.#table.values());',
    tests: [INFORMER],
  },
  {
    bug: 'the resync periods of a handler begin before the start',
    file: 'src/informer/shared-index-informer.ts',
    original: '    this.#processor.beginPeriods();\n',
    replacement: '',
    tests: [RESYNC],
  },
  {
    bug: 'handlers hear of a change before the store has it',
    file: 'src/informer/delta-handler.ts',
    original: 'const old = table.remove(object.key, final?.resourceVersion);',
    replacement: 'const old = table.get(object.key);',
    tests: [DELTAS],
  },
  {
    bug: 'a deletion does not say what was shown before',
    file: 'src/informer/delta-handler.ts',
    original: 'monotonicMs(clock), old), false);',
    replacement: 'monotonicMs(clock)), false);',
    tests: [DELTAS],
  },
  {
    bug: 'another uid is an update',
    file: 'src/informer/delta-handler.ts',
    original: 'else if (old.uid !== object.uid) {',
    replacement: 'else if (old.uid === undefined) {',
    tests: [DELTAS],
  },
  {
    bug: 'a list that shows the same version is a change',
    file: 'src/informer/delta-handler.ts',
    original: "const isSync = type === 'Sync' || (isSame && !this.#damaged?.has(old));",
    replacement: "const isSync = type === 'Sync';",
    tests: [DELTAS],
  },
  {
    bug: 'an older event takes the cache back',
    file: 'src/informer/delta-handler.ts',
    original: 'if (order === undefined || order >= 0) return false;',
    replacement: 'if (order === undefined || order !== 0) return false;',
    tests: [DELTAS],
  },
  {
    bug: 'a list is refused when it goes back',
    file: 'src/informer/delta-handler.ts',
    original: "const known = type === 'Replaced' ? undefined : table.get(object.key);\n    if (type !== 'Replaced' && ",
    replacement: 'const known = table.get(object.key);\n    if (',
    tests: [DELTAS],
  },
  {
    bug: 'the deletion of another uid passes for a known final state',
    file: 'src/informer/delta-handler.ts',
    original: 'const seen = final !== undefined && final.uid === old.uid;',
    replacement: 'const seen = final !== undefined;',
    tests: [DELTAS],
  },
  {
    bug: 'a selection by namespace selects everything',
    file: 'src/informer/derived-informer.ts',
    original: '(namespace === undefined || object.namespace === namespace) &&\n',
    replacement: '',
    tests: [DERIVED],
  },
  {
    bug: 'the filter of a handler on a selection is forgotten',
    file: 'src/informer/derived-informer.ts',
    original: 'filter: filter ? (object, view) => selects(object) && filter(view()) : (object) => selects(object),',
    replacement: 'filter: (object) => selects(object),',
    tests: [DERIVED],
  },
  {
    bug: 'the selection of a handler with a filter is forgotten',
    file: 'src/informer/derived-informer.ts',
    original: '(object, view) => selects(object) && filter(view())',
    replacement: '(_object, view) => filter(view())',
    tests: [DERIVED],
  },
  {
    bug: 'a stream of a selection does not end with its signal',
    file: 'src/informer/derived-informer.ts',
    original: '{ ...this.#narrowed(rest), onRemove: onEnd }),\n      signal,',
    replacement: '{ ...this.#narrowed(rest), onRemove: onEnd }),',
    tests: [DERIVED],
  },
  {
    bug: 'a selection by index goes past the selection',
    file: 'src/informer/selected-store.ts',
    original: 'viewsOf(this.#indexed(indexName, value))',
    replacement: 'viewsOf(this.#upstream.table.byIndex(indexName, value))',
    tests: [DERIVED],
  },
  {
    bug: 'the keys of an index go past the selection',
    file: 'src/informer/selected-store.ts',
    original: 'this.#indexed(indexName, value)\n      .map((object) => object.key)',
    replacement: 'this.#upstream.table.byIndex(indexName, value)\n      .map((object) => object.key)',
    tests: [DERIVED],
  },
  {
    bug: 'further labels widen a selection',
    file: 'src/informer/selected-store.ts',
    original: 'this.#upstream.table.select(selector, namespace).filter(this.#selection.selects)',
    replacement: 'this.#upstream.table.select(selector, namespace)',
    tests: [DERIVED],
  },
  {
    bug: 'a part buries what another part has listed',
    file: 'src/informer/informer-part.ts',
    original: 'if (namespace === undefined || key.startsWith(prefix)) yield key;',
    replacement: 'yield key;',
    tests: [PARTS],
  },
  {
    bug: 'a namespace counts as a part of one whose name begins the same',
    file: 'src/informer/informer-part.ts',
    original: 'const prefix = `${namespace}/`;',
    replacement: 'const prefix = namespace;',
    tests: [PARTS],
  },
  {
    bug: 'the version of a store promises what still waits in the queue',
    file: 'src/informer/caught-up.ts',
    original: 'if (this.#queue.length === 0) this.#storedVersion',
    replacement: 'if (this.#queue.length >= 0) this.#storedVersion',
    tests: ['src/informer/store-version.test.ts'],
  },
  {
    bug: 'waitFor does not wait for what is queued',
    file: 'src/informer/caught-up.ts',
    original: 'waiter.afterPops = this.#pops + this.#queue.length;',
    replacement: 'waiter.afterPops = this.#pops;',
    tests: [CAUGHT_UP],
  },
  {
    bug: 'a cancelled waitFor is kept',
    file: 'src/informer/caught-up.ts',
    original: 'cancel = () => this.#waiters.delete(waiter);',
    replacement: 'cancel = () => {};',
    tests: [CAUGHT_UP],
  },
  {
    bug: 'an object of another namespace than was asked for is stored',
    file: 'src/informer/informer-part.ts',
    original: 'if (!coverage.covers(object.namespace)) {',
    replacement: 'if (coverage.isSpare) {',
    tests: ['src/informer/foreign-namespaces.test.ts'],
  },
];
