import { monotonicMs } from '../observe/scheduler.ts';
import type { FailureKind } from './failure.ts';
import type { ReflectorSettings } from './reflector-options.ts';
import type { ReflectorPhase } from './reflector-state.ts';

/** After this long a failure that goes on is told again… */
export const FIRST_GAP_MS = 60_000;
/** …and after twice as long each time, up to this. */
const MAX_GAP_MS = 60 * 60_000;

/** A failure that is told when it begins, and counted from then on. */
export class CountedFailure {
  readonly sinceMs: number;
  lastMs: number;
  times = 0;
  #toldMs: number;
  #gapMs = FIRST_GAP_MS;

  constructor(nowMs: number) {
    this.sinceMs = this.lastMs = this.#toldMs = nowMs;
  }

  add(nowMs: number): void {
    this.times++;
    this.lastMs = nowMs;
  }

  /** Whether it is time to tell of it again; it counts as told then. */
  isDue(nowMs: number): boolean {
    if (nowMs - this.#toldMs < this.#gapMs) return false;
    this.#toldMs = nowMs;
    this.#gapMs = Math.min(this.#gapMs * 2, MAX_GAP_MS);
    return true;
  }
}

/** `12 s`, `12 min`, `3 h`: for people, who do not need more. */
export function asDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 10) return `${Math.max(seconds, 0).toFixed(1)} s`;
  if (seconds < 100) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  return minutes < 100 ? `${Math.round(minutes)} min` : `${Math.round(minutes / 60)} h`;
}

export interface LoggedFailure {
  readonly kind: FailureKind;
  readonly error: Error;
  readonly phase: ReflectorPhase;
  readonly retryInMs?: number | undefined;
  /** Of the object that it is about, when it is about one. */
  readonly key?: string | undefined;
}

type LogSettings = Pick<ReflectorSettings<never>, 'name' | 'clock' | 'logger'>;

/** These come and go in a healthy cluster: they are worth a warning when they do not end. */
const ROUTINE: ReadonlySet<FailureKind> = new Set(['expired', 'silent']);
/** These are about what was sent, and not about whether lists and watches succeed. */
const ABOUT_OBJECTS: ReadonlySet<FailureKind> = new Set(['unusable', 'damaged', 'resync']);
/** A watch that is open for this long has ended the outage before it; a failure that comes sooner is part of the same one. */
const CALM_MS = 60_000;
/** The objects that are counted one by one; all others are counted together. */
const MAX_OBJECTS = 100;
/** An object that has not failed for this long is forgotten. */
const FORGET_MS = 60 * 60_000;
const MAX_MESSAGE_LENGTH = 500;

/** From the first failure until a watch has been open for a while. */
interface Outage {
  readonly counted: CountedFailure;
  readonly kinds: Set<FailureKind>;
  /** When the last unbroken row of failures began. */
  rowMs: number;
  /** When a watch was opened; undefined while none is. */
  openedMs: number | undefined;
  hasReopened: boolean;
  /** The log says that something fails, and does not yet say that it works again. */
  owesEnd: boolean;
}

/**
 * Writes failures for people: a warning of one line when something new goes wrong, the same failure again as a count, at
 * growing intervals, and one line when it is over. What was last written is true, or becomes so within a minute. The error
 * itself goes to `debug`, each time.
 */
export class FailureLog {
  readonly #settings: LogSettings;
  /** Unset until there is one. */
  #objects: Map<string, CountedFailure> | undefined;
  #outage: Outage | undefined;
  #hasWatched = false;
  #hasToldNoWatchList = false;

  constructor(settings: LogSettings) {
    this.#settings = settings;
  }

  failed(failure: LoggedFailure): void {
    const { logger, name } = this.#settings;
    logger.debug(`${name}: failed while ${failure.phase}.`, failure.error);
    if (ABOUT_OBJECTS.has(failure.kind)) this.#objectFailed(failure);
    else this.#attemptFailed(failure);
  }

  /** The server does not take a WatchList, as servers without that feature do not. It is told once. */
  noWatchList(error: Error): void {
    const { logger, name } = this.#settings;
    const level = this.#hasToldNoWatchList ? 'debug' : 'info';
    this.#hasToldNoWatchList = true;
    logger[level](`${name}: the server does not take a WatchList, so LIST is used: ${oneLine(error.message)}`);
  }

