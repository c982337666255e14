import { checkedOptions } from '../api/option-check.ts';
import { checkNamespace } from '../api/resource.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { Clock } from '../observe/clock.ts';
import { WAIT_CHECKS } from './call-options.ts';
import { wantedNamespaces } from './coverage.ts';
import type { WaitOptions } from './informer.ts';
import { waitFirst } from './wait.ts';

/** An informer whose namespaces are those of its factory. */
export interface NamespaceFollower {
  readonly name: string;
  readonly namespaces: {
    add(namespace: string): Promise<boolean>;
    remove(namespace: string): Promise<boolean>;
  };
}

export interface FactoryNamespacesOptions {
  /** Undefined: all namespaces. */
  namespace: string | readonly string[] | undefined;
  followers: () => readonly NamespaceFollower[];
  /** Aborts when the factory is shut down. */
  stopping: AbortSignal;
  clock: Clock;
}

/**
 * The namespaces that the informers of a factory watch: `factory.namespaces`. They come and go while the rest runs. An informer that was
 * asked for with a `namespace` of its own, and one of a cluster-scoped resource, does not follow.
 */
export class FactoryNamespaces {
  readonly #options: FactoryNamespacesOptions;
  /** Undefined: all. */
  readonly #current: Set<string> | undefined;

  /** @internal */
  constructor(options: FactoryNamespacesOptions) {
    const wanted = wantedNamespaces(options.namespace);
    this.#options = options;
    this.#current = wanted && new Set(wanted);
  }

  /** Those that are watched now, or undefined for all of them. */
  list(): readonly string[] | undefined {
    return this.#current && [...this.#current];
  }

  /** Whether it is watched, as every one is in a factory of all namespaces. */
  has(namespace: string): boolean {
    return this.#current?.has(namespace) ?? true;
  }

  /**
   * Watches one more. Resolves with true when every informer that runs has its objects; handlers hear of them as adds. `hasSynced` stays
   * what it is. For a namespace that is there already it waits in the same way. Resolves with false when the namespace is removed or the
   * informers stop before, or when it is forbidden and `onForbidden` is `skip`. Rejects when `timeoutMs` passes or `signal` aborts: the
   * namespace stays; with a `TypeError` in a factory of all namespaces, and for what cannot be a namespace.
   */
  async add(namespace: string, given: WaitOptions = {}): Promise<boolean> {
    const options = checkedOptions<WaitOptions>('namespaces.add', given, WAIT_CHECKS);
    const current = this.#mustBeSome('add');
    checkNamespace(namespace);
    const { followers, stopping, clock } = this.#options;
    current.add(namespace);
    const joining = Promise.all(followers().map((informer) => informer.namespaces.add(namespace)));
    const outcome = await waitFirst(joining, stopping, options, clock);
    if (outcome === 'aborted') throw options.signal?.reason;
    if (outcome === 'timeout') {
      const what = `namespace ${namespace} was not in every cache within ${options.timeoutMs} ms`;
      throw new TidewatchError('timeout', what);
    }
    return outcome === 'done' && (await joining).every(Boolean);
  }

  /**
   * Watches one less: its watch ends, and handlers hear of its objects as deletes whose final state is unknown. Resolves with true when
   * all of them have left the caches; with false when the namespace was not there, or the informers stopped before. Rejects with a
   * `TypeError` in a factory of all namespaces.
   */
  async remove(namespace: string): Promise<boolean> {
    const current = this.#mustBeSome('remove');
    const wasThere = current.delete(namespace);
    const left = await Promise.all(this.#options.followers().map((informer) => informer.namespaces.remove(namespace)));
    return wasThere && left.every(Boolean);
  }

  #mustBeSome(method: string): Set<string> {
    if (this.#current !== undefined) return this.#current;
    throw new TypeError(
      `namespaces.${method}: this factory watches all namespaces. Make it with { namespace: ['…'] } for namespaces that come and go`,
    );
  }
}
