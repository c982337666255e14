import type { Mutant } from './mutant.ts';

const QUEUE = 'src/workqueue/work-queue.test.ts';
const DELAYS = 'src/workqueue/delaying-queue.test.ts';
const PRIORITIES = 'src/workqueue/priority-queue.test.ts';

export const WORKQUEUE_MUTANTS: readonly Mutant[] = [
  {
    bug: 'an item that is being worked on is handed out a second time',
    file: 'src/workqueue/work-queue.ts',
    original: 'if (!entry.isRunning) this.#offer(entry);',
    replacement: 'this.#offer(entry);',
    tests: [QUEUE],
  },
  {
    bug: 'an item that was added while it ran is lost at done',
    file: 'src/workqueue/work-queue.ts',
    original: 'if (entry.isDirty) this.#offer(entry);\n    else this.forgetIdle(entry);',
    replacement: 'this.forgetIdle(entry);',
    tests: [QUEUE],
  },
  {
    bug: 'a drain does not wait for what runs',
    file: 'src/workqueue/work-queue.ts',
    original: 'this.#waiting === 0 && this.#running === 0) this.#drained',
    replacement: 'this.#waiting === 0) this.#drained',
    tests: [QUEUE],
  },
  {
    bug: 'a served get leaves its listener on the signal',
    file: 'src/workqueue/waiters.ts',
    original: '      waiter.release?.();\n',
    replacement: '',
    tests: [QUEUE],
  },
  {
    bug: 'the later of two delays holds',
    file: 'src/workqueue/delay-heap.ts',
    original: 'if (this.#time(known) <= atMs) return false;',
    replacement: 'if (this.#time(known) >= atMs) return false;',
    tests: [DELAYS],
  },
  {
    bug: 'the heap of delays looks at two of its four children',
    file: 'src/workqueue/delay-heap.ts',
    original: 'Math.min(firstChild + ARITY, size)',
    replacement: 'Math.min(firstChild + 2, size)',
    tests: [DELAYS],
  },
  {
    bug: 'delayed items outlive shutDown',
    file: 'src/workqueue/delaying-queue.ts',
    original: '    this.#timer?.clear();\n    this.#timer = undefined;\n    for',
    replacement: '    for',
    tests: [DELAYS],
  },
  {
    bug: 'what is left of a long slice of delays is never added',
    file: 'src/workqueue/delaying-queue.ts',
    original: '      if (count % STEP === 0 && slice.isDue()) break;\n    }\n    this.#arm();',
    replacement: '      if (count % STEP === 0 && slice.isDue()) break;\n    }',
    tests: [DELAYS],
  },
  {
    bug: 'no item is taken for its age',
    file: 'src/workqueue/priority-queue.ts',
    original: 'this.#handedOut % FAIR_SHARE === 0',
    replacement: 'this.#handedOut < 0',
    tests: [PRIORITIES],
  },
  {
    bug: 'an item is not linked to the one before it in its level',
    file: 'src/workqueue/priority-levels.ts',
    original: 'entry.previous = level.last;\n    entry.next = undefined;',
    replacement: 'entry.previous = undefined;\n    entry.next = undefined;',
    tests: [PRIORITIES],
  },
  {
    bug: 'a retry loses its priority',
    file: 'src/workqueue/priority-queue.ts',
    original: 'priority ?? (entry.isRunning ? entry.runningPriority : 0)',
    replacement: 'priority ?? 0',
    tests: [PRIORITIES],
  },
  {
    bug: 'the exponential backoff forgets nothing',
    file: 'src/workqueue/rate-limiters.ts',
    original: '    this.#counts.delete(this.#keyOf(item));\n',
    replacement: '',
    tests: ['src/workqueue/rate-limiters.test.ts'],
  },
];
