import type { Settled } from '../api/defined.ts';
import { aClock, aFunction, aLogger, aNumber, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import { type Clock, sleepOn } from '../observe/clock.ts';
import { type Logger, safeLogger } from '../observe/logger.ts';
import { monotonicMs, TimeSlice } from '../observe/scheduler.ts';

/** A change that somebody made to an object of the cache. */
export interface Mutation {
  readonly key: string;
  /** Where the object differs from what was stored: `metadata.labels.app`; a few at most; empty when it cannot be compared any more. */
  readonly paths: readonly string[];
}

/** Options of `MutationDetector`. */
export interface MutationDetectorOptions {
  /** Times the comparisons. */
  clock: Clock;
  /** Default 1,000. */
  periodMs?: number | undefined;
  /** An object is watched for at least this long and at most twice as long. Default 120,000. */
  retainMs?: number | undefined;
  /** Default: an error in the log. client-go panics. */
  onMutation?: ((mutation: Mutation) => void) | undefined;
  /** Hears of each mutation. */
  logger?: Logger | undefined;
}

const CHECKS: OptionChecks<MutationDetectorOptions> = {
  clock: aClock,
  periodMs: aNumber,
  retainMs: aNumber,
  onMutation: aFunction,
  logger: aLogger,
};

interface Watched {
  readonly key: string;
  readonly object: object;
  /** As it was last seen; undefined when it could not be written down. */
  text: string | undefined;
}

const MOST_PATHS = 5;

/**
 * Finds out whether a reader has changed an object that belongs to a cache. For tests and for debugging: it keeps the text
 * of every object that was stored in the last minutes, and compares all of them again and again. client-go's
 * `MutationDetector`.
 */
export class MutationDetector {
  readonly #options: Settled<MutationDetectorOptions>;
  /** Watched since the last turn, and in the turn before. */
  #recent: Watched[] = [];
  #earlier: Watched[] = [];
  #turnedMs: number;

  constructor(options: MutationDetectorOptions) {
    const set = checkedOptions('MutationDetector', options, CHECKS, ['clock']);
    const logger = safeLogger(options.logger);
    const report = ({ key, paths }: Mutation) =>
      logger.error(
        `The cached object ${key} was changed by a reader${paths.length === 0 ? '' : ` at ${paths.join(', ')}`}: ` +
          'objects from a store are shared; copy them (structuredClone) before changing them.',
      );
    this.#options = { periodMs: 1_000, retainMs: 120_000, onMutation: report, ...set, logger };
    this.#turnedMs = monotonicMs(options.clock);
  }

  /** From now on, and for a while, the object must stay as it is. */
  watch(key: string, object: object): void {
    this.#recent.push({ key, object, text: textOf(object) });
  }

  /** Compares once a period; resolves when the signal aborts. Does not keep the process alive. */
  async run({ signal }: { signal: AbortSignal }): Promise<void> {
    const { clock, periodMs } = this.#options;
    const slice = new TimeSlice(clock);
    const pause = (ms: number) => sleepOn(clock, ms, signal, { keepAlive: false }).catch(() => {});
    for (await pause(periodMs); !signal.aborted; await pause(periodMs)) {
      for (const _compared of this.#comparisons()) {
        if (slice.isDue()) await pause(0);
        if (signal.aborted) return;
      }
    }
  }

  /** Compares everything now. */
  check(): void {
    for (const _compared of this.#comparisons());
  }

  *#comparisons(): Generator<void, void> {
    const nowMs = monotonicMs(this.#options.clock);
    if (nowMs - this.#turnedMs > this.#options.retainMs) {
      this.#turnedMs = nowMs;
      this.#earlier = this.#recent;
      this.#recent = [];
    }
    for (const watched of [...this.#earlier, ...this.#recent]) {
      this.#compare(watched);
      yield;
    }
  }

  #compare(watched: Watched): void {
    const text = textOf(watched.object);
    if (text === watched.text) return;
    const paths: string[] = [];
    if (text !== undefined && watched.text !== undefined) {
      differences(JSON.parse(watched.text), JSON.parse(text), '', paths);
      // Only the order of keys has changed, which no reader can rely on.
      if (paths.length === 0) return;
    }
    watched.text = text;
    try {
      this.#options.onMutation({ key: watched.key, paths });
    } catch (error) {
      this.#options.logger.error(`The handler of mutations failed on ${watched.key}.`, error);
    }
  }
}

/** Undefined for what JSON cannot say: cycles and big integers. */
function textOf(object: object): string | undefined {
  try {
    return JSON.stringify(object);
  } catch {
    return undefined;
  }
}

function differences(before: unknown, after: unknown, path: string, found: string[]): void {
  if (found.length >= MOST_PATHS || before === after) return;
  if (!isContainer(before) || !isContainer(after) || Array.isArray(before) !== Array.isArray(after)) {
    found.push(path === '' ? '(the whole object)' : path);
    return;
  }
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    differences(ownValue(before, key), ownValue(after, key), path === '' ? key : `${path}.${key}`, found);
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function ownValue(container: object, key: string): unknown {
  return Object.hasOwn(container, key) ? Reflect.get(container, key) : undefined;
}
