import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Cached, EncodedObject } from '../api/cached.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { messageOf } from '../observe/guarded.ts';
import { type Checksum, checksumOf, fastestChecksum, isBuiltIn } from './checksum.ts';
import { type ListPage, listPages } from './list-page.ts';

/*
 * The file: a line that says what it is; pages of lists, one after the other; the directory, as JSON; and the trailer, which says
 * where the directory is. Each page and the directory have a checksum, by the format, and nothing is used before its checksum was right.
 */
const FIRST_LINE = Buffer.from('tidewatch snapshot\n');
const LAST_WORD = Buffer.from('tidewatch');
const CHECKSUM_BYTES = 32;
/** The checksum of the directory, its length, the format, and the last word. */
const TRAILER_BYTES = CHECKSUM_BYTES + 8 + LAST_WORD.length;
/** More than a directory of ten million objects takes. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;
/** How many pages that last are read with one call (of the others one), and how many calls are under way at a time. */
const STRETCH_PAGES = 8;
const STRETCHES_AHEAD = 3;
const MAX_PAGE_BYTES = 256 * 1024 * 1024;

/** A page: where it lies, and how it is checked. */
interface PagePlace {
  readonly mediaType: EncodedObject['mediaType'];
  readonly at: number;
  readonly size: number;
  /** The size of its index, which is right behind it; undefined when it has none. */
  readonly indexSize?: number;
  /** Of both. */
  readonly checksum: string;
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

/** What is to be known of a file before its pages are read. */
interface FileHead {
  readonly directory: Directory;
  readonly checksum: Checksum;
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
  readonly #checksum: Checksum;
  readonly #byPart: ReadonlyMap<string, Section>;

  private constructor(handle: FileHandle, { directory, checksum }: FileHead) {
    this.#handle = handle;
    this.directory = directory;
    this.#checksum = checksum;
    this.#byPart = new Map(directory.sections.map((section) => [section.part, section]));
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
      return new SnapshotReader(handle, await readHead(handle));
    } catch (error) {
      await handle.close();
      throw error instanceof SnapshotProblem ? error : unreadable(error);
    }
  }

  section(part: string): Section | undefined {
    return this.#byPart.get(part);
  }

