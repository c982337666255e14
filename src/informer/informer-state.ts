import { MAX_DESCRIBED } from '../api/cached.ts';
import type { LeftOut, ReflectorPhase, ReflectorState } from '../reflector/reflector-state.ts';

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
