import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { interruptible } from '../observe/interruption.ts';
import { asError, ReflectorError } from './reflector-error.ts';
import type { Session } from './session.ts';

/** What comes after each fetch, so that the reflector's own requests find room in between. */
const GAP_MS = 1_000;
/** From this many on, those that the target no longer has are forgotten. */
const MANY = 1_024;

type Version = Pick<Cached, 'key' | 'resourceVersion'>;

/**
 * Fetches single objects again whose bytes have turned out to be damaged. Each version of an object is reported once and
 * asked for at most once, one after the other, whatever comes of it: when that fails, the next change of the object
 * or the next whole state mends it.
 */
export class Refetcher<T extends KubernetesObject> {
  readonly #session: Session<T>;
  readonly #seen = new Map<string, Version>();
  #tidyAt = MANY;
  readonly #waiting: Cached<T>[] = [];
  #running: Promise<void> | undefined;

  constructor(session: Session<T>) {
    this.#session = session;
  }

  /** Returns at once, and never throws: it may be called in the middle of a read. */
  refetch(object: Cached<T>, problem: Error): void {
    const { signal, settings, pacer } = this.#session;
    if (signal.aborted || !this.#isNews(object)) return;
    const canBeMended = settings.listerWatcher.listOne !== undefined && this.#isCurrent(object);
    if (canBeMended) {
      this.#waiting.push(object);
      this.#running ??= this.#run();
    }
    const { key, resourceVersion } = object;
    const message = `${key} at version ${resourceVersion} is damaged: ${problem.message}`;
    const error = new ReflectorError('damaged', message, { key, cause: problem });
    const waitMs = Math.max(pacer.waitMs(), this.#waiting.length * GAP_MS);
    this.#session.report(error, 'watching', canBeMended ? waitMs : undefined);
  }

  /** Resolves when nothing is under way; soon, once the session's signal has aborted. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal, settings } = this.#session;
    const { clock, random } = settings;
    for (let object = this.#waiting.shift(); object !== undefined; object = this.#waiting.shift()) {
      await this.#mend(object).catch((error: unknown) => this.#session.report(asError(error), 'watching'));
      await clock.sleep(GAP_MS * (1 + random()), signal).catch(() => {});
      if (signal.aborted) return;
    }
    this.#running = undefined;
  }

  async #mend(object: Cached<T>): Promise<void> {
    const { signal, settings, pacer } = this.#session;
    const { listerWatcher, target } = settings;
    await this.#untilWatching();
    if (!this.#isCurrent(object)) return;
    await pacer.admit(signal);
    const list = await interruptible(() => listerWatcher.listOne?.(object, { signal }), signal);
    await this.#untilWatching();
    const fresh = list?.items.find(({ key }) => key === object.key);
    if (fresh !== undefined) {
      await target.write({ type: 'REPAIRED', object: fresh });
      return;
    }
    // Not there any more: the watch tells.
    const [broken] = list?.broken ?? [];
    if (broken !== undefined) throw broken.problem;
  }

  /** Before, the server may be away, and a whole state on its way to the target: then nothing else may be handed over. */
  async #untilWatching(): Promise<void> {
    const { state, settings, signal } = this.#session;
    while (state.state.phase !== 'watching') await settings.clock.sleep(GAP_MS, signal);
  }

  #isCurrent({ key, resourceVersion }: Version): boolean {
    return this.#session.settings.target.versionOf?.(key) === resourceVersion;
  }

  #isNews({ key, resourceVersion }: Version): boolean {
    const id = `${key} ${resourceVersion}`;
    if (this.#seen.has(id)) return false;
    if (this.#seen.size >= this.#tidyAt) this.#tidy();
    this.#seen.set(id, { key, resourceVersion });
    return true;
  }

  #tidy(): void {
    for (const [id, version] of this.#seen) if (!this.#isCurrent(version)) this.#seen.delete(id);
    this.#tidyAt = Math.max(MANY, this.#seen.size * 2);
  }
}
