import type { KubernetesObject } from '../api/metadata.ts';
import {
  aClock,
  aFunction,
  aLogger,
  aMeter,
  aNumber,
  anObject,
  anything,
  aText,
  checkedOptions,
  type OptionChecks,
  optionsOf,
} from '../api/option-check.ts';
import type { ReconcileOptions, TriggerOptions } from './controller.ts';
import { ELECTION_CHECKS } from './election-options.ts';
import type { ManagerOptions } from './manager-options.ts';
import { SHARDING_CHECKS } from './sharding-options.ts';

const HEALTH: OptionChecks<NonNullable<ManagerOptions['health']>> = { port: anything, host: aText, metrics: aFunction };

/** Values of what a factory, a health server or an elector takes are checked there. */
export const MANAGER_CHECKS: OptionChecks<ManagerOptions> = {
  namespace: anything,
  factory: anObject,
  resources: anything,
  resyncMs: aNumber,
  logger: aLogger,
  clock: aClock,
  metrics: aMeter,
  random: aFunction,
  health: optionsOf(HEALTH),
  gracefulStopMs: aNumber,
  leaderElection: optionsOf(ELECTION_CHECKS),
  sharding: optionsOf(SHARDING_CHECKS),
  gate: anObject,
};

const TRIGGER: OptionChecks<TriggerOptions<KubernetesObject>> = { when: aFunction };

/** Their values are checked by `checkedOptions` of reconcile-options.ts. */
const RECONCILE: OptionChecks<ReconcileOptions> = {
  concurrency: anything,
  timeoutMs: anything,
  stuckMs: anything,
  debounceMs: anything,
  syncTimeoutMs: anything,
};

/** Throws a `TypeError` for an option that there is not, and for a value that will not do. */
export function checkManagerOptions(options: ManagerOptions): void {
  checkedOptions('new Manager', options, MANAGER_CHECKS);
}

export function checkTriggerOptions<T extends KubernetesObject>(where: string, options: TriggerOptions<T>): void {
  checkedOptions(where, options as unknown as TriggerOptions<KubernetesObject>, TRIGGER);
}

export function checkReconcileOptions(where: string, options: ReconcileOptions): void {
  checkedOptions(where, options, RECONCILE);
}
