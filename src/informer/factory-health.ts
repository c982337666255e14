import { anything, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import type { Resource } from '../api/resource.ts';
import type { ReflectorPhase } from '../reflector/reflector-state.ts';
import type { FactoryEntry } from './factory-entries.ts';

/** Options of `factory.health`. */
export interface HealthOptions {
  /**
   * For how long an informer may be without an open watch before it is reported. Default 300,000: longer than an API server takes
   * to restart, so that a restart does not make every program of the cluster unready at once.
   */
  maxOutageMs?: number | undefined;
}

/** An informer that cannot be relied on at present. */
export interface InformerBehind {
  readonly name: string;
  readonly resource: Resource;
  readonly phase: ReflectorPhase;
  /** As in its `state`; absent when its watch is open and the first list is still on its way into the store. */
  readonly behindSince?: number;
  readonly lastError?: Error;
}

/** The answer of `factory.health`. */
export interface FactoryHealth {
  /** Whether nobody is behind. */
  readonly ok: boolean;
  /** The informers that run and have not synced, or have been without an open watch for longer than `maxOutageMs`. */
  readonly behind: readonly InformerBehind[];
}

/** A wrong value has a message of its own. */
const HEALTH_CHECKS: OptionChecks<HealthOptions> = { maxOutageMs: anything };

const DEFAULT_MAX_OUTAGE_MS = 5 * 60_000;

/** Informers that have not been started, and those that have stopped, do not count. */
export function healthOf(informers: Iterable<FactoryEntry>, nowMs: number, given: HealthOptions): FactoryHealth {
  const { maxOutageMs = DEFAULT_MAX_OUTAGE_MS } = checkedOptions<HealthOptions>('health', given, HEALTH_CHECKS);
  if (!(maxOutageMs >= 0)) throw new TypeError(`maxOutageMs must be a number of milliseconds, not ${maxOutageMs}`);
  const behind: InformerBehind[] = [];
  for (const { resource, informer } of informers) {
    if (informer === undefined || informer.isStopped()) continue;
    const { phase, behindSince, lastError } = informer.state;
    if (phase === 'idle') continue;
    const isLate = behindSince !== undefined && nowMs - behindSince > maxOutageMs;
    if (informer.hasSynced() && !isLate) continue;
    behind.push({
      name: informer.name,
      resource,
      phase,
      ...(behindSince !== undefined && { behindSince }),
      ...(lastError !== undefined && { lastError }),
    });
  }
  return { ok: behind.length === 0, behind };
}
