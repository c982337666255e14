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
import { type ReflectorSetup, SETUP_CHECKS } from '../reflector/reflector-options.ts';
import type { Indexers } from '../store/index-definition.ts';
import { mustBeCluster } from './argument-check.ts';
import type { Informer } from './informer.ts';
import type { ClusterOrigin, InformerOrigin, ListWatchOrigin } from './informer-origin.ts';
import type { InformerState } from './informer-state.ts';
import type { Transform } from './transform.ts';

/** What does not depend on where the objects come from. */
export interface InformerSettings<T extends KubernetesObject>
  extends Omit<ReflectorSetup, 'name' | 'resyncMs' | 'shouldResync' | 'confirmGone' | 'onState'> {
  /** Used in messages. Default: the name of the resource. */
  name?: string | undefined;
  /** `delta`: what is queued is merged by object. `inOrder`: every change on its own, in the order of the server. Default `delta`. */
  queue?: 'delta' | 'inOrder' | undefined;
  /** For handlers that do not ask for a period of their own. 0 or unset: no resync. client-go: defaultEventHandlerResyncPeriod. */
  resyncMs?: number | undefined;
  /** By name: how objects are found by something else than their key. Default: none. */
  indexers?: Indexers<T> | undefined;
  /** Changes every object before it is stored. An object on which it throws or returns a promise is left out. client-go: SetTransform. */
  transform?: Transform<T> | undefined;
  /**
   * Report, as an error in the log, when a reader changes an object that others read too. In a plain store that is every
   * object; in a packed one, whose readers have objects of their own, the objects of an event, which its handlers share. For
   * tests and debugging: it decodes every object, and keeps a copy. Default false. client-go: KUBE_CACHE_MUTATION_DETECTOR.
   */
  detectMutations?: boolean | undefined;
  /**
   * Called with each new `state`, as `states()` gives them, and with the informer. What it throws is logged, and changes nothing.
   */
  onState?: ((state: InformerState, informer: Informer<KubernetesObject>) => void) | undefined;
}

/** Options of `SharedIndexInformer`: where the objects come from, and how they are kept. */
export type SharedIndexInformerOptions<T extends KubernetesObject> = InformerOrigin<T> & InformerSettings<T>;

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