  /** A watch is open. */
  watching(): void {
    const outage = this.#outage;
    const again = this.#hasWatched ? ' again' : '';
    this.#hasWatched = true;
    if (outage === undefined || outage.openedMs !== undefined) return;
    const { clock, logger, name } = this.#settings;
    outage.openedMs = monotonicMs(clock);
    const level = outage.owesEnd ? 'warn' : 'debug';
    outage.owesEnd = false;
    logger[level](`${name}: watching${again} after ${this.#extent(outage.counted)}.`);
  }

  #attemptFailed(failure: LoggedFailure): void {
    const { kind } = failure;
    const nowMs = monotonicMs(this.#settings.clock);
    const outage = this.#outageAt(nowMs);
    outage.counted.add(nowMs);
    if (!outage.kinds.has(kind)) {
      outage.kinds.add(kind);
      if (ROUTINE.has(kind)) return;
      this.#warn(`failed while ${failure.phase}`, failure);
    } else {
      // When the last word of the log is that all is well, it must not stay so for long.
      const isUntrue = !outage.owesEnd && nowMs - outage.rowMs >= FIRST_GAP_MS;
      if (!outage.counted.isDue(nowMs) && !isUntrue) return;
      const how = outage.hasReopened ? 'on and off' : 'still';
      this.#warn(`${how} ${nowIs(kind)} for ${this.#extent(outage.counted)}`, failure);
    }
    outage.owesEnd = true;
  }

  #outageAt(nowMs: number): Outage {
    const last = this.#outage;
    if (last !== undefined && (last.openedMs === undefined || nowMs - last.openedMs < CALM_MS)) {
      if (last.openedMs !== undefined) {
        last.openedMs = undefined;
        last.hasReopened = true;
        last.rowMs = nowMs;
      }
      return last;
    }
    this.#outage = {
      counted: new CountedFailure(nowMs),
      kinds: new Set(),
      rowMs: nowMs,
      openedMs: undefined,
      hasReopened: false,
      owesEnd: false,
    };
    return this.#outage;
  }

  #objectFailed(failure: LoggedFailure): void {
    const nowMs = monotonicMs(this.#settings.clock);
    const counted = this.#objectAt(failure, nowMs);
    counted.add(nowMs);
    if (counted.times === 1) this.#warn(`failed while ${failure.phase}`, failure);
    else if (counted.isDue(nowMs)) {
      this.#warn(`failed in the same way ${counted.times} times in ${asDuration(nowMs - counted.sinceMs)}`, failure);
    }
  }

  #objectAt({ kind, key = '' }: LoggedFailure, nowMs: number): CountedFailure {
    const id = `${kind} ${key}`;
    this.#objects ??= new Map();
    let counted = this.#objects.get(id);
    if (counted !== undefined && nowMs - counted.lastMs < FORGET_MS) return counted;
    for (const [old, { lastMs }] of this.#objects) if (nowMs - lastMs >= FORGET_MS) this.#objects.delete(old);
    const free = this.#objects.size < MAX_OBJECTS ? id : kind;
    counted = this.#objects.get(free) ?? new CountedFailure(nowMs);
    this.#objects.set(free, counted);
    return counted;
  }

  #extent({ sinceMs, times }: CountedFailure): string {
    const lasted = asDuration(monotonicMs(this.#settings.clock) - sinceMs);
    return `${lasted}, ${times} ${times === 1 ? 'attempt' : 'attempts'}`;
  }

  #warn(what: string, { error, retryInMs }: LoggedFailure): void {
    const { logger, name } = this.#settings;
    const retry = retryInMs === undefined ? '' : `, next attempt in ${(retryInMs / 1000).toFixed(1)} s`;
    logger.warn(`${name}: ${what}${retry}: ${oneLine(error.message)}`);
  }
}

function nowIs(kind: FailureKind): string {
  if (kind === 'forbidden' || kind === 'unauthorized') return kind;
  return kind === 'absent' ? 'gone' : 'failing';
}

/** Servers and users' functions may put anything into a message, whole objects included. */
function oneLine(message: string): string {
  const line = message.slice(0, 2 * MAX_MESSAGE_LENGTH).replace(/\s+/g, ' ');
  return line.length > MAX_MESSAGE_LENGTH ? `${line.slice(0, MAX_MESSAGE_LENGTH)}…` : line;
}
