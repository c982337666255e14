import type { KubernetesObject } from '../api/metadata.ts';
import {
  aBoolean,
  aFunction,
  aNumber,
  anObject,
  anything,
  checkedOptions,
  type OptionChecks,
  oneOf,
  paths,
} from '../api/option-check.ts';
import { mustBeResource } from '../api/resource-check.ts';
import type { KeepOptions } from '../codec/keep-options.ts';
import { SETUP_CHECKS } from '../reflector/reflector-options.ts';
import { mustBeCluster } from './argument-check.ts';
import type { ClusterOrigin, ListWatchOrigin } from './informer-origin.ts';
import type { InformerSettings, SharedIndexInformerOptions } from './informer-settings.ts';

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

const { shouldResync: _, confirmGone: __, ...OF_REFLECTOR } = SETUP_CHECKS;

export const SETTING_CHECKS: OptionChecks<InformerSettings<Any>> = {
  ...OF_REFLECTOR,
  queue: oneOf('delta', 'inOrder'),
  indexers: anObject,
  transform: aFunction,
  detectMutations: aBoolean,
};

/** `namespace` has a check of its own: see `wantedNamespaces`. */
const INFORMER_CHECKS: OptionChecks<ClusterOrigin<Any> & ListWatchOrigin<Any> & InformerSettings<Any>> = {
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

/** The options that are set. Throws a `TypeError` for those that will not do, and where nothing says what the objects are. */
export function informerOptions<T extends KubernetesObject>(
  given: SharedIndexInformerOptions<T>,
): SharedIndexInformerOptions<T> {
  const options = checkedOptions<object>('SharedIndexInformer', given, INFORMER_CHECKS);
  if ('listWatch' in options) return options as SharedIndexInformerOptions<T>;
  const { cluster, resource } = options as ClusterOrigin<T>;
  mustBeCluster('new SharedIndexInformer', cluster);
  mustBeResource('new SharedIndexInformer', resource);
  return options as SharedIndexInformerOptions<T>;
}
