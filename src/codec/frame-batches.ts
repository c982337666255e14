import type { CachedFrame } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Clock } from '../observe/clock.ts';
import { TimeSlice } from '../observe/scheduler.ts';
import type { OnBytes } from './codec.ts';

/** From the bytes of one watch to its frames. Whatever it throws ends the watch. */
export interface FrameDecoder<T extends KubernetesObject> {
  /** To be called when `next` has found no more; until then the chunk must stay as it is. */
  append(chunk: Uint8Array): void;
  /** The next frame in what has arrived. */
  next(): CachedFrame<T> | undefined;
  /** No more bytes will come. What is left may be a last frame; on half of one, this or `next` throws. */
  end(): void;
}

export interface FrameBatchesOptions<T extends KubernetesObject> {
  body: AsyncIterable<Uint8Array>;
  decoder: FrameDecoder<T>;
  /** Whose turns long chunks are read in. Default: the machine's. */
  clock: Clock | undefined;
  onBytes: OnBytes | undefined;
}

type Result<T extends KubernetesObject> = IteratorResult<readonly CachedFrame<T>[], undefined>;

/**
 * The frames of one watch, in batches: what one chunk of the body held, or as much of it as a slice of time allows. Not a generator:
 * thousands of watches may wait here for their next bookmark, and a wait is to take one promise.
 */
export class FrameBatches<T extends KubernetesObject> implements AsyncIterableIterator<readonly CachedFrame<T>[]> {
  readonly #body: AsyncIterator<Uint8Array>;
  readonly #decoder: FrameDecoder<T>;
  readonly #slice: TimeSlice;
  readonly #onBytes: OnBytes | undefined;
  /** What the decoder has: nothing any more, a chunk, or the last of all. */
  #state: 'empty' | 'chunk' | 'last' | 'ended' = 'empty';
  /** What the next call throws. */
  #failure: { readonly error: unknown } | undefined;

  constructor({ body, decoder, clock, onBytes }: FrameBatchesOptions<T>) {
    this.#body = body[Symbol.asyncIterator]();
    this.#decoder = decoder;
    this.#slice = new TimeSlice(clock);
    this.#onBytes = onBytes;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** To be called when the call before has settled. */
  next(): Promise<Result<T>> {
    return this.#state === 'empty' ? Promise.resolve(this.#body.next()).then(this.#take) : this.#goOn();
  }

  /** Leaves the body at once, also while that has yet to bring the next chunk. */
  async return(): Promise<Result<T>> {
    this.#state = 'ended';
    await this.#body.return?.();
    return { done: true, value: undefined };
  }

  readonly #take = ({ done, value: chunk }: IteratorResult<Uint8Array>): Result<T> | Promise<Result<T>> => {
    // Somebody may have left it meanwhile.
    if (this.#state === 'empty') this.#state = done ? 'last' : 'chunk';
    try {
      if (this.#state === 'last') this.#decoder.end();
      else if (this.#state === 'chunk') {
        this.#onBytes?.(chunk.length);
        this.#decoder.append(chunk);
      }
    } catch (error) {
      return this.#fail(error);
    }
    return this.#cut();
  };

  /** After a batch that was not the last of its chunk. */
  async #goOn(): Promise<Result<T>> {
    if (this.#failure !== undefined) return await this.#fail(this.#failure.error);
    if (this.#state !== 'ended') await this.#slice.pause();
    return await this.#cut();
  }

  #cut(): Result<T> | Promise<Result<T>> {
    if (this.#state === 'ended') return { done: true, value: undefined };
    let value: CachedFrame<T>[] | undefined;
    try {
      for (let frame = this.#decoder.next(); frame !== undefined; frame = this.#decoder.next()) {
        // An empty list makes room for many as soon as it gets one.
        if (value === undefined) value = [frame];
        else value.push(frame);
        if (this.#slice.isDue()) return { done: false, value };
      }
    } catch (error) {
      if (value === undefined) return this.#fail(error);
      // What came whole before the damage is not lost.
      this.#failure = { error };
      return { done: false, value };
    }
    this.#state = this.#state === 'last' ? 'ended' : 'empty';
    return value === undefined ? this.next() : { done: false, value };
  }

  async #fail(error: unknown): Promise<never> {
    this.#failure = undefined;
    await this.return().catch(() => {});
    throw error;
  }
}
