import { setMaxListeners } from 'node:events';
import type { KubernetesObject } from '../api/metadata.ts';
import { anObject, checkedOptions, type OptionChecks, shown } from '../api/option-check.ts';
import { isPromise } from '../api/promise-like.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import { type Clock, systemClock } from '../observe/clock.ts';
import { WAIT_CHECKS } from './call-options.ts';
import type { Informer, WaitOptions } from './informer.ts';

/** What can be waited for: an informer, or a function that says whether something has synced. client-go's `InformerSynced`. */
export type CacheSync =
  | Pick<Informer<KubernetesObject>, 'name' | 'state' | 'hasSynced' | 'waitForSync'>
  | (() => boolean);

/** client-go's syncedPollPeriod. */
const POLL_MS = 100;

type SyncOptions = WaitOptions & { clock?: Clock | undefined };
const CHECKS: OptionChecks<SyncOptions> = { ...WAIT_CHECKS, clock: anObject };

/**
 * Waits until all of these informers have synced: true then, false when `signal` aborts or one of them stops before.
 * After `timeoutMs` it rejects, naming each that has not, its state and its last error. A function is asked every 100 ms, for instance
 * `() => registration.hasSynced()`; what it throws, this rejects with. client-go's `cache.WaitForCacheSync`.
 */
export async function waitForCacheSync(
  informers: readonly CacheSync[],
  options: WaitOptions & {
    /** Times the waits. Default: the system clock. */
    clock?: Clock | undefined;
  } = {},
): Promise<boolean> {
  const { timeoutMs, signal, clock = systemClock } = checkedOptions<SyncOptions>('waitForCacheSync', options, CHECKS);
  if (!Array.isArray(informers)) throw new TypeError(`waitForCacheSync takes a list, and got ${shown(informers)}`);
  informers.forEach(mustBeWaitable);
  const giveUp = new AbortController();
  const end = new AbortController();
  const stop = AbortSignal.any([giveUp.signal, end.signal, ...(signal ? [signal] : [])]);
  setMaxListeners(0, stop);
  const timer = timeoutMs === undefined ? undefined : clock.setTimeout(() => giveUp.abort(), timeoutMs);
  try {
    const synced = await Promise.all(
      informers.map((informer) =>
        typeof informer === 'function' ? polled(informer, stop, clock) : informer.waitForSync({ signal: stop }),
      ),
    );
    if (synced.every(Boolean)) return true;
    if (!giveUp.signal.aborted) return false;
  } finally {
    timer?.clear();
    end.abort();
  }
  const late = informers.filter((informer) => !(typeof informer === 'function' ? informer() : informer.hasSynced()));
  throw new TidewatchError(
    'timeout',
    `${late.length} of ${informers.length} caches did not sync within ${timeoutMs} ms: ${late.map(describe).join(', ')}`,
  );
}

function describe(late: CacheSync): string {
  if (typeof late === 'function') return `the function ${late.name || 'without a name'} (false)`;
  const { phase, lastError } = late.state;
  return `${late.name} (${phase}${lastError ? `: ${lastError.message}` : ''})`;
}

async function polled(hasSynced: () => boolean, stop: AbortSignal, clock: Clock): Promise<boolean> {
  for (;;) {
    const answer: unknown = hasSynced();
    if (isPromise(answer)) {
      throw new TypeError(
        'waitForCacheSync: a function returned a promise; it must answer at once, with true or false',
      );
    }
    if (answer) return true;
    try {
      await clock.sleep(POLL_MS, stop);
    } catch {
      return false;
    }
  }
}

function mustBeWaitable(given: unknown): void {
  if (typeof given === 'function') return;
  if (typeof (given as { waitForSync?: unknown } | null | undefined)?.waitForSync === 'function') return;
  throw new TypeError(
    `waitForCacheSync takes informers and functions, and got ${shown(given)}: pass factory.for(resource).informer()`,
  );
}
