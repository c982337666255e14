import type { ServerResponse } from 'node:http';
import { SECURITY_HEADERS } from './answer.ts';

/** A page that has not read this much is not looking. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** How many ticks in a row may find unread bytes: ten seconds. */
const MAX_LATE_TICKS = 20;

/** The stream of one page: server-sent events. A page that does not read is cut off; nobody ever waits for it. */
export class PageFeed {
  readonly #response: ServerResponse;
  #lateTicks = 0;

  /** @param onClose it has ended, by either side. Called once. */
  constructor(response: ServerResponse, onClose: () => void) {
    this.#response = response;
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    response.once('close', onClose);
    // A socket that breaks emits `close` too.
    response.on('error', () => {});
  }

  /** False when the page was too slow and has been cut off. `text` is JSON, so it has no line breaks. */
  write(text: string): boolean {
    const unread = this.#response.writableLength;
    this.#lateTicks = unread > 0 ? this.#lateTicks + 1 : 0;
    if (unread > MAX_UNREAD_BYTES || this.#lateTicks > MAX_LATE_TICKS) {
      this.#response.destroy();
      return false;
    }
    this.#response.write(`data: ${text}\n\n`);
    return true;
  }

  end(): void {
    this.#response.end();
  }
}
