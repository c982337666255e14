export { ApiError, type ApiErrorContext } from './api/api-error.ts';
export { DeletedFinalStateUnknown } from './api/deleted-final-state-unknown.ts';
export type { FieldPath, FieldValue } from './api/field-path.ts';
export { type FieldRequirement, FieldSelector } from './api/field-selector.ts';
export {
  deletionHandlingKey,
  KeyError,
  type KeyFunction,
  metaNamespaceKey,
  objectKey,
  splitMetaNamespaceKey,
} from './api/key.ts';
export { LabelSelector, type LabelSelectorObject, type Labels } from './api/label-selector.ts';
export type { LabelOperator, LabelRequirement } from './api/label-selector-parser.ts';
export type { ListOptions, ResourceVersionMatch } from './api/list-options.ts';
export type {
  Answered,
  KubernetesList,
  KubernetesObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  PartialObjectMetadata,
  Stored,
  TypeMeta,
} from './api/metadata.ts';
export type { AppliedObject, JsonPatchOperation, MergePatch, StrategicMergePatch } from './api/patch.ts';
export type { Reachability } from './api/reachability.ts';
export {
  type AnsweredResource,
  apiVersionOf,
  defineResource,
  type GroupVersionKind,
  type GroupVersionResource,
  type ObjectOf,
  type PodResource,
  parseApiVersion,
  type Resource,
  type ResourceDefinition,
  resourceName,
} from './api/resource.ts';
export { compareResourceVersions } from './api/resource-version.ts';
export { SelectorError } from './api/selector-error.ts';
export type { Status, StatusCause, StatusDetails } from './api/status.ts';
export {
  type ApiErrorKind,
  type IndexErrorKind,
  type ReflectorErrorKind,
  TidewatchError,
  type TidewatchErrorKind,
  type TransportErrorKind,
} from './api/tidewatch-error.ts';
export { TransformError } from './api/transform-error.ts';
export type {
  RequestClock,
  Transport,
  TransportRequest,
  TransportResponse,
  UpgradeRequest,
  UpgradeResponse,
} from './api/transport.ts';
export { TransportError, type TransportErrorOptions } from './api/transport-error.ts';
export { type BookmarkObject, INITIAL_EVENTS_END, type WatchEvent } from './api/watch-event.ts';
export type { AllowedOptions } from './cluster/allowed-namespaces.ts';
export { type AnsweredClient, Client, type ClientOptions } from './cluster/client.ts';
export type { ClientNodeCluster, ClientNodeConfig, ClientNodeUser } from './cluster/client-node-config.ts';
export type {
  ApplyOptions,
  CallOptions,
  CreateOptions,
  DeleteCollectionOptions,
  DeleteOptions,
  GetOptions,
  ListCallOptions,
  PatchOptions,
  PatchType,
  StatusOptions,
  WaitUntilOptions,
  WriteOptions,
} from './cluster/client-options.ts';
export { Cluster, type ClusterClientOptions, type OverOptions } from './cluster/cluster.ts';
export type { ClusterOptions, ConnectOptions, SocketOptions } from './cluster/connect-options.ts';
export type { DiscoveredResource } from './cluster/discovered-resource.ts';
export { Discovery, type DiscoveryFailure, type DiscoveryOptions } from './cluster/discovery.ts';
export type { ChannelSource } from './cluster/pods/open-channels.ts';
export { PodClient, type PodClientOptions } from './cluster/pods/pod-client.ts';
export type {
  AttachOptions,
  ExecOptions,
  ExecResult,
  LogOptions,
  LogsOfOptions,
  OutputSink,
  PodLogLine,
  PortForward,
  PortForwardOptions,
} from './cluster/pods/pod-options.ts';
export { type RetryOnConflictOptions, retryOnConflict } from './cluster/retry-on-conflict.ts';
export { DecodeError, type DecodeErrorKind } from './codec/decode-error.ts';
export type { KeepOptions } from './codec/keep-options.ts';
export type { GroupAccessors } from './informer/accessors.ts';
export type { StopArgument } from './informer/argument-check.ts';
export {
  conditionTrue,
  crdEstablished,
  deleted,
  deploymentAvailable,
  jobComplete,
  podReady,
} from './informer/conditions.ts';
export { DerivedInformer, type SelectOptions } from './informer/derived-informer.ts';
export type { FactoryHealth, HealthOptions, InformerBehind } from './informer/factory-health.ts';
export { FactoryNamespaces } from './informer/factory-namespaces.ts';
export type { EventsOptions, IndexerReader, Informer, WaitOptions } from './informer/informer.ts';
export { type Controller, InformerController, type InformerControllerOptions } from './informer/informer-controller.ts';
export type { InformerSettings, SharedIndexInformerOptions } from './informer/informer-options.ts';
export type { ClusterConnection, ClusterOrigin, InformerOrigin, ListWatchOrigin } from './informer/informer-origin.ts';
export type { InformerState, MissingNamespace } from './informer/informer-state.ts';
export type { HandlerStatus, InformerMemory, InformerPartStatus } from './informer/informer-status.ts';
export { Lister, type ListerSource, type NamespaceLister } from './informer/lister.ts';
export { ResourceInformer } from './informer/resource-informer.ts';
export { ResourceMap } from './informer/resource-map.ts';
export type { ResourceOptions } from './informer/resource-options.ts';
export { SharedIndexInformer } from './informer/shared-index-informer.ts';
export {
  type InformerCluster,
  type NewInformer,
  SharedInformerFactory,
  type SharedInformerFactoryOptions,
} from './informer/shared-informer-factory.ts';
export type { StatesOptions } from './informer/state-stream.ts';
export type { Transform } from './informer/transform.ts';
export { type CacheSync, waitForCacheSync } from './informer/wait-for-cache-sync.ts';
export type { ExecPolicy } from './login/exec-policy.ts';
export type { Impersonation } from './login/impersonation.ts';
export { KubeconfigError } from './login/kubeconfig.ts';
export type { KubeconfigContent } from './login/kubeconfig-loader.ts';
export type {
  ChannelValues,
  FramesValue,
  HandlerValue,
  ListValue,
  OfPart,
  QueueValue,
  RequestValue,
  RunValue,
  Stage,
  StoreValue,
  WatchValue,
} from './observe/channels.ts';
export { type Clock, systemClock, type Timer, type TimerOptions } from './observe/clock.ts';
export { type Logger, type LogLevel, leveled, silentLogger } from './observe/logger.ts';
export type { Counter, Gauge, Histogram, MetricDefinition, MetricLabels, Metrics, Series } from './observe/metrics.ts';
export type { Random } from './observe/random.ts';
export type { Scheduler } from './observe/scheduler.ts';
export type {
  Delivery,
  HandlerOptions,
  HandlerRegistration,
  ResourceEvent,
  ResourceEventHandler,
} from './processor/processor.ts';
export { DeltaFIFO, type DeltaFIFOOptions } from './queue/delta-fifo.ts';
export { InOrderQueue } from './queue/in-order-queue.ts';
export {
  type Delta,
  type Deltas,
  type DeltaType,
  type KnownObjects,
  type ProcessDeltas,
  type Queue,
  QueueClosedError,
  type QueueOptions,
} from './queue/queue.ts';
export type { QueueConsumerOptions } from './queue/queue-consumer.ts';
export type { BackoffOptions } from './reflector/backoff.ts';
export {
  ListWatch,
  type ListWatchCluster,
  type ListWatchOptions,
  type ListWatchScope,
} from './reflector/list-watch.ts';
export type { CallContext, ListerWatcher } from './reflector/lister-watcher.ts';
export { Reflector } from './reflector/reflector.ts';
export { ReflectorError, type ReflectorErrorOptions } from './reflector/reflector-error.ts';
export type {
  ReflectorOptions,
  ReflectorSetup,
  ReflectorTarget,
  WatchErrorContext,
  WatchErrorHandler,
} from './reflector/reflector-options.ts';
export type { LeftOut, ReflectorPhase, ReflectorState } from './reflector/reflector-state.ts';
export type { SnapshotOptions } from './snapshot/snapshot.ts';
export {
  type IndexDefinition,
  type Indexers,
  type IndexFunction,
  metaNamespaceIndex,
  NAMESPACE_INDEX,
} from './store/index-definition.ts';
export { IndexError } from './store/index-error.ts';
export { Indexer, type IndexerOptions } from './store/indexer.ts';
export { type Mutation, MutationDetector, type MutationDetectorOptions } from './store/mutation-detector.ts';
export type { ProjectedRow, ProjectionOptions } from './store/projection.ts';
export { Store, type StoreOptions } from './store/store.ts';
export { ThreadSafeStore } from './store/thread-safe-store.ts';
