/**
 * Controllers: reconcile loops on shared caches, which never work on a cache older than their own writes.
 *
 * @packageDocumentation
 */
export type {
  Cause,
  MapToKeys,
  Predicate,
  Reconcile,
  ReconcileContext,
  ReconcileOptions,
  ReconcileResult,
  RecordedEvent,
  Recorder,
} from './controller.ts';
export type { Controller, ControllerBuilder, TriggerOptions } from './controller-builder.ts';
export type { Verb } from './controller-definition.ts';
export type { Check, PolicyRule } from './controller-helpers.ts';
export { Manager } from './manager.ts';
export type { CacheOptions, HealthServerOptions, ManagerOptions } from './manager-options.ts';
export { and, annotationsChanged, generationChanged, labelsChanged, not, or } from './predicates.ts';
export { TerminalError } from './terminal-error.ts';
