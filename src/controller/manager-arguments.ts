import type { KubernetesObject } from '../api/metadata.ts';
import { aFunction, aNumber, anObject, anything, checkedOptions, type OptionChecks } from '../api/option-check.ts';
import type { ReconcileOptions, TriggerOptions } from './controller.ts';
import type { ManagerOptions } from './manager-options.ts';

/** What a factory, a health server or an elector takes is checked there. */
const MANAGER: OptionChecks<ManagerOptions> = {
  namespace: anything,
  factory: anObject,
  resources: anything,
  resyncMs: aNumber,
  logger: anObject,
  clock: anObject,
  metrics: anObject,
  random: aFunction,
  health: anObject,
  gracefulStopMs: aNumber,
  leaderElection: anObject,
  sharding: anObject,
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
  checkedOptions('new Manager', options, MANAGER);
}

export function checkTriggerOptions<T extends KubernetesObject>(where: string, options: TriggerOptions<T>): void {
  checkedOptions(where, options as unknown as TriggerOptions<KubernetesObject>, TRIGGER);
}

export function checkReconcileOptions(where: string, options: ReconcileOptions): void {
  checkedOptions(where, options, RECONCILE);
}
