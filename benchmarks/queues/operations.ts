import { DelayingQueue } from '../../src/workqueue/delaying-queue.ts';
import { PriorityQueue } from '../../src/workqueue/priority-queue.ts';
import { WorkQueue } from '../../src/workqueue/work-queue.ts';
import type { Operation } from '../operation-race.ts';

const KEYS = 20_000;
const DELAYED = 1_000_000;

/** Flat strings, as they come from elsewhere, and not two halves that V8 has yet to join. */
function makeKeys(count: number): string[] {
  return JSON.parse(JSON.stringify(Array.from({ length: count }, (_, i) => `namespace-${i % 100}/pod-${i}`)));
}

/** A fixed sequence of delays in [0, 1,000) ms, the same as in go/main.go. */
function* delays(): Generator<number, never, void> {
  for (let state = 1; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield (state / 2_147_483_647) * 1_000;
  }
}

/** The same keys, counts and orders as in go/main.go. */
export function operations(): Operation[] {
  const keys = makeKeys(KEYS);
  const many = makeKeys(DELAYED);
  const plain = new WorkQueue();
  const byPriority = new PriorityQueue();
  const oneByOne = (queue: WorkQueue) => async (times: number) => {
    for (let i = 0; i < times; i++) {
      queue.add(keys[i % KEYS] ?? '');
      queue.done((await queue.get()) ?? '');
    }
  };
  const deep = (queue: WorkQueue) => async (times: number) => {
    for (let done = 0; done < times; done += KEYS) {
      for (const key of keys) queue.add(key);
      for (let i = 0; i < KEYS; i++) queue.done((await queue.get()) ?? '');
    }
  };
  return [
    { name: 'add, get, done, one by one', peer: 'queue one by one', target: 1, times: 100_000, run: oneByOne(plain) },
    { name: 'add, get, done, 20,000 deep', peer: 'queue deep', target: 1.5, times: 100_000, run: deep(plain) },
    {
      name: 'PriorityQueue: add, get, done, one by one',
      peer: 'priority queue one by one',
      target: 0.3,
      times: 20_000,
      run: oneByOne(byPriority),
    },
    {
      name: 'PriorityQueue: add, get, done, 20,000 deep',
      peer: 'priority queue deep',
      target: 0.3,
      times: 40_000,
      run: deep(byPriority),
    },
    {
      name: '1,000,000 items delayed at random within 1 s, added and drained',
      peer: 'delays',
      target: 0.8,
      times: DELAYED,
      every: 10,
      async run(times) {
        const queue = new DelayingQueue();
        const random = delays();
        for (let i = 0; i < times; i++) queue.addAfter(many[i] ?? '', random.next().value);
        for (let i = 0; i < times; i++) queue.done((await queue.get()) ?? '');
        queue.shutDown();
      },
    },
  ];
}
