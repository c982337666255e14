import { InterruptibleStream } from '../observe/interruptible-stream.ts';
import type { GetOptions } from './workqueue.ts';

interface Source<T> {
  get(options: GetOptions): Promise<T | undefined>;
  done(item: T): void;
}

/**
 * Hands out one item at a time; an item is done when the next one is asked for, or the loop is left. Leaving also ends a wait for
 * the next item at once.
 */
export class QueueIterator<T> extends InterruptibleStream<T> {
  constructor(source: Source<T>) {
    super((left) => items(source, left), undefined);
  }
}

async function* items<T>(source: Source<T>, left: AbortSignal): AsyncGenerator<T, void, undefined> {
  for (;;) {
    let item: T | undefined;
    try {
      item = await source.get({ signal: left });
    } catch (error) {
      if (!left.aborted) throw error;
    }
    if (item === undefined) return;
    try {
      yield item;
    } finally {
      source.done(item);
    }
  }
}
