import type { CachedFrame } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Clock } from '../observe/clock.ts';
import { Pulled, type Receiver, Stage } from '../observe/pulled.ts';
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

/** The frames of one watch, in batches: what one chunk of the body held, or as much of it as a slice of time allows. */
export class FrameBatches<T extends KubernetesObject> extends Stage<Uint8Array, readonly CachedFrame<T>[]> {
  readonly #decoder: FrameDecoder<T>;
  readonly #slice: TimeSlice;
  readonly #onBytes: OnBytes | undefined;
  /** What the decoder has: nothing any more, a chunk, or the last of all. */
  #state: 'empty' | 'chunk' | 'last' | 'ended' = 'empty';
  /** What the next call throws. */
  #failure: { readonly error: unknown } | undefined;

  constructor({ body, decoder, clock, onBytes }: FrameBatchesOptions<T>) {
    super(Pulled.from(body));
    this.#decoder = decoder;
    this.#slice = new TimeSlice(clock);
    this.#onBytes = onBytes;
  }

  override pull(reader: Receiver<readonly CachedFrame<T>[]>): void {
    this.reader = reader;
    if (this.#state === 'empty') this.source.pull(this);
    else void this.#goOn();
  }

  override return(): Promise<IteratorResult<readonly CachedFrame<T>[], undefined>> {
    this.#state = 'ended';
    return super.return();
  }

  take(chunk: Uint8Array): void {
    this.#arrived('chunk', chunk);
  }

  override end(): void {
    this.#arrived('last');
  }

  #arrived(state: 'chunk' | 'last', chunk?: Uint8Array): void {
    try {
      // Somebody may have left it meanwhile.
      if (this.#state === 'empty') {
        this.#state = state;
        if (chunk === undefined) this.#decoder.end();
        else {
          this.#onBytes?.(chunk.length);
          this.#decoder.append(chunk);
        }
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#cut();
  }

  /** After a batch that was not the last of its chunk. */
  async #goOn(): Promise<void> {
    if (this.#failure === undefined && this.#state !== 'ended') await this.#slice.pause();
    this.#cut();
  }

  #cut(): void {
    let batch: CachedFrame<T>[] | undefined;
    try {
      while (this.#failure === undefined && (this.#state === 'chunk' || this.#state === 'last')) {
        const frame = this.#decoder.next();
        if (frame === undefined) this.#state = this.#state === 'last' ? 'ended' : 'empty';
        // An empty list makes room for many as soon as it gets one.
        else if (batch === undefined) batch = [frame];
        else batch.push(frame);
        if (frame !== undefined && this.#slice.isDue()) break;
      }
    } catch (error) {
      // What came whole before the damage is not lost.
      this.#failure = { error };
    }
    if (batch !== undefined) this.reader?.take(batch);
    else if (this.#failure !== undefined) void this.#broke(this.#failure.error);
    else if (this.#state === 'ended') super.end();
    else this.source.pull(this);
  }

  async #broke(error: unknown): Promise<void> {
    this.#failure = undefined;
    await this.return().catch(() => {});
    this.fail(error);
  }
}
