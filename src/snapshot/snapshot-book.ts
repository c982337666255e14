import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Clock, Timer } from '../observe/clock.ts';
import { messageOf } from '../observe/guarded.ts';
import type { Logger } from '../observe/logger.ts';
import { TimeSlice } from '../observe/scheduler.ts';
import type { ServerIdentity } from './server-identity.ts';
import { SharedReader } from './shared-reader.ts';
import type { PageReader, PartDescription, PartState, SnapshotOptions } from './snapshot.ts';
import type { Section, SnapshotReader, SnapshotWriter } from './snapshot-file.ts';

/** Loaded by those who use it, so that importing the package costs little. */
const fileFormat = () => import('./snapshot-file.ts');

const DEFAULT_EVERY_MS = 300_000;
const DEFAULT_MAX_AGE_MS = 24 * 3_600_000;

export interface SnapshotBookOptions extends SnapshotOptions {
  identity: ServerIdentity;
  clock: Clock;
  logger: Logger;
}

/** A state that was found in the file, of the server that is asked for it. */
export interface FoundState<T extends KubernetesObject> {
  readonly resourceVersion: string;
  /** Rejects when it is damaged. */
  read(): Promise<readonly Cached<T>[]>;
  /** It cannot be used, and why: tells the log. It is not found again. */
  discard(why: string): void;
}

/** The section of one list and watch. */
export interface SavedPart<T extends KubernetesObject> {
  /** Undefined when there is nothing to go on from; the log knows why. Rejects, as any request, when the server does not answer. */
  find(signal: AbortSignal): Promise<FoundState<T> | undefined>;
  /** It runs: `state` gives what it holds, or undefined while that is not exactly the state at one version. */
  running(state: () => PartState<T> | undefined): void;
  /** It ends, and this is what it held. */
  ended(state: PartState<T> | undefined): void;
}

/** The snapshot of a factory: what its parts begin with, and what is written of them. */
export class SnapshotBook {
  readonly #options: SnapshotBookOptions;
  readonly #running = new Map<string, () => PartState | undefined>();
  /** What those held that have ended since the file was written. */
  readonly #ended = new Map<string, PartState & { readonly savedAt: number }>();
  readonly #discarded = new Set<string>();
  /** Many parts read at the same time. */
  readonly #reader: SharedReader;
  /** So that what concerns the whole file, and every part finds, is told once. */
  readonly #told = new Set<string>();
  #timer: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();
  #lastFailure: string | undefined;
  #writerName: string | undefined;

  constructor(options: SnapshotBookOptions) {
    this.#options = options;
    this.#reader = new SharedReader(() => this.#open());
  }

