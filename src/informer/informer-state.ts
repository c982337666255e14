import { MAX_DESCRIBED } from '../api/cached.ts';
import type { LeftOut, ReflectorPhase, ReflectorState, StateFacts } from '../reflector/reflector-state.ts';

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

/** Which phase stands for the whole when an informer has several namespaces: the one that wants attention most. */
const CONCERN: Readonly<Record<ReflectorPhase, number>> = {
  gone: 0,
  unauthorized: 1,
  forbidden: 2,
  backoff: 3,
  listing: 4,
  idle: 5,
  watching: 6,
  stopped: 7,
};

/** What `state`, which is that of a namespace whose objects may not be listed, tells of it. */
export function missingNamespace(namespace = '', { since, lastError, nextAttempt }: ReflectorState): MissingNamespace {
  return {
    namespace,
    since,
    ...(lastError !== undefined && { lastError }),
    ...(nextAttempt !== undefined && { nextAttempt }),
  };
}

/**
 * One state for the reflectors of all namespaces: the phase that wants attention most, the earliest `behindSince`, the oldest
 * `lastContact` (none while one of them has never had any), and of what is left out the first hundred and the count. Whole states are
 * asked for only where they are shown.
 */
export function combinedState<P extends StateFacts>(
  parts: readonly P[],
  stateOf: (part: P) => ReflectorState,
): ReflectorState {
  const [only] = parts;
  if (only === undefined) return { phase: 'idle', since: 0 };
  if (parts.length === 1) return stateOf(only);
  let worst = only;
  let behindSince = Number.POSITIVE_INFINITY;
  let lastContact = Number.POSITIVE_INFINITY;
  let leftOutCount = 0;
  for (const part of parts) {
    if (part.phase !== worst.phase && CONCERN[part.phase] < CONCERN[worst.phase]) worst = part;
    behindSince = Math.min(behindSince, part.behindSince ?? Number.POSITIVE_INFINITY);
    lastContact = Math.min(lastContact, part.lastContact ?? Number.NEGATIVE_INFINITY);
    leftOutCount += part.leftOutCount ?? 0;
  }
  const { lastContact: _, ...first } = stateOf(worst);
  return {
    ...first,
    ...(behindSince < Number.POSITIVE_INFINITY && { behindSince }),
    ...(lastContact > Number.NEGATIVE_INFINITY && { lastContact }),
    ...(leftOutCount > 0 && { leftOut: firstLeftOut(parts, stateOf), leftOutCount }),
  };
}

function firstLeftOut<P extends StateFacts>(
  parts: readonly P[],
  stateOf: (part: P) => ReflectorState,
): readonly LeftOut[] {
  const found = parts.flatMap((part) => (part.leftOutCount ? (stateOf(part).leftOut ?? []) : []));
  return found.slice(0, MAX_DESCRIBED);
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
