import { TransportError } from '../api/transport-error.ts';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import type { Span, StyleName } from './terminal/style.ts';

const LOOKS: Readonly<Record<ReflectorState['phase'], StyleName>> = {
  idle: 'dim',
  listing: 'cyan',
  watching: 'green',
  backoff: 'red',
  unauthorized: 'red',
  forbidden: 'red',
  gone: 'yellow',
  stopped: 'dim',
};

/** The state of an informer in a word or two. */
export function phaseSpans(state: ReflectorState, dot: string): Span[] {
  const style = LOOKS[state.phase];
  return [{ text: `${dot} ${state.phase}`, style }];
}

/** What it waits for and why; undefined when all is well. */
export function trouble(state: ReflectorState, nowMs: number): string | undefined {
  if (state.lastError === undefined || state.phase === 'watching') return undefined;
  const waitMs = Math.max(0, (state.nextAttempt ?? nowMs) - nowMs);
  const when = state.nextAttempt === undefined || waitMs === 0 ? 'now' : `in ${Math.ceil(waitMs / 1_000)} s`;
  return `next attempt ${when}: ${problemText(state.lastError)}`;
}

/** What an error says, without the address of the server, which is on the screen already. */
export function problemText(error: Error): string {
  if (!(error instanceof TransportError) || error.server === undefined) return error.message;
  const prefix = `${error.server}: `;
  return error.message.startsWith(prefix) ? error.message.slice(prefix.length) : error.message;
}
