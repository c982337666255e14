import { setMaxListeners } from 'node:events';
import type { KubernetesObject } from '../api/metadata.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import type { Informer, WaitOptions } from './informer.ts';

/**
 * Waits until all of these informers have synced: true then, false when `signal` aborts or one of them stops before.
 * After `timeoutMs` it rejects, naming each that has not, its state and its last error. client-go's `cache.WaitForCacheSync`.
 */
export async function waitForCacheSync(
  informers: readonly Pick<Informer<KubernetesObject>, 'name' | 'state' | 'hasSynced' | 'waitForSync'>[],
  { timeoutMs, signal, clock = systemClock }: WaitOptions & { clock?: Clock } = {},
): Promise<boolean> {
  const giveUp = new AbortController();
  const stop = signal ? AbortSignal.any([signal, giveUp.signal]) : giveUp.signal;
  setMaxListeners(0, stop);
  const timer = timeoutMs === undefined ? undefined : clock.setTimeout(() => giveUp.abort(), timeoutMs);
  try {
    const synced = await Promise.all(informers.map((informer) => informer.waitForSync({ signal: stop })));
    if (synced.every(Boolean)) return true;
    if (!giveUp.signal.aborted) return false;
  } finally {
    timer?.clear();
  }
  const late = informers.filter((informer) => !informer.hasSynced());
  const reports = late.map(
    ({ name, state: { phase, lastError } }) => `${name} (${phase}${lastError ? `: ${lastError.message}` : ''})`,
  );
  throw new TidewatchError(
    'timeout',
    `${late.length} of ${informers.length} caches did not sync within ${timeoutMs} ms: ${reports.join(', ')}`,
  );
}
