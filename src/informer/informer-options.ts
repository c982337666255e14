import {
  aBoolean,
  aFunction,
  aNumber,
  anObject,
  anything,
  aText,
  type OptionChecks,
  oneOf,
  paths,
} from '../api/option-check.ts';
import type { KeepOptions } from '../codec/keep-options.ts';
import type { ClusterOrigin, ListWatchOrigin } from './informer-origin.ts';
import type { InformerSettings } from './informer-settings.ts';

// biome-ignore lint/suspicious/noExplicitAny: the keys alone matter
type Any = any;

export const KEEP_CHECKS: OptionChecks<KeepOptions> = {
  store: oneOf('packed', 'shared', 'plain'),
  encoding: oneOf('protobuf', 'json'),
  managedFields: oneOf('keep', 'drop'),
  drop: paths,
  keep: paths,
  maxObjectBytes: aNumber,
};

export const onForbidden = oneOf('wait', 'skip');

export const SETTING_CHECKS: OptionChecks<InformerSettings<Any>> = {
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
  ...SETTING_CHECKS,
  ...KEEP_CHECKS,
  cluster: anything,
  listWatch: anything,
  resource: anything,
  namespace: anything,
  tweakListOptions: aFunction,
  metadataOnly: aBoolean,
  onForbidden,
  namespaces: anything,
  presence: anything,
  strings: anything,
  snapshots: anything,
  discoverScope: aBoolean,
  ofAnyKind: aBoolean,
};
