/**
 * Controllers: reconcile loops on shared caches, which never work on a cache older than their own writes.
 *
 * @packageDocumentation
 */

export type { QueueStatus } from '../workqueue/queue-status.ts';
export {
  type Condition,
  type ConditionFields,
  type ConditionsResult,
  type NewCondition,
  setCondition,
} from './conditions.ts';
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
  TriggerOptions,
} from './controller.ts';
export type { Controller, ControllerBuilder } from './controller-builder.ts';
export type { Verb } from './controller-definition.ts';
export type { LeaderElectorOptions } from './election-options.ts';
export { EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
export { fencedTransport } from './fenced-transport.ts';
export { type Cleanup, type CleanupContext, withFinalizer } from './finalizer.ts';
export { type Check, HealthServer, type HealthServerOptions } from './health-server.ts';
export { LeaderElector, type LeaderElectorRunOptions } from './leader-elector.ts';
export type { Fence } from './leadership.ts';
export { Manager } from './manager.ts';
export type { CacheOptions, ManagerOptions } from './manager-options.ts';
export type {
  ControllerCounts,
  ControllerStatus,
  ElectionStatus,
  FailingKey,
  LeaderStatus,
  ManagerStatus,
  RunStatus,
  ShardStatus,
} from './manager-status.ts';
export { controllerOf, setControllerReference } from './owner-reference.ts';
export { and, annotationsChanged, generationChanged, labelsChanged, not, or } from './predicates.ts';
export { type PolicyRule, type RbacDeclaration, type RbacRole, type RbacUses, rbacRoles, rbacRules } from './rbac.ts';
export type { ShardBy } from './shard-map.ts';
export type { ShardingOptions } from './sharding-options.ts';
export { TerminalError } from './terminal-error.ts';
