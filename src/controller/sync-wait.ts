import type { KubernetesObject } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { SharedIndexInformer } from '../informer/shared-index-informer.ts';
import type { Clock } from '../observe/clock.ts';

/** How often within the time limit the informers are looked at. */
const LOOKS = 8;

type Informer = Pick<SharedIndexInformer<KubernetesObject>, 'name' | 'state' | 'hasSynced'>;

export interface SyncWaitOptions {
  controller: string;
  informers: readonly Informer[];
  /** Resolves when all has synced. */
  synced: Promise<unknown>;
  timeoutMs: number;
  clock: Clock;
  signal: AbortSignal;
}

/**
 * Waits until a controller may start: true then, false when the signal aborts. Rejects when an informer has not synced in time. The time of
 * one whose kind the server does not know stands still: its definition may come later.
 */
export async function waitForSync(options: SyncWaitOptions): Promise<boolean> {
  const { synced, timeoutMs, clock, signal } = options;
  const looksOf = new Map<Informer, number>();
  let isSynced = false;
  const done = synced.then(() => {
    isSynced = true;
  });
  while (!isSynced && !signal.aborted) {
    const waiting = new AbortController();
    const stop = () => waiting.abort();
    signal.addEventListener('abort', stop, { once: true });
    const pause = clock.sleep(timeoutMs / LOOKS, waiting.signal).catch(() => {});
    try {
      await Promise.race([done, pause]);
    } finally {
      waiting.abort();
      signal.removeEventListener('abort', stop);
    }
    if (isSynced || signal.aborted) break;
    for (const informer of options.informers) {
      const isExcused = informer.hasSynced() || informer.state.phase === 'gone';
      looksOf.set(informer, isExcused ? 0 : (looksOf.get(informer) ?? 0) + 1);
    }
    if (options.informers.some((informer) => (looksOf.get(informer) ?? 0) >= LOOKS)) throw lateError(options);
  }
  return isSynced && !signal.aborted;
}

function lateError({ controller, informers, timeoutMs }: SyncWaitOptions): TidewatchError {
  const late = informers.filter((informer) => !informer.hasSynced());
  const reports = late.map(
    ({ name, state: { phase, lastError } }) => `${name} (${phase}${lastError ? `: ${lastError.message}` : ''})`,
  );
  return new TidewatchError(
    'timeout',
    `controller ${controller} cannot start: its caches did not sync within ${timeoutMs} ms: ${reports.join(', ')}. ` +
      'Give the account the rights that manager.rbac() lists, or raise syncTimeoutMs.',
  );
}
