import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { Cached, EncodedObject } from '../api/cached.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { messageOf } from '../observe/guarded.ts';
import { type ListPage, listPages } from './list-page.ts';

/*
 * The file: a line that says what it is; pages of lists, one after the other; the directory, as JSON; and the trailer, which says
 * where the directory is. Each page and the directory have a checksum, and nothing is used before its checksum was right.
 */
const FORMAT = 1;
const FIRST_LINE = Buffer.from('tidewatch snapshot\n');
const LAST_WORD = Buffer.from('tidewatch');
/** The length of the directory, its checksum, the format, and the last word. */
const TRAILER_BYTES = 12 + LAST_WORD.length;
/** More than a directory of ten million objects takes. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;
const MAX_PAGE_BYTES = 256 * 1024 * 1024;

/** A page: where it lies, and how it is checked. */
interface PagePlace {
  readonly mediaType: EncodedObject['mediaType'];
  readonly at: number;
  readonly size: number;
  readonly crc: number;
}

/** What one list and watch held. */
export interface Section {
  /** What it was saved of, as text. */
  readonly part: string;
  readonly resourceVersion: string;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
  readonly objects: number;
  readonly pages: readonly PagePlace[];
}

interface Directory {
  /** Which server it is of. */
  readonly server: string;
  readonly sections: readonly Section[];
}

/** Why a snapshot cannot be used: the sentence that follows "is not used". */
export class SnapshotProblem extends TidewatchError {
  constructor(why: string, options?: ErrorOptions) {
    super('damaged', why, options);
  }
}

/** A snapshot that is being read. Whoever has opened it closes it. */
export class SnapshotReader {
  readonly directory: Directory;
  readonly #handle: FileHandle;

  private constructor(handle: FileHandle, directory: Directory) {
    this.#handle = handle;
    this.directory = directory;
  }

  /** Undefined when there is no file. Rejects with `SnapshotProblem` when it cannot be used. */
  static async open(file: string): Promise<SnapshotReader | undefined> {
    let handle: FileHandle;
    try {
      handle = await open(file, 'r');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw unreadable(cause);
    }
    try {
      return new SnapshotReader(handle, await readDirectory(handle));
    } catch (error) {
      await handle.close();
      throw error instanceof SnapshotProblem ? error : unreadable(error);
    }
  }

  section(part: string): Section | undefined {
    return this.directory.sections.find((section) => section.part === part);
  }

