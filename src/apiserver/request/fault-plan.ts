import { aFunction, aNumber, anything, aText, checkedOptions, type OptionChecks } from '../../api/option-check.ts';
import type { RequestInfo } from './request-info.ts';

/** Which requests a fault meets; unset parts match everything. */
export interface FaultMatch {
  /** get, list, watch, create, update, patch, delete, deletecollection */
  verb?: string | readonly string[] | undefined;
  /** The plural name: `pods`. */
  resource?: string | undefined;
  /** The API group; "" for the core group. */
  group?: string | undefined;
  /** Of the object, or of the list. */
  namespace?: string | undefined;
  /** Of the object. */
  name?: string | undefined;
  /** `status`, `scale` and so on. */
  subresource?: string | undefined;
  /** The whole path, or a pattern for it. */
  path?: string | RegExp | undefined;
  /** The name of the user. */
  user?: string | undefined;
  /** Anything else. */
  where?:
    | ((request: { path: string; query: URLSearchParams; headers: Readonly<Record<string, string>> }) => boolean)
    | undefined;
}

/** What goes wrong. Bytes are counted in the body of the response, after the headers. */
export type Fault =
  /** The connection breaks before an answer. */
  | { kind: 'drop' }
  /** No answer at all, until the client gives up, the fault is removed, or the server stops. */
  | { kind: 'stall' }
  /** The answer comes later, by the server's clock. */
  | { kind: 'delay'; ms: number }
  | {
      /** The answer is this Status. */
      kind: 'status';
      /** Of HTTP: 500. */
      code: number;
      /** Default: the one that belongs to the code. */
      reason?: string | undefined;
      /** Default: one that says that it is a fault. */
      message?: string | undefined;
      /** For the header `Retry-After`. Default: none. */
      retryAfterSeconds?: number | undefined;
      /** Beside the usual ones. */
      headers?: Readonly<Record<string, string>> | undefined;
      /** Sent instead of a Status, as a proxy would. */
      body?: string | undefined;
    }
  /** The connection breaks after this many bytes. */
  | { kind: 'cut'; afterBytes: number }
  /** The response ends cleanly after this many bytes. */
  | { kind: 'end'; afterBytes: number }
  /** The stream falls silent after this many bytes, and stays open. */
  | { kind: 'stall-body'; afterBytes: number }
  /** Chunks of these sizes, repeated; 1 sends every byte alone. */
  | { kind: 'split'; bytes: number | readonly number[] }
  /** Gets and lists are answered from an older revision: a fixed one, or one that is `behind` changes older. */
  | { kind: 'stale'; revision: number }
  | { kind: 'stale'; behind: number }
  /** A WatchList never says that its initial events are complete. */
  | { kind: 'withhold-initial-events-end' }
  | { kind: 'withhold-bookmarks' }
  /** The first `count` events after the initial ones are not sent. Default: all. */
  | { kind: 'withhold-events'; count?: number | undefined }
  /** Events after the initial ones, and bookmarks, are sent this much later, by the server's clock. */
  | { kind: 'delay-events'; ms: number }
  /** The first `count` events are sent twice. Default: all. */
  | { kind: 'duplicate-events'; count?: number | undefined }
  | {
      /** The watch sends an ERROR event and ends. */
      kind: 'error-event';
      /** How many events come before it. Default 0. */
      afterEvents?: number | undefined;
      /** Default 410. */
      code?: number | undefined;
      /** Default `Expired`. */
      reason?: string | undefined;
      /** Default: that the version is too old. */
      message?: string | undefined;
    };

/** Which requests a fault meets, and how often. */
export interface FaultOptions {
  /** How many matching requests it meets. Default 1; `Infinity` for all. */
  times?: number | undefined;
  /** How many matching requests pass unharmed before. Default 0. */
  skip?: number | undefined;
}

/** What is misspelt would meet every request. */
const MATCH_CHECKS: OptionChecks<FaultMatch> = {
  verb: anything, // a text, or several
  resource: aText,
  group: aText,
  namespace: aText,
  name: aText,
  subresource: aText,
  path: anything, // a text, or a pattern
  user: aText,
  where: aFunction,
};
const OPTION_CHECKS: OptionChecks<FaultOptions> = { times: aNumber, skip: aNumber };

/** A fault in the plan. */
export interface PlannedFault {
  /** How many requests it has met. */
  readonly hits: number;
  /** Takes it out of the plan, and lets what it stalls go on. Idempotent. */
  remove(): void;
  /** Resolves when it has met `hits` requests (default 1). */
  met(hits?: number): Promise<void>;
}

/** The faults that a watch itself must act out. */
export interface WatchFaults {
  withholdBookmarks?: boolean;
  withholdInitialEventsEnd?: boolean;
  withholdEvents?: number;
  delayEventsMs?: number;
  duplicateEvents?: number;
  errorEvent?: { afterEvents: number; code: number; reason: string; message: string };
  stale?: { revision: number } | { behind: number };
}

