import type { Cached, CachedChange } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { compareResourceVersions } from '../api/resource-version.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { onAbort } from '../observe/interruption.ts';
import { Pulled } from '../observe/pulled.ts';
import { TimeSlice } from '../observe/scheduler.ts';
import { Filler } from './filler.ts';
import { type Unusable, unusableError } from './left-out-book.ts';
import { ListAndWatch } from './list-and-watch.ts';
import type { Batches } from './recovery.ts';
import { Refetcher } from './refetcher.ts';
import { ReflectorError } from './reflector-error.ts';
import { type CachedReflectorOptions, resolveOptions, type WatchErrorHandler } from './reflector-options.ts';
import type { ReflectorState, StateFacts } from './reflector-state.ts';
import { ResyncTimer } from './resync-timer.ts';
import { Session } from './session.ts';

type ObjectChange<T extends KubernetesObject> = Extract<CachedChange<T>, { readonly object: Cached<T> }>;

const VERB = { ADDED: 'addition', MODIFIED: 'update', DELETED: 'deletion', REPAIRED: 'repair' } as const;

/** The reflector of objects in the form in which they are kept. See `Reflector` for what it and its methods promise. */
export class CachedReflector<T extends KubernetesObject> {
  readonly name: string;
  readonly #session: Session<T>;
  /** Unset until something is damaged. */
  #refetcher: Refetcher<T> | undefined;
  #rounds: ListAndWatch<T> | undefined;
  #running: Promise<void> | undefined;
  /** Whether the signal has aborted: it is asked for each change, and a signal takes its time to answer. */
  #isStopped = false;

  constructor(options: CachedReflectorOptions<T>) {
    this.name = options.name;
    this.#session = new Session(resolveOptions(options));
  }

  get state(): ReflectorState {
    return this.#session.state.state;
  }

  /** Those of `state`, as they are at any time. */
  get stateFacts(): StateFacts {
    return this.#session.state;
  }

  lastSyncResourceVersion(): string {
    return this.#session.position.resourceVersion;
  }

  /** The id of the list or the batch of frames that is being written; 0: nobody looks. */
  get current(): number {
    return this.#session.trace.current;
  }

  setWatchErrorHandler(handler: WatchErrorHandler): void {
    this.#session.watchErrorHandler = handler;
  }

  /**
   * To be told of an object whose bytes turn out to be damaged when somebody reads them. It is reported, and fetched again
   * if the target still has that version and can `repair` it: once for each version. Returns at once, and never throws.
   */
  refetch(object: Cached<T>, problem: Error): void {
    this.#refetcher ??= new Refetcher(this.#session);
    this.#refetcher.refetch(object, problem);
  }

  /** The store could not take these. At first they get a second chance with a whole state; `isFinal`: they have had it. */
  unstored(unusable: Unusable, isFinal: boolean): void {
    if (isFinal) this.#session.reportUnusable(unusable, 'watching');
    else this.#rounds?.relist(unusable);
  }

  run({ signal }: { signal: AbortSignal }): Promise<void> {
    if (this.#running !== undefined) {
      this.#session.settings.logger.warn(`${this.name}: run was called a second time; it changes nothing.`);
    }
    this.#running ??= this.#during(signal, (rounds) => rounds.run());
    return this.#running;
  }

  async listAndWatch({ signal }: { signal: AbortSignal }): Promise<void> {
    if (this.#running !== undefined) {
      throw new TidewatchError('misuse', `${this.name}: listAndWatch was called while the reflector runs`);
    }
    this.#running = this.#during(signal, (rounds) => rounds.round());
    try {
      await this.#running;
    } finally {
      if (!signal.aborted) this.#running = undefined;
    }
  }