  /** The pages of a section. Each is good until the next one is asked for. Rejects with `SnapshotProblem` in place of a damaged one. */
  async *pages({ pages }: Section): AsyncGenerator<ListPage, void, void> {
    let memory = Buffer.alloc(0);
    for (const { mediaType, at, size, crc } of pages) {
      if (memory.length < size) memory = Buffer.allocUnsafeSlow(size);
      const body = memory.subarray(0, size);
      await readWhole(this.#handle, body, at);
      if (crc32(body) !== crc) throw damaged();
      yield { mediaType, body };
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Writes a snapshot under a name of its own, so that whatever happens, the file is the old one or the new one, whole. */
export class SnapshotWriter {
  readonly #file: string;
  readonly #unfinished: string;
  readonly #handle: FileHandle;
  readonly #server: string;
  readonly #sections: Section[] = [];
  #at = 0;

  private constructor(file: string, unfinished: string, handle: FileHandle, server: string) {
    this.#file = file;
    this.#unfinished = unfinished;
    this.#handle = handle;
    this.#server = server;
  }

  static async create(file: string, server: string): Promise<SnapshotWriter> {
    const unfinished = unfinishedName(file);
    // What a process of this number left behind when it was killed may have other rights.
    await rm(unfinished, { force: true });
    const writer = new SnapshotWriter(file, unfinished, await open(unfinished, 'wx', 0o600), server);
    try {
      await writer.#write(FIRST_LINE);
      return writer;
    } catch (error) {
      await writer.abandon();
      throw error;
    }
  }

  /** `pause` is awaited after each page. */
  async add(section: Omit<Section, 'objects' | 'pages'>, objects: readonly Cached[], pause: () => Promise<void>) {
    const pages: PagePlace[] = [];
    for (const page of listPages(objects)) {
      pages.push(await this.#addPage(page));
      await pause();
    }
    this.#sections.push({ ...section, objects: objects.length, pages });
  }

  /** A section of another snapshot, as it is there. */
  async carryOver(reader: SnapshotReader, section: Section): Promise<void> {
    const pages: PagePlace[] = [];
    for await (const page of reader.pages(section)) pages.push(await this.#addPage(page));
    this.#sections.push({ ...section, pages });
  }

  /** Puts it in the place of the old one. */
  async finish(): Promise<void> {
    const directory: Directory = { server: this.#server, sections: this.#sections };
    const text = Buffer.from(JSON.stringify(directory));
    const trailer = Buffer.alloc(TRAILER_BYTES);
    trailer.writeUInt32LE(text.length, 0);
    trailer.writeUInt32LE(crc32(text), 4);
    trailer.writeUInt32LE(FORMAT, 8);
    LAST_WORD.copy(trailer, 12);
    await this.#write(Buffer.concat([text, trailer]));
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.#unfinished, this.#file);
  }

  /** Leaves the old one as it is. */
  async abandon(): Promise<void> {
    await this.#handle.close().catch(() => {});
    await rm(this.#unfinished, { force: true }).catch(() => {});
  }

  async #addPage({ mediaType, body }: ListPage): Promise<PagePlace> {
    const place = { mediaType, at: this.#at, size: body.length, crc: crc32(body) };
    await this.#write(body);
    return place;
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#handle.writeFile(bytes);
    this.#at += bytes.length;
  }
}

/** Two programs that write to one file do not write into each other's; a container has the same number each time it starts. */
function unfinishedName(file: string): string {
  return `${file}.${process.pid}.tmp`;
}

async function readDirectory(handle: FileHandle): Promise<Directory> {
  const { size } = await handle.stat();
  if (size < FIRST_LINE.length + TRAILER_BYTES) throw damaged();
  const trailer = Buffer.alloc(TRAILER_BYTES);
  await readWhole(handle, trailer, size - TRAILER_BYTES);
  if (!trailer.subarray(12).equals(LAST_WORD)) throw damaged();
  const format = trailer.readUInt32LE(8);
  if (format !== FORMAT) throw new SnapshotProblem(`it was written by another version of tidewatch (format ${format})`);
  const length = trailer.readUInt32LE(0);
  if (length > MAX_DIRECTORY_BYTES || length > size - FIRST_LINE.length - TRAILER_BYTES) throw damaged();
  const text = Buffer.alloc(length);
  await readWhole(handle, text, size - TRAILER_BYTES - length);
  if (crc32(text) !== trailer.readUInt32LE(4)) throw damaged();
  const directory = parse(text);
  for (const { pages } of directory.sections) {
    if (pages.some((page) => page.size > MAX_PAGE_BYTES || page.at + page.size > size)) throw damaged();
  }
  return directory;
}

async function readWhole(handle: FileHandle, into: Buffer, at: number): Promise<void> {
  for (let done = 0; done < into.length; ) {
    const { bytesRead } = await handle.read(into, done, into.length - done, at + done);
    if (bytesRead === 0) throw damaged();
    done += bytesRead;
  }
}

function parse(text: Buffer): Directory {
  try {
    return JSON.parse(text.toString()) as Directory;
  } catch (cause) {
    throw damaged(cause);
  }
}

function unreadable(cause: unknown): SnapshotProblem {
  return new SnapshotProblem(`it cannot be read: ${messageOf(cause)}`, { cause });
}

function damaged(cause?: unknown): SnapshotProblem {
  return new SnapshotProblem('it is damaged', cause === undefined ? undefined : { cause });
}
