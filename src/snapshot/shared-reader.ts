import type { SnapshotReader } from './snapshot-file.ts';

/** One reader of a file for all who read it at the same time: the file is open once, however many they are. */
export class SharedReader {
  readonly #open: () => Promise<SnapshotReader | undefined>;
  #opened: Promise<SnapshotReader | undefined> | undefined;
  #users = 0;

  /** `open` gives undefined when there is nothing to read, and does not reject. */
  constructor(open: () => Promise<SnapshotReader | undefined>) {
    this.#open = open;
  }

  /** `work` gets what `open` gives. The file is closed when the last one has ended. */
  async use<R>(work: (reader: SnapshotReader | undefined) => Promise<R>): Promise<R> {
    this.#users++;
    this.#opened ??= this.#open();
    const opened = this.#opened;
    try {
      return await work(await opened);
    } finally {
      if (--this.#users === 0) {
        this.#opened = undefined;
        await (await opened)?.close();
      }
    }
  }
}