  async #during(signal: AbortSignal, work: (rounds: ListAndWatch<T>) => Promise<void>): Promise<void> {
    const session = this.#session;
    session.signal = signal;
    const forgetSignal = onAbort(signal, () => {
      this.#isStopped = true;
    });
    const slice = new TimeSlice(session.settings.clock, session.metrics.longSlice);
    const write = (batches: Batches<T>) => this.#writeAll(batches, slice);
    const resync = new ResyncTimer(session);
    const filler = new Filler(session, write, () => resync.start());
    this.#rounds = new ListAndWatch(session, filler, write);
    try {
      await work(this.#rounds);
    } finally {
      forgetSignal();
      await this.#refetcher?.settled();
      resync.stop();
      session.state.enter('stopped');
    }
  }

  async #writeAll(batches: Batches<T>, slice: TimeSlice): Promise<void> {
    if (batches instanceof Pulled) await batches.each((batch) => this.#writeBatch(batch, slice));
    else for (const batch of batches) await this.#writeBatch(batch, slice);
  }

  /** A promise only if it has to wait. */
  #writeBatch(batch: readonly CachedChange<T>[], slice: TimeSlice): void | Promise<void> {
    for (let i = 0; i < batch.length; i++) {
      const written = this.#writeOne(batch[i] as CachedChange<T>);
      if (written !== undefined || slice.isDue()) return this.#writeRest(written, batch.slice(i + 1), slice);
    }
  }

  async #writeRest(first: void | Promise<void>, rest: readonly CachedChange<T>[], slice: TimeSlice): Promise<void> {
    await first;
    for (const change of rest) {
      if (slice.isDue()) await slice.pause();
      const written = this.#writeOne(change);
      if (written !== undefined) await written;
    }
    if (slice.isDue()) await slice.pause();
  }

  /** A promise only if the target returns one. */
  #writeOne(change: CachedChange<T>): void | Promise<void> {
    const { position, settings, signal } = this.#session;
    if (this.#isStopped) throw signal.reason;
    // A bookmark without a version, or from before, says nothing.
    if (change.type === 'BOOKMARK' && (change.resourceVersion === '' || position.isPast(change.resourceVersion)))
      return;
    if ('object' in change) this.#refuseStale(change);
    let written: void | Promise<void>;
    try {
      written = settings.target.write(change);
    } catch (cause) {
      return this.#failed(change, cause);
    }
    return written === undefined ? this.#written(change) : this.#awaited(change, written);
  }

  #awaited(change: CachedChange<T>, written: Promise<void>): Promise<void> {
    return written.then(
      () => this.#written(change),
      (cause: unknown) => this.#failed(change, cause),
    );
  }

  #written(change: CachedChange<T>): void {
    const { position, leftOut, state } = this.#session;
    if (change.type === 'LIST') position.replaced(change.resourceVersion);
    else if (change.type === 'BOOKMARK') position.advance(change.type, change.resourceVersion);
    else if ('object' in change) {
      position.advance(change.type, change.object.resourceVersion);
      if (!leftOut.isEmpty && leftOut.delete(change.object.key)) state.leaveOut(leftOut);
    }
  }

  #failed(change: CachedChange<T>, cause: unknown): void {
    const { position } = this.#session;
    if (change.type === 'BOOKMARK') {
      position.advance(change.type, change.resourceVersion);
      this.#session.report(unusableError('a bookmark', undefined, cause), 'watching');
    } else if ('object' in change) {
      const { key } = change.object;
      this.#session.refuse(unusableError(`the ${VERB[change.type]} of ${key}`, key, cause));
    } else throw cause;
  }

  /** Events come in the order of their versions, so only one from before the position can be older than its object. */
  #refuseStale({ type, object }: ObjectChange<T>): void {
    const { position, settings } = this.#session;
    if (settings.target.versionOf === undefined || !position.isPast(object.resourceVersion)) return;
    const known = settings.target.versionOf(object.key);
    const order = known === undefined ? undefined : compareResourceVersions(object.resourceVersion, known);
    if (order === undefined || order >= 0) return;
    throw new ReflectorError(
      'stale',
      `the server sent the ${VERB[type]} of ${object.key} at version ${object.resourceVersion}, but ${known} has been seen: it may have lost data, or be behind`,
      { key: object.key },
    );
  }
}
