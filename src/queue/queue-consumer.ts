import type { Clock } from '../observe/clock.ts';
import { guarded } from '../observe/guarded.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { TimeSlice } from '../observe/scheduler.ts';
import { PoppableQueue, type TakeListed } from './poppable-queue.ts';
import type { ProcessDeltas, Queue } from './queue.ts';

/** What takes the objects of a first list out of a queue that holds nothing else of them. */
export interface ListedConsumer<T> {
  /** As that of the queue, in place of `Replaced` deltas. When it throws, it has taken one. */
  process: TakeListed<T>;
  /** `count` of them have been taken, whether `process` failed or not. */
  onPopped: (count: number) => void;
}

/** The most objects of a first list that are taken before a look at the clock. */
const LISTED_AT_ONCE = 64;

/** What takes the changes out of a queue needs. */
export interface QueueConsumerOptions<T> {
  /** Whose messages they are. */
  name: string;
  /** What the changes are taken from. */
  queue: Queue<T>;
  /** Is given each object's changes, one object at a time. What it throws is reported to `onProcessError`. */
  process: ProcessDeltas<T>;
  /** What it throws or rejects with is logged, the first time, and changes nothing. */
  onProcessError?: ((error: unknown) => void) | undefined;
  /** After each object that was taken from the queue, whether `process` failed or not. Its failures: as `onProcessError`. */
  onPopped?: (() => void) | undefined;
  /** The loop has held the event loop for more than 10 ms. Must not throw. */
  onLongSlice?: (() => void) | undefined;
  /** Default: the system clock. */
  clock?: Clock | undefined;
  /** Hears of what fails. Default: the console. */
  logger?: Logger | undefined;
}

/** The loop that empties a queue into `process`, in slices. client-go's `processLoop`. */
export class QueueConsumer<T> {
  readonly #options: QueueConsumerOptions<T>;
  readonly #listed: ListedConsumer<T> | undefined;
  #isHookFailureTold = false;

  /** @param listed in place of `process` and `onPopped`, for the objects of a first list */
  constructor(options: QueueConsumerOptions<T>, listed?: ListedConsumer<T>) {
    this.#options = options;
    this.#listed = listed;
  }

  /** Ends when the queue is closed, and by nothing else: a loop that stopped would freeze the store without a sign. Never rejects. */
  async run(): Promise<void> {
    const { queue, process, onPopped, onLongSlice, clock } = this.#options;
    const listed = this.#listed;
    const slice = new TimeSlice(clock, onLongSlice);
    // Twice as many each time: what they cost shows before many of them are taken.
    let atOnce = 1;
    for (;;) {
      if (queue.length === 0) await queue.whenReady();
      if (queue.isClosed) return;
      if (listed !== undefined && this.#popListed(listed, atOnce)) atOnce = Math.min(2 * atOnce, LISTED_AT_ONCE);
      else {
        try {
          const popped = queue.popNow(process);
          if (popped instanceof Promise) await popped;
        } catch (error) {
          if (queue.isClosed) return;
          this.#report(error);
        }
        if (onPopped !== undefined) guarded(onPopped, this.#onHookFailure);
      }
      if (slice.isDue()) {
        await slice.pause();
        atOnce = 1;
      }
    }
  }

  /** False when something else than objects of a first list is next. */
  #popListed({ process, onPopped }: ListedConsumer<T>, most: number): boolean {
    const { queue } = this.#options;
    if (!(queue instanceof PoppableQueue)) return false;
    const before = queue.length;
    try {
      queue.popListed(process, most);
    } catch (error) {
      if (!queue.isClosed) this.#report(error);
    }
    const popped = before - queue.length;
    if (popped > 0) guarded(() => onPopped(popped), this.#onHookFailure);
    return popped > 0;
  }

  #report(error: unknown): void {
    guarded(() => this.#options.onProcessError?.(error), this.#onHookFailure);
  }

  readonly #onHookFailure = (thrown: unknown): void => {
    if (this.#isHookFailureTold) return;
    this.#isHookFailureTold = true;
    const { name, logger } = this.#options;
    safeLogger(logger).error(`${name}: onPopped or onProcessError failed; further failures are not reported.`, thrown);
  };
}
