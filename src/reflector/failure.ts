import { ApiError } from '../api/api-error.ts';
import type { ReflectorErrorKind } from '../api/tidewatch-error.ts';
import { TransportError } from '../api/transport-error.ts';
import { ReflectorError } from './reflector-error.ts';
import type { ReflectorPhase } from './reflector-state.ts';

/** Why a list or watch failed, as far as that decides what comes next. */
export type FailureKind =
  /** The server has the history no more: 410, before the stream or in it. */
  | 'expired'
  /** The server has not got as far as the version that was asked for. */
  | 'tooLarge'
  /** 429. */
  | 'tooManyRequests'
  /** 401: the credentials are at fault. */
  | 'unauthorized'
  /** 403. */
  | 'forbidden'
  /** 404: there is no such resource type. */
  | 'absent'
  /** 408 and 5xx: the server, or something before it, is in trouble. */
  | 'unavailable'
  /** Any other no of the server. */
  | 'rejected'
  /** Nobody listens: the server is down or restarts. */
  | 'refused'
  /** No answer for any other reason of the network. */
  | 'unreachable'
  /** Anything else: a list or watch function of the user has thrown, a body makes no sense. */
  | 'other'
  | ReflectorErrorKind;

/** `list` fetches the whole state again, `watch` goes on from the last version seen, `gone` first asks whether the type exists. */
export interface Recovery {
  readonly next: 'list' | 'watch' | 'gone';
  readonly wait: 'none' | 'backoff';
}

const LIST: Recovery = { next: 'list', wait: 'backoff' };
const WATCH: Recovery = { next: 'watch', wait: 'backoff' };
const WATCH_NOW: Recovery = { next: 'watch', wait: 'none' };
const GONE: Recovery = { next: 'gone', wait: 'none' };

/** How many watches in a row may fail to open with a server error, before a list finds out whether the version is to blame. */
const MAX_UNAVAILABLE_OPENS = 3;
/**
 * How many watches in a row may end at once. Some servers say that the version is too old in no other way, so going on
 * from it forever would be wrong.
 */
const MAX_SHORT_WATCHES = 2;

export function failureKind(error: unknown): FailureKind {
  if (error instanceof ReflectorError) return error.kind;
  if (error instanceof ApiError) return kindOfAnswer(error);
  if (isRefused(error)) return 'refused';
  if (error instanceof TransportError || systemCode(error) !== undefined) return 'unreachable';
  return 'other';
}

function kindOfAnswer(error: ApiError): FailureKind {
  if (error.isTooLargeResourceVersion) return 'tooLarge';
  switch (error.kind) {
    case 'not-found':
      return 'absent';
    case 'too-many-requests':
      return 'tooManyRequests';
    case 'already-exists':
    case 'conflict':
      return 'rejected';
    default:
      return error.kind;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof TransportError ? error.kind === 'refused' : systemCode(error) === 'ECONNREFUSED';
}

/** `ECONNRESET`, `UND_ERR_SOCKET` and the like, from the error or what caused it. */
function systemCode(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const { code } = current as { code?: unknown };
    if (typeof code === 'string' && /^(E[A-Z]+|UND_ERR_\w+|ERR_(TLS|SSL|STREAM|SOCKET|HTTP2)\w*)$/.test(code))
      return code;
    current = current.cause;
  }
  return undefined;
}

export function afterList(kind: FailureKind): Recovery {
  return kind === 'absent' ? GONE : LIST;
}

/** `before` counts the failures of this kind that came directly before. */
export function afterWatchOpen(kind: FailureKind, before: number): Recovery {
  switch (kind) {
    case 'absent':
      return GONE;
    case 'tooManyRequests':
    case 'unauthorized':
    case 'refused':
    case 'unreachable':
      return WATCH;
    case 'unavailable':
      return before + 1 < MAX_UNAVAILABLE_OPENS ? WATCH : LIST;
    default:
      return LIST;
  }
}

/** An ERROR event, or something wrong with the events. */
export function afterEvents(kind: FailureKind): Recovery {
  switch (kind) {
    case 'absent':
      return GONE;
    case 'tooManyRequests':
      return WATCH;
    case 'silent':
      return WATCH_NOW;
    default:
      return LIST;
  }
}

/** A stream that ended or broke, without a word from the server. `shortBefore` counts the short ones directly before. */
export function afterStreamEnd(isShort: boolean, shortBefore: number): Recovery {
  if (!isShort) return WATCH_NOW;
  return shortBefore + 1 < MAX_SHORT_WATCHES ? WATCH : LIST;
}

/** `again` is at once; `retry` after a wait; `list` falls back to LIST in this cycle. */
export type WatchListRecovery = 'again' | 'retry' | 'list' | 'gone';

/** `before` counts the failures of this kind that came directly before. */
export function afterWatchList(kind: FailureKind, before: number): WatchListRecovery {
  switch (kind) {
    case 'absent':
      return 'gone';
    case 'tooManyRequests':
    case 'unauthorized':
    case 'forbidden':
    case 'refused':
      return 'retry';
    case 'unavailable':
    case 'unreachable':
      return before % 2 === 0 ? 'retry' : 'list';
    case 'expired':
    case 'tooLarge':
    case 'olderList':
    case 'endedEarly':
      return before === 0 ? 'again' : 'list';
    default:
      return 'list';
  }
}

export function phaseAfter(kind: FailureKind): ReflectorPhase {
  if (kind === 'forbidden' || kind === 'unauthorized') return kind;
  return kind === 'absent' ? 'gone' : 'backoff';
}

/** Whether no connection came about, or it broke, for a reason that may end without anybody changing a setting. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof TransportError) return error.retryable;
  const kind = failureKind(error);
  return kind === 'refused' || kind === 'unreachable';
}

export function retryAfterMs(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
}
