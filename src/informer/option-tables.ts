import type { HandlerOptions } from '../processor/processor.ts';
import type { SelectOptions } from './derived-informer.ts';
import type { HealthOptions } from './factory-health.ts';
import type { EventsOptions, WaitOptions } from './informer.ts';
import type { ClusterOrigin, ListWatchOrigin } from './informer-origin.ts';
import type { InformerSettings } from './informer-settings.ts';
import {
  aBoolean,
  aFunction,
  aNumber,
  anObject,
  anything,
  aSignal,
  aText,
  type OptionChecks,
  oneOf,
  paths,
  type ValueCheck,
} from './option-check.ts';
import type { ResourceOptions } from './resource-options.ts';
import type { SharedInformerFactoryOptions } from './shared-informer-factory.ts';

// biome-ignore lint/suspicious/noExplicitAny: the keys alone matter
type Any = any;

const aSelector: ValueCheck = (value) =>
  typeof value === 'string' || typeof (value as { matches?: unknown } | null)?.matches === 'function'
    ? undefined
    : 'a selector, such as "app=web"';
const byResource: ValueCheck = (value) =>
  typeof value === 'object' && value !== null && Symbol.iterator in value
    ? undefined
    : 'a Map, or a list of [resource, number of milliseconds]';

const KEEPING = {
  store: oneOf('packed', 'plain'),
  encoding: oneOf('protobuf', 'json'),
  managedFields: oneOf('keep', 'drop'),
  drop: paths,
  keep: paths,
  maxObjectBytes: aNumber,
};

const SETTINGS: OptionChecks<InformerSettings<Any>> = {
  name: aText,
  queue: oneOf('delta', 'inOrder'),
  resyncMs: aNumber,
  indexers: anObject,
  transform: aFunction,
  detectMutations: aBoolean,
  onState: aFunction,
  clock: anObject,
  random: aFunction,
  logger: anything,
  metrics: anything,
  pageSize: aNumber,
  watchList: aBoolean,
  watchErrorHandler: aFunction,
  goneCheckMs: aNumber,
  minWatchTimeoutMs: aNumber,
  backoff: anObject,
  watchListBookmarkTimeoutMs: aNumber,
  silenceTimeoutMs: aNumber,
  slowListMs: aNumber,
  maxInternalErrorRetryMs: aNumber,
  reachability: anObject,
};

/** `namespace` has a check of its own: see `wantedNamespaces`. */
export const INFORMER_CHECKS: OptionChecks<ClusterOrigin<Any> & ListWatchOrigin<Any> & InformerSettings<Any>> = {
  ...SETTINGS,
  ...KEEPING,
  cluster: anything,
  listWatch: anything,
  resource: anything,
  namespace: anything,
  tweakListOptions: aFunction,
  metadataOnly: aBoolean,
  onForbidden: oneOf('wait', 'skip'),
  namespaces: anything,
  presence: anything,
  strings: anything,
  discoverScope: aBoolean,
  ofAnyKind: aBoolean,
};

const { name: _, indexers: __, ...SHARED_SETTINGS } = SETTINGS;

export const FACTORY_CHECKS: OptionChecks<SharedInformerFactoryOptions> = {
  ...SHARED_SETTINGS,
  ...KEEPING,
  namespace: anything,
  customResyncMs: byResource,
  tweakListOptions: aFunction,
  onForbidden: oneOf('wait', 'skip'),
};

export const RESOURCE_CHECKS: OptionChecks<ResourceOptions<Any>> = {
  ...KEEPING,
  labelSelector: aSelector,
  fieldSelector: aSelector,
  namespace: anything,
  resyncMs: aNumber,
  transform: aFunction,
  onForbidden: oneOf('wait', 'skip'),
};

export const HANDLER_CHECKS: OptionChecks<HandlerOptions<Any>> = {
  name: aText,
  resyncMs: aNumber,
  filter: aFunction,
  delivery: oneOf('all', 'latest'),
};

export const EVENTS_CHECKS: OptionChecks<EventsOptions<Any>> = { ...HANDLER_CHECKS, signal: aSignal };
export const WAIT_CHECKS: OptionChecks<WaitOptions> = { signal: aSignal, timeoutMs: aNumber };
/** `healthOf` says more of a wrong value. */
export const HEALTH_CHECKS: OptionChecks<HealthOptions> = { maxOutageMs: anything };
export const SELECT_CHECKS: OptionChecks<SelectOptions> = {
  labelSelector: aSelector,
  fieldSelector: aSelector,
  namespace: anything,
};