/** A fault that met a request; `released` resolves when the fault is removed. */
export interface MetFault {
  readonly fault: Fault;
  readonly released: Promise<void>;
}

type Subject = Parameters<NonNullable<FaultMatch['where']>>[0];

class Entry implements PlannedFault {
  readonly match: FaultMatch;
  readonly fault: Fault;
  #skip: number;
  #left: number;
  #hits = 0;
  readonly #waiting = new Set<() => void>();
  readonly released: Promise<void>;
  #release: () => void = () => {};
  readonly #onRemove: (entry: Entry) => void;

  constructor(match: FaultMatch, fault: Fault, options: FaultOptions, onRemove: (entry: Entry) => void) {
    this.match = match;
    this.fault = fault;
    this.#skip = options.skip ?? 0;
    this.#left = options.times ?? 1;
    this.#onRemove = onRemove;
    this.released = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  get hits(): number {
    return this.#hits;
  }

  /** Whether it meets this request, which already matches. */
  take(): boolean {
    if (this.#left <= 0) return false;
    if (this.#skip > 0) {
      this.#skip--;
      return false;
    }
    this.#left--;
    this.#hits++;
    for (const check of this.#waiting) check();
    return true;
  }

  remove(): void {
    this.#left = 0;
    this.#release();
    this.#onRemove(this);
  }

  met(hits = 1): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (this.#hits < hits) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }
}

/**
 * What is to go wrong, and when. Entries are asked in the order in which they were added; all that match a request meet
 * it together, so that a delay and a cut can be combined. Nothing here is left to chance.
 */
export class FaultPlan {
  readonly #entries = new Set<Entry>();

  /** Requests that match meet the fault: once, unless `options` say otherwise. */
  add(match: FaultMatch, fault: Fault, options: FaultOptions = {}): PlannedFault {
    checkedOptions('faults.add: what it meets', match, MATCH_CHECKS);
    checkedOptions('faults.add', options, OPTION_CHECKS);
    const entry = new Entry(match, fault, options, (removed) => this.#entries.delete(removed));
    this.#entries.add(entry);
    return entry;
  }

  /** One fault for each matching request in turn; `undefined` lets that request pass. */
  script(match: FaultMatch, faults: readonly (Fault | undefined)[]): PlannedFault[] {
    return faults.flatMap((fault, skip) => (fault === undefined ? [] : [this.add(match, fault, { skip })]));
  }

  /** Removes everything, and lets what is stalled go on. */
  clear(): void {
    for (const entry of [...this.#entries]) entry.remove();
  }

  /** @internal */
  meet(info: RequestInfo, user: string, subject: Subject): MetFault[] {
    const met: MetFault[] = [];
    for (const entry of this.#entries) {
      if (matches(entry.match, info, user, subject) && entry.take()) {
        met.push({ fault: entry.fault, released: entry.released });
      }
    }
    return met;
  }
}

function matches(match: FaultMatch, info: RequestInfo, user: string, subject: Subject): boolean {
  const verbs = typeof match.verb === 'string' ? [match.verb] : match.verb;
  if (verbs && !verbs.includes(info.verb)) return false;
  const wanted = [
    [match.resource, info.resource],
    [match.group, info.group],
    [match.namespace, info.namespace],
    [match.name, info.name],
    [match.subresource, info.subresource],
    [match.user, user],
  ];
  if (wanted.some(([want, have]) => want !== undefined && want !== have)) return false;
  if (match.path !== undefined) {
    const found = typeof match.path === 'string' ? match.path === subject.path : match.path.test(subject.path);
    if (!found) return false;
  }
  return match.where?.(subject) ?? true;
}

/** The part of the met faults that a list or a watch acts out itself. */
export function watchFaults(met: readonly MetFault[]): WatchFaults {
  const faults: WatchFaults = {};
  for (const { fault } of met) {
    if (fault.kind === 'withhold-bookmarks') faults.withholdBookmarks = true;
    else if (fault.kind === 'withhold-initial-events-end') faults.withholdInitialEventsEnd = true;
    else if (fault.kind === 'withhold-events') faults.withholdEvents = fault.count ?? Number.POSITIVE_INFINITY;
    else if (fault.kind === 'delay-events') faults.delayEventsMs = fault.ms;
    else if (fault.kind === 'duplicate-events') faults.duplicateEvents = fault.count ?? Number.POSITIVE_INFINITY;
    else if (fault.kind === 'stale')
      faults.stale = 'revision' in fault ? { revision: fault.revision } : { behind: fault.behind };
    else if (fault.kind === 'error-event') {
      faults.errorEvent = {
        afterEvents: fault.afterEvents ?? 0,
        code: fault.code ?? 410,
        reason: fault.reason ?? 'Expired',
        message: fault.message ?? 'The resourceVersion for the provided watch is too old.',
      };
    }
  }
  return faults;
}
