import { MAX_DESCRIBED } from '../api/cached.ts';
import type { LeftOut, ReflectorPhase, ReflectorState } from '../reflector/reflector-state.ts';

/** A namespace whose objects are not in the cache, because the login may not list them. */
export interface MissingNamespace {
  readonly namespace: string;
  /** Since when, in milliseconds since the epoch. */
  readonly since: number;
  /** What the server said. */
  readonly lastError?: Error;
  /** When it is asked for again, in milliseconds since the epoch. */
  readonly nextAttempt?: number;
}

/** How an informer fares. */
export interface InformerState extends ReflectorState {
  /** With `onForbidden: 'skip'`, what the cache lacks; the rest of the state is that of the other namespaces. Absent when nothing is missing. */
  readonly missing?: readonly MissingNamespace[];
}

/** What one list and watch of an informer says. */
export interface PartState {
  readonly namespace: string | undefined;
  readonly state: ReflectorState;
  /** It is forbidden, and the informer goes on without it. */
  readonly isSkipped: boolean;
}

/** Which phase stands for the whole when an informer has several namespaces: the one that wants attention most. */
const CONCERN: readonly ReflectorPhase[] = [
  'gone',
  'unauthorized',
  'forbidden',
  'backoff',
  'listing',
  'idle',
  'watching',
  'stopped',
];

/** One state for all parts; parts that are skipped count as long as there are others. `since` is for an informer without a part. */
export function informerState(parts: readonly PartState[], since: number): InformerState {
  if (parts.length === 0) return { phase: 'idle', since };
  const counted = parts.filter(({ isSkipped }) => !isSkipped);
  const states = (counted.length > 0 ? counted : parts).map(({ state }) => state);
  const combined = combinedState(states);
  if (counted.length === parts.length) return combined;
  return { ...combined, missing: parts.filter(({ isSkipped }) => isSkipped).map(missingOf) };
}

function missingOf({ namespace = '', state: { since, lastError, nextAttempt } }: PartState): MissingNamespace {
  return {
    namespace,
    since,
    ...(lastError !== undefined && { lastError }),
    ...(nextAttempt !== undefined && { nextAttempt }),
  };
}

/**
 * One state for the reflectors of all namespaces: the phase that wants attention most, the earliest `behindSince`, the oldest
 * `lastContact` (none while one of them has never had any), and of what is left out the first hundred and the count.
 */
export function combinedState(states: readonly ReflectorState[]): ReflectorState {
  const [only] = states;
  if (only === undefined) return { phase: 'idle', since: 0 };
  if (states.length === 1) return only;
  const sorted = states.toSorted((a, b) => CONCERN.indexOf(a.phase) - CONCERN.indexOf(b.phase));
  const { lastContact: _, ...first } = sorted[0] ?? only;
  const behind = states.flatMap(({ behindSince }) => behindSince ?? []);
  const contacts = states.flatMap(({ lastContact }) => lastContact ?? []);
  const leftOut = states.flatMap((state) => state.leftOut ?? []).slice(0, MAX_DESCRIBED);
  const leftOutCount = states.reduce((sum, state) => sum + (state.leftOutCount ?? 0), 0);
  return {
    ...first,
    ...(behind.length > 0 && { behindSince: Math.min(...behind) }),
    ...(contacts.length === states.length && { lastContact: Math.min(...contacts) }),
    ...(leftOutCount > 0 && { leftOut, leftOutCount }),
  };
}

/** The state of a reflector whose store has left out more than it. */
export function withLeftOut(state: ReflectorState, more: readonly LeftOut[]): ReflectorState {
  if (more.length === 0) return state;
  const { leftOut = [], leftOutCount = 0 } = state;
  return { ...state, leftOut: [...leftOut, ...more].slice(0, MAX_DESCRIBED), leftOutCount: leftOutCount + more.length };
}

/** For the message of a wait that ends without success. */
export function standing({ phase, lastError }: InformerState, version: string, hasStarted: boolean): string {
  const at = version ? ` at version ${version}` : '';
  const error = lastError ? `; last error: ${lastError.message}` : '';
  return `it is ${phase}${at}${hasStarted ? '' : ' and was not started'}${error}`;
}

const NEWS = ['phase', 'since', 'behindSince', 'lastError', 'nextAttempt', 'leftOutCount'] as const;

/** Whether something has changed that is worth a call of `onState`: anything but `lastContact`. */
export function isNews(before: InformerState, after: InformerState): boolean {
  return NEWS.some((name) => before[name] !== after[name]) || listsOf(before) !== listsOf(after);
}

/** The same for states that miss and leave out the same. */
function listsOf({ leftOut, missing }: InformerState): string {
  const attempts = missing?.map(({ namespace, nextAttempt }) => `${namespace} ${nextAttempt}`);
  return `${leftOut?.at(-1)?.key},${attempts?.join()}`;
}