  /**
   * The pages of a section. Each is good until the next one is asked for, unless pages of its type last: then it is in memory of its own.
   * Rejects with `SnapshotProblem` in place of a damaged one.
   */
  async *pages(
    { pages }: Section,
    lasts: (mediaType: string) => boolean = () => false,
  ): AsyncGenerator<ListPage, void, void> {
    const shared = new SharedMemory();
    // All at once: while threads fill what they have, the system is slow to hand out more.
    const lasting = pages.map(({ mediaType, size }) => (lasts(mediaType) ? lastingMemory(size) : undefined));
    const memoryOf = ({ size, indexSize }: PagePlace, number: number): Buffer[] => {
      const body = lasting[number] ?? shared.take(size);
      return indexSize === undefined ? [body] : [body, Buffer.allocUnsafeSlow(indexSize)];
    };
    let reading: Promise<Buffer[][]>[] = [];
    let [asked, come] = [0, 0];
    try {
      while (come < pages.length) {
        while (reading.length < STRETCHES_AHEAD && asked < pages.length) {
          const { at } = pages[asked] as PagePlace;
          const end = endOfStretch(pages, asked, lasts);
          const whole = readWhole(
            this.#handle,
            pages.slice(asked, end).map((page, i) => memoryOf(page, asked + i)),
            at,
          );
          asked = end;
          // Its failure is for whoever comes to it, which may be after it has failed.
          whole.catch(() => {});
          reading.push(whole);
        }
        const [next, ...rest] = reading;
        const stretch = (await next) ?? [];
        reading = rest;
        for (const memory of stretch) {
          const page = pages[come++] as PagePlace;
          if (this.#checksum.of(memory) !== page.checksum) throw damaged();
          const [body, index] = memory as [Buffer, Buffer | undefined];
          yield { mediaType: page.mediaType, body, index };
        }
      }
    } finally {
      // When the file is closed, nothing is being read any more.
      await Promise.allSettled(reading);
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** What follows the name of the file. */
const UNFINISHED_NAME = /^\.\d+(\.[0-9a-f]{8})?\.tmp$/;
/** Whoever still writes writes often. */
const ABANDONED_MS = 10 * 60_000;

/** Writes a snapshot under a name of its own, so that whatever happens, the file is the old one or the new one, whole. */
export class SnapshotWriter {
  readonly #file: string;
  readonly #unfinished: string;
  readonly #handle: FileHandle;
  readonly #server: string;
  readonly #checksum: Checksum;
  readonly #sections: Section[] = [];
  #at = 0;

  private constructor(file: string, unfinished: string, handle: FileHandle, server: string, checksum: Checksum) {
    this.#file = file;
    this.#unfinished = unfinished;
    this.#handle = handle;
    this.#server = server;
    this.#checksum = checksum;
  }

  /**
   * @param link the file, or a link to it
   * @param name tells those who write to one file apart, so that they do not write into each other's: both may be process 1 of a
   * container, or be in one process
   */
  static async create(
    link: string,
    server: string,
    name = writerName(),
    checksum = fastestChecksum(),
  ): Promise<SnapshotWriter> {
    // A link stays, and what it leads to is replaced.
    const file = await realpath(link).catch(() => link);
    const unfinished = `${file}.${name}.tmp`;
    // What could not be removed may be in the way.
    await rm(unfinished, { force: true });
    const writer = new SnapshotWriter(file, unfinished, await open(unfinished, 'wx', 0o600), server, checksum);
    try {
      await writer.#write(FIRST_LINE);
      await removeAbandoned(file, (await writer.#handle.stat()).mtimeMs);
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
    trailer.write(this.#checksum.of([text]), 'latin1');
    trailer.writeUInt32LE(text.length, CHECKSUM_BYTES);
    trailer.writeUInt32LE(this.#checksum.format, CHECKSUM_BYTES + 4);
    LAST_WORD.copy(trailer, CHECKSUM_BYTES + 8);
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

  async #addPage({ mediaType, body, index }: ListPage): Promise<PagePlace> {
    const page = { mediaType, at: this.#at, size: body.length };
    await this.#write(body);
    if (index === undefined) return { ...page, checksum: this.#checksum.of([body]) };
    await this.#write(index);
    return { ...page, indexSize: index.length, checksum: this.#checksum.of([body, index]) };
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#handle.writeFile(bytes);
    this.#at += bytes.length;
  }
}

/** Another one for each caller. */
export function writerName(): string {
  return `${process.pid}.${randomBytes(4).toString('hex')}`;
}

/** Removes what processes that were killed while they wrote have left behind. `nowMs` is by the clock of the file system. */
async function removeAbandoned(file: string, nowMs: number): Promise<void> {
  const folder = dirname(file);
  // Who may write to a folder may still not be allowed to list it.
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(`${basename(file)}.`) || !UNFINISHED_NAME.test(name.slice(basename(file).length))) continue;
    const path = join(folder, name);
    try {
      if (nowMs - (await stat(path)).mtimeMs > ABANDONED_MS) await rm(path, { force: true });
    } catch {
      // It has just got its place, or is somebody else's.
    }
  }
}

async function readHead(handle: FileHandle): Promise<FileHead> {
  const { size } = await handle.stat();
  if (size < FIRST_LINE.length + TRAILER_BYTES) throw damaged();
  const trailer = Buffer.alloc(TRAILER_BYTES);
  await readWhole(handle, [[trailer]], size - TRAILER_BYTES);
  if (!trailer.subarray(CHECKSUM_BYTES + 8).equals(LAST_WORD)) throw damaged();
  const checksum = usableChecksum(trailer.readUInt32LE(CHECKSUM_BYTES + 4));
  const length = trailer.readUInt32LE(CHECKSUM_BYTES);
  if (length > MAX_DIRECTORY_BYTES || length > size - FIRST_LINE.length - TRAILER_BYTES) throw damaged();
  const text = Buffer.alloc(length);
  await readWhole(handle, [[text]], size - TRAILER_BYTES - length);
  if (checksum.of([text]) !== trailer.toString('latin1', 0, CHECKSUM_BYTES)) throw damaged();
  const directory = parse(text);
  for (const { pages } of directory.sections) {
    if (pages.some((page) => isBeyond(page, size))) throw damaged();
  }
  return { directory, checksum };
}

function usableChecksum(format: number): Checksum {
  const checksum = checksumOf(format);
  if (checksum === undefined) {
    throw new SnapshotProblem(`it was written by another version of tidewatch (format ${format})`);
  }
  if (!isBuiltIn(checksum)) throw new SnapshotProblem(`this runtime lacks ${checksum.cipher}, by which it is checked`);
  return checksum;
}

function isBeyond(page: PagePlace, fileSize: number): boolean {
  const whole = wholeSize(page);
  return whole > MAX_PAGE_BYTES || page.at + whole > fileSize;
}

/** With its index. */
function wholeSize({ size, indexSize = 0 }: PagePlace): number {
  return size + indexSize;
}

/** The number of the page behind those that are read together with the one that has the number `first`. */
function endOfStretch(pages: readonly PagePlace[], first: number, lasts: (mediaType: string) => boolean): number {
  let end = first + 1;
  while (
    end < pages.length &&
    end - first < STRETCH_PAGES &&
    follows(pages[end] as PagePlace, pages[end - 1] as PagePlace, lasts)
  )
    end++;
  return end;
}

function follows(page: PagePlace, before: PagePlace, lasts: (mediaType: string) => boolean): boolean {
  return lasts(before.mediaType) && lasts(page.mediaType) && page.at === before.at + wholeSize(before);
}

/** Fills one after the other. */
async function readWhole(handle: FileHandle, into: Buffer[][], at: number): Promise<Buffer[][]> {
  let [left, position] = [into.flat(), at];
  while (left.length > 0) {
    const { bytesRead } = await handle.readv(left, position);
    if (bytesRead === 0) throw damaged();
    position += bytesRead;
    left = unfilled(left, bytesRead);
  }
  return into;
}

function unfilled(buffers: readonly Buffer[], filled: number): Buffer[] {
  let rest = filled;
  const left: Buffer[] = [];
  for (const buffer of buffers) {
    if (rest < buffer.length) left.push(rest === 0 ? buffer : buffer.subarray(rest));
    rest = Math.max(0, rest - buffer.length);
  }
  return left;
}

/** What pages that do not last are read into, in turns. */
class SharedMemory {
  readonly #slots: Buffer[] = [];
  #next = 0;

  /** For the next page. */
  take(size: number): Buffer {
    // One is looked at while the others are read.
    const slot = this.#next++ % (STRETCHES_AHEAD + 1);
    let memory = this.#slots[slot];
    if (memory === undefined || memory.length < size) memory = Buffer.allocUnsafeSlow(size);
    this.#slots[slot] = memory;
    return memory.subarray(0, size);
  }
}

/**
 * Memory that V8 does not count. Of what it counts, it takes every 64 MB for a reason to look for garbage, of which there is none while a
 * state is read that stays: that would take a seventh of the whole time.
 */
function lastingMemory(size: number): Buffer {
  return Buffer.from(new SharedArrayBuffer(size)) as Buffer;
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
