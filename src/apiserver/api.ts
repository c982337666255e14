import type { Clock } from '../observe/clock.ts';
import type { Logger } from '../observe/logger.ts';
import type { Admission } from './admission/admission.ts';
import type { Kubelet } from './kubelet/kubelet.ts';
import type { RuleResolver } from './rbac/rule-resolver.ts';
import type { Access } from './request/access.ts';
import type { Identity } from './request/identity.ts';
import type { ServiceAccountTokens } from './request/service-account-tokens.ts';
import type { ResourceRegistry } from './storage/resource-registry.ts';
import type { Store } from './storage/storage.ts';
import type { WatchHub } from './storage/watch-hub.ts';

/** What the handlers of requests share. */
export interface Api {
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly watches: WatchHub;
  readonly access: Access;
  /** Set when access goes by roles and bindings. */
  readonly roles: RuleResolver | undefined;
  readonly serviceAccountTokens: ServiceAccountTokens;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly identity: Identity;
  readonly logger: Logger;
  readonly settings: ApiSettings;
  /** What runs the pods. Unset: nothing. */
  readonly kubelet?: Kubelet | undefined;
}

export interface ApiSettings {
  /** About how often a watch that asked for bookmarks gets one. */
  readonly bookmarkIntervalMs: number;
  /** How long a watch without timeoutSeconds lasts at least; at most twice that. */
  readonly minRequestTimeoutMs: number;
  /** How many events may wait for a slow watcher. */
  readonly watchQueueLimit: number;
  /** How long a read waits for a revision that has not been reached. */
  readonly freshnessTimeoutMs: number;
}
