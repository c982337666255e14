import type { Clock } from '../../observe/clock.ts';

/** `action`: what the user did to the server. `request`: what an informer asked. `problem`: what went wrong for it. */
export type LogKind = 'add' | 'update' | 'delete' | 'action' | 'request' | 'problem';

export interface LogEntry {
  readonly atMs: number;
  readonly kind: LogKind;
  /** With a `%` in place of the subjects. */
  readonly sentence: string;
  readonly subjects: readonly string[];
}

/** What is said of several subjects within this time is said once. */
const MERGE_MS = 1_000;

const KEPT = 100;

/** The last things that happened, those of one stream apart from those of the other. */
export class EventLog {
  readonly #clock: Pick<Clock, 'now'>;
  /** What handlers heard. */
  readonly #events: LogEntry[] = [];
  /** What went over the wire, and what was done to it. */
  readonly #wire: LogEntry[] = [];
  /** Called after each entry. */
  onEntry: () => void = () => {};

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** `sentence` has a `%` where the subject belongs. */
  add(kind: LogKind, sentence: string, subject?: string): void {
    const entries = isEvent(kind) ? this.#events : this.#wire;
    const atMs = this.#clock.now();
    const same =
      subject === undefined ? -1 : entries.findLastIndex((entry) => entry.kind === kind && entry.sentence === sentence);
    const known = entries[same];
    if (
      !isEvent(kind) &&
      known &&
      subject !== undefined &&
      atMs - known.atMs < MERGE_MS &&
      !known.subjects.includes(subject)
    ) {
      entries[same] = { ...known, subjects: [...known.subjects, subject] };
    } else entries.push({ atMs, kind, sentence, subjects: subject === undefined ? [] : [subject] });
    if (entries.length > 2 * KEPT) entries.splice(0, KEPT);
    this.onEntry();
  }

  /** The newest last. */
  lastEvents(count: number): readonly LogEntry[] {
    return count <= 0 ? [] : this.#events.slice(-count);
  }

  /** The newest last. */
  lastOnWire(count: number): readonly LogEntry[] {
    return count <= 0 ? [] : this.#wire.slice(-count);
  }
}

export function entryText({ sentence, subjects }: LogEntry): string {
  return subjects.length === 0 ? sentence : sentence.replace('%', () => subjects.join(', '));
}

function isEvent(kind: LogKind): boolean {
  return kind === 'add' || kind === 'update' || kind === 'delete';
}
