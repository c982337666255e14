import type { Mutant } from './mutant.ts';

const STEPS = 'src/queue/replace-steps.test.ts';
const BACKLOG = 'src/queue/backlog.test.ts';
const QUEUE = 'src/queue/queue.test.ts';
const DELTA = 'src/queue/delta-fifo.test.ts';
const IN_ORDER = 'src/queue/in-order-queue.test.ts';
const MODEL = 'src/queue/queue-model.test.ts';

export const QUEUE_MUTANTS: readonly Mutant[] = [
  {
    bug: 'many objects of a first list are taken before it is known what they cost',
    file: 'src/queue/queue-consumer.ts',
    original: '        atOnce = 1;\n',
    replacement: '',
    tests: ['src/queue/queue-consumer.test.ts'],
  },
  {
    bug: 'an object of a first list that could not be processed is processed forever',
    file: 'src/queue/poppable-queue.ts',
    original: 'let popped = 1;',
    replacement: 'let popped = 0;',
    tests: ['src/queue/queue-consumer.test.ts'],
  },
  {
    bug: 'a long list of objects in order is queued in one go',
    file: 'src/queue/in-order-queue.ts',
    original: "{ type: 'Replaced', object }));\n      if (i % STEP === 0) yield;",
    replacement: "{ type: 'Replaced', object }));",
    tests: [STEPS],
  },
  {
    bug: 'a part of the first list in order comes out before it is whole',
    file: 'src/queue/in-order-queue.ts',
    original: 'const replacement = new LinkedFifo<QueueItem<T>>();',
    replacement: 'const replacement = this.#items;',
    tests: [QUEUE, STEPS],
  },
  {
    bug: 'tombstones in order come after the list',
    file: 'src/queue/in-order-queue.ts',
    original: '    this.#items.append(replacement);\n',
    replacement:
      '    const late = new LinkedFifo<QueueItem<T>>();\n    for (let item = replacement.shift(); item !== undefined; item = replacement.shift()) (item.newest.type === "Deleted" ? late : this.#items).push(item);\n    this.#items.append(late);\n',
    tests: [IN_ORDER],
  },
  {
    bug: 'what is queued in order is not buried',
    file: 'src/queue/in-order-queue.ts',
    original: 'if (!isGone && !listed.has(key)) bury(key, object);',
    replacement: '',
    tests: [IN_ORDER, MODEL],
  },
  {
    bug: 'a resync shows a state after a newer one',
    file: 'src/queue/poppable-queue.ts',
    original: '      if (pending.has(key)) continue;\n',
    replacement: '',
    tests: [IN_ORDER, MODEL],
  },
  {
    bug: 'a list that is appended loses what was queued before it',
    file: 'src/queue/in-order-queue.ts',
    original: 'else this.#tail.next = other.#head;',
    replacement: 'else this.#head = other.#head;',
    tests: [MODEL, STEPS],
  },
  {
    bug: 'what failed is put back after newer deltas',
    file: 'src/queue/delta-fifo.ts',
    original: 'into.deltas = deltas.concat(into.deltas);',
    replacement: 'into.deltas = into.deltas.concat(deltas);',
    tests: [DELTA, MODEL],
  },
  {
    bug: 'what failed no longer belongs to the first list',
    file: 'src/queue/delta-fifo.ts',
    original: '      if (item.initial) into.initial = true;\n',
    replacement: '',
    tests: [MODEL],
  },
  {
    bug: 'what vanished is buried though it was deleted',
    file: 'src/queue/delta-fifo.ts',
    original: "return last.type === 'Deleted' || isTombstone(last.object) ? undefined : last.object;",
    replacement: 'return isTombstone(last.object) ? last.object.obj : last.object;',
    tests: [DELTA, MODEL],
  },
  {
    bug: 'a key that goes during a pause is warned of',
    file: 'src/queue/delta-fifo.ts',
    original:
      '    const listed = yield* setOf(keys);\n    let count = 0;\n    for (const key of this.#candidates()) {\n',
    replacement:
      '    let count = 0;\n    let listed: ReadonlySet<string> | undefined;\n    for (const key of this.#candidates()) {\n      listed ??= yield* setOf(keys);\n',
    tests: [STEPS],
  },
  {
    bug: 'a first list is queued in one go when something is known',
    file: 'src/queue/delta-fifo.ts',
    original: '      yield* this.#replaceIn(queued, keys, listed);\n      this.#queued = queued;',
    replacement:
      '    const steps = this.#replaceIn(queued, keys, listed);\n    while (!steps.next().done);\n    this.#queued = queued;',
    tests: [STEPS],
  },
  {
    bug: 'a part of a first list comes out before it is whole',
    file: 'src/queue/delta-fifo.ts',
    original: 'const queued = new Backlog<Waiting<T>>();\n      yield*',
    replacement: 'const queued = this.#queued;\n    yield*',
    tests: [STEPS],
  },
  {
    bug: 'what is left of a first list is entered in one go',
    file: 'src/queue/delta-fifo.ts',
    original: '      yield* this.#queued.enterList();\n',
    replacement: '',
    tests: [STEPS],
  },
  {
    bug: 'what was taken during a pause comes out once more',
    file: 'src/queue/delta-fifo.ts',
    original: '      for (; taken < list.next; taken++) entered.delete(list.keys[taken] as string);\n',
    replacement: '',
    tests: [STEPS, BACKLOG],
  },
  {
    bug: 'what was overtaken during a pause comes out once more',
    file: 'src/queue/delta-fifo.ts',
    original: '      i = Math.max(i, list.next - 1);\n',
    replacement: '',
    tests: [STEPS, BACKLOG],
  },
  {
    bug: 'addIfNotPresent takes the place of newer deltas',
    file: 'src/queue/delta-fifo.ts',
    original: '    if (this.#queued.has(key)) return;\n    const [first',
    replacement: '    const [first',
    tests: ['src/queue/delta-fifo.test.ts'],
  },
];
