import { StatusError } from '../request/status-error.ts';
import type { ShownObjects } from '../storage/outside-conversion.ts';
import type { Change } from '../storage/storage.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import type { Watcher } from '../storage/watch-hub.ts';
import { FrameCache } from './frame-cache.ts';
import type { WatchStream } from './watch-stream.ts';

/**
 * Stands between the hub and a watch whose objects somebody outside converts: a change, or a bookmark, is handed on when everything
 * before it has been converted and handed on. A conversion that fails ends the watch with an ERROR event; a webhook that is too
 * slow for what happens ends it as a slow reader would.
 */
export class ConvertedWatch implements Watcher {
  readonly #shown: ShownObjects;
  readonly #queueLimit: number;
  /** What waits for its turn: changes, and revisions of bookmarks. */
  readonly #queue: (Change | number)[] = [];
  #stream: WatchStream | undefined;
  #isHandingOn = false;
  #isEnded = false;

  constructor(shown: ShownObjects, queueLimit: number) {
    this.#shown = shown;
    this.#queueLimit = queueLimit;
  }

  /** From now on; what was offered before comes first. */
  begin(stream: WatchStream): void {
    this.#stream = stream;
    if (this.#isEnded) stream.end();
    else void this.#handOn(stream);
  }

  offer(change: Change): void {
    this.#add(change);
  }

  bookmark(revision: number): void {
    this.#add(revision);
  }

  end(): void {
    this.#isEnded = true;
    this.#queue.length = 0;
    this.#stream?.end();
  }

  break(): void {
    this.#stream?.break();
    this.end();
  }

  /** History or present state, as this version shows it. */
  async initial(items: readonly (StoredObject | Change)[]): Promise<(StoredObject | Change)[]> {
    const shown: (StoredObject | Change)[] = [];
    for (const item of items) shown.push('table' in item ? await this.#change(item) : await this.#shown.one(item));
    return shown;
  }

  #add(item: Change | number): void {
    if (this.#isEnded) return;
    this.#queue.push(item);
    if (this.#queue.length > this.#queueLimit) this.end();
    else if (this.#stream) void this.#handOn(this.#stream);
  }

  async #handOn(stream: WatchStream): Promise<void> {
    if (this.#isHandingOn) return;
    this.#isHandingOn = true;
    try {
      for (let item = this.#queue.shift(); item !== undefined; item = this.#queue.shift()) {
        if (typeof item === 'number') stream.bookmark(item);
        else stream.offer(await this.#change(item), new FrameCache());
      }
    } catch (error) {
      if (error instanceof StatusError) stream.fail(error.status);
      this.end();
    } finally {
      this.#isHandingOn = false;
    }
  }

  async #change(change: Change): Promise<Change> {
    const show = async (state: StoredObject | undefined) => state && (await this.#shown.one(state));
    const [previous, current, last] = [
      await show(change.previous),
      await show(change.current),
      await show(change.last),
    ];
    return { ...change, previous, current, ...(last ? { last } : {}) };
  }
}
