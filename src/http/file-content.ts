import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import { monotonicMs } from '../observe/scheduler.ts';
import { Secret } from './secret.ts';

/** client-go's period for token files. A changed file is noticed sooner, by its size, inode and times. */
const REREAD_MS = 60_000;

export interface FileContentOptions {
  /** `token file`, `CA file`: what messages call it. */
  purpose: string;
  clock: Clock;
  logger: Logger;
}

/**
 * The content of a file that may be rotated under us. `read` costs one `stat` while nothing changes. When a file that
 * could be read once becomes unreadable, its last content stays in use, as with client-go, and a warning is logged.
 */
export class FileContent {
  readonly path: string;
  readonly #options: FileContentOptions;
  #content: Secret<Buffer> | undefined;
  #mark = '';
  #readAtMs = Number.NEGATIVE_INFINITY;
  #warned = false;

  constructor(path: string, options: FileContentOptions) {
    this.path = path;
    this.#options = options;
  }

  /** The same `Secret` object as before while the bytes are the same. */
  async read(): Promise<Secret<Buffer>> {
    try {
      const mark = await markOf(this.path);
      const ageMs = monotonicMs(this.#options.clock) - this.#readAtMs;
      if (this.#content && mark === this.#mark && ageMs < REREAD_MS) return this.#content;
      const bytes = await readFile(this.path);
      this.#readAtMs = monotonicMs(this.#options.clock);
      this.#mark = mark;
      this.#warned = false;
      if (!this.#content?.reveal().equals(bytes)) this.#content = new Secret(bytes);
      return this.#content;
    } catch (error) {
      if (this.#content === undefined) throw error;
      if (!this.#warned) {
        this.#warned = true;
        const { code } = error as NodeJS.ErrnoException;
        this.#options.logger.warn(
          `The ${this.#options.purpose} ${this.path} can no longer be read (${code}); its last content stays in use.`,
        );
      }
      return this.#content;
    }
  }

  /** Makes the next `read` look at the bytes, whatever the file's times say. */
  expire(): void {
    this.#mark = '';
  }
}

async function markOf(path: string): Promise<string> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(path);
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