  /** `isSecret`: it is saved only if that was asked for. Undefined when it is not saved. */
  part<T extends KubernetesObject>(
    description: PartDescription,
    pageReader: PageReader<T>,
    isSecret: boolean,
  ): SavedPart<T> | undefined {
    if (isSecret && !this.#options.secrets) return undefined;
    const part = JSON.stringify(description);
    return {
      find: (signal) => this.#find(part, pageReader, signal),
      running: (state) => this.#running.set(part, state as () => PartState | undefined),
      ended: (state) => {
        this.#running.delete(part);
        if (state) this.#ended.set(part, { ...(state as unknown as PartState), savedAt: this.#options.clock.now() });
      },
    };
  }

  /** Writes now and then from now on. */
  start(): void {
    const { clock, identity, everyMs = DEFAULT_EVERY_MS } = this.#options;
    // It must be known when the file is written, and by then the connection may be closed.
    identity.get().catch(() => {});
    if (this.#timer !== undefined || everyMs <= 0) return;
    this.#timer = clock.setTimeout(
      () => {
        this.#timer = undefined;
        void this.write().then(() => this.#running.size > 0 && this.start());
      },
      everyMs,
      { keepAlive: false },
    );
  }

  /** Writes what the parts hold, or held when they ended. Resolves when that is over; never rejects. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  /** Writes once more, and no longer now and then. */
  async stop(): Promise<void> {
    this.#timer?.clear();
    this.#timer = undefined;
    await this.write();
  }

  async #find<T extends KubernetesObject>(
    part: string,
    pageReader: PageReader<T>,
    signal: AbortSignal,
  ): Promise<FoundState<T> | undefined> {
    if (this.#discarded.has(part)) return undefined;
    const section = await this.#reader.use((reader) => this.#usable(reader, part, signal));
    if (section === undefined) return undefined;
    const { resourceVersion } = section;
    return {
      resourceVersion,
      read: () => this.#read(part, resourceVersion, pageReader),
      discard: (why) => {
        this.#discarded.add(part);
        this.#tell(`is not used for ${nameOf(part)}: ${why}`);
      },
    };
  }

  /** Undefined when there is no file, or none that can be read; the log knows why. */
  async #open(): Promise<SnapshotReader | undefined> {
    try {
      return await (await fileFormat()).SnapshotReader.open(this.#options.file);
    } catch (error) {
      this.#tell(`is not used: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #usable(reader: SnapshotReader | undefined, part: string, signal: AbortSignal): Promise<Section | undefined> {
    const { identity, clock, maxAgeMs = DEFAULT_MAX_AGE_MS } = this.#options;
    const section = reader?.section(part);
    if (reader === undefined || section === undefined) return undefined;
    const ageMs = Math.abs(clock.now() - section.savedAt);
    if (ageMs > maxAgeMs) {
      this.#tell(`is not used for ${nameOf(part)}: it is ${hours(ageMs)} old`);
      return undefined;
    }
    if ((await identity.get(signal)) !== reader.directory.server) {
      this.#tell('is not used: it is of another server');
      return undefined;
    }
    return section;
  }

  async #read<T extends KubernetesObject>(
    part: string,
    resourceVersion: string,
    pageReader: PageReader<T>,
  ): Promise<readonly Cached<T>[]> {
    const { SnapshotProblem } = await fileFormat();
    const { readObjects } = await import('./section-objects.ts');
    return await this.#reader.use(async (reader) => {
      if (reader === undefined) throw new SnapshotProblem('it can no longer be read');
      const section = reader.section(part);
      if (section?.resourceVersion !== resourceVersion) throw new SnapshotProblem('it has been replaced');
      return await readObjects(reader, section, pageReader, this.#options.clock);
    });
  }

  async #write(): Promise<void> {
    const { file, identity, clock, logger } = this.#options;
    const states = new Map(this.#ended);
    for (const [part, stateOf] of this.#running) {
      const state = stateOf();
      if (state) states.set(part, { ...state, savedAt: clock.now() });
    }
    if (states.size === 0) return;
    let writer: SnapshotWriter | undefined;
    try {
      const server = await identity.get();
      if (server === undefined) return;
      const { SnapshotWriter, writerName } = await fileFormat();
      this.#writerName ??= writerName();
      writer = await SnapshotWriter.create(file, server, this.#writerName);
      const slice = new TimeSlice(clock);
      const pause = () => slice.pause();
      for (const [part, { resourceVersion, objects, savedAt }] of states) {
        await writer.add({ part, resourceVersion, savedAt }, objects, pause);
      }
      await this.#carryOver(writer, server, states);
      await writer.finish();
      for (const [part, state] of states) if (this.#ended.get(part) === state) this.#ended.delete(part);
      this.#lastFailure = undefined;
      logger.debug(`the snapshot ${file} was written: ${states.size} sections.`);
    } catch (error) {
      await writer?.abandon();
      const why = messageOf(error);
      if (why !== this.#lastFailure) {
        logger.warn(`the snapshot ${file} could not be written: ${why}. What the file held before stays.`, error);
      }
      this.#lastFailure = why;
    }
  }

  /** What has not been listed yet, or not been asked for this time, stays as it was. */
  async #carryOver(writer: SnapshotWriter, server: string, states: ReadonlyMap<string, unknown>): Promise<void> {
    const { file, clock, maxAgeMs = DEFAULT_MAX_AGE_MS } = this.#options;
    const { SnapshotProblem, SnapshotReader } = await fileFormat();
    const reader = await SnapshotReader.open(file).catch(() => undefined);
    if (reader === undefined) return;
    try {
      if (reader.directory.server !== server) return;
      for (const section of reader.directory.sections) {
        const isTooOld = Math.abs(clock.now() - section.savedAt) > maxAgeMs;
        if (isTooOld || states.has(section.part) || this.#discarded.has(section.part)) continue;
        await writer.carryOver(reader, section).catch((error) => {
          if (!(error instanceof SnapshotProblem)) throw error;
        });
      }
    } finally {
      await reader.close();
    }
  }

  #tell(what: string): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.#options.logger.info(`the snapshot ${this.#options.file} ${what}. A list takes its place.`);
  }
}

/** `pods.v1 of default` */
function nameOf(part: string): string {
  const { resource, namespace } = JSON.parse(part) as { resource: string; namespace?: string };
  return namespace === undefined ? resource : `${resource} of ${namespace}`;
}

function hours(ms: number): string {
  return `${(ms / 3_600_000).toFixed(1)} h`;
}
