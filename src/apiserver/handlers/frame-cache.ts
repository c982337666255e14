import type { StoredObject } from '../storage/stored-object.ts';
import type { EventType, Representation } from './representation.ts';

/**
 * Frames of one change, made once and shared by all watchers with the same representation. Asked for each watcher of each change, so
 * it builds no text to look them up by.
 */
export class FrameCache {
  readonly #frames = new Map<Representation, Partial<Record<EventType, Uint8Array>>>();

  /** `stored` is asked for only when the frame has to be made. */
  frame(type: EventType, representation: Representation, stored: () => StoredObject): Uint8Array {
    let frames = this.#frames.get(representation);
    if (!frames) {
      frames = {};
      this.#frames.set(representation, frames);
    }
    frames[type] ??= representation.event(type, stored());
    return frames[type];
  }
}
