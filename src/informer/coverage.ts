import { deferred } from '../api/promise-like.ts';
import { checkNamespace } from '../api/resource.ts';
import type { DiscoveredScope } from './discovered-scope.ts';

/** Which of an informer's objects one of its sources brings. May be settled only while the informer runs. */
export interface Coverage {
  /** The only namespace; undefined: all of them, and objects without one. */
  readonly namespace: string | undefined;
  /** Nothing: another source of the informer brings everything. */
  readonly isSpare: boolean;
  /** Settles when `isSpare` is known for good. Unset: it is false from the start. */
  readonly settled?: Promise<unknown>;
  covers(namespace: string): boolean;
  /** To be called when the source goes for good. */
  leave?(): void;
}

export function fixedCoverage(namespace: string | undefined): Coverage {
  return { namespace, isSpare: false, covers: (other) => namespace === undefined || namespace === other };
}

/**
 * Several namespaces of a type that may turn out to be cluster-scoped: then the source of the first brings everything, and the
 * others are spare. The first asks the server; when it goes before there is an answer, the next one is the first.
 */
export class DiscoveredNamespaces {
  readonly #scope: DiscoveredScope;
  /** In the order in which they came; each is told when it is the first. */
  readonly #waiting = new Map<string, () => void>();

  constructor(scope: DiscoveredScope) {
    this.#scope = scope;
  }

  coverageOf(namespace: string): Coverage {
    const scope = this.#scope;
    const first = deferred();
    const isAlone = this.#waiting.size === 0;
    this.#waiting.set(namespace, first.resolve);
    const isFirst = () => this.#first() === namespace;
    return {
      get namespace() {
        return scope.namespaced === false ? undefined : namespace;
      },
      get isSpare() {
        return scope.namespaced === false && !isFirst();
      },
      ...(!isAlone && { settled: Promise.race([scope.known, first.promise]) }),
      covers: (other) => {
        if (scope.namespaced === false) return isFirst();
        return other === namespace || (other === '' && scope.namespaced === undefined && isFirst());
      },
      leave: () => {
        this.#waiting.delete(namespace);
        const next = this.#first();
        if (next !== undefined) this.#waiting.get(next)?.();
      },
    };
  }

  #first(): string | undefined {
    return this.#waiting.keys().next().value;
  }
}

const LEAVE_OUT = 'leave namespace out for all namespaces';

/** Each namespace once; undefined: all. Throws a `TypeError` for an empty list, and for what cannot be a namespace. */
export function wantedNamespaces(namespace: string | readonly string[] | undefined): readonly string[] | undefined {
  if (namespace === undefined) return undefined;
  const wanted = Array.isArray(namespace) ? [...new Set<string>(namespace)] : [namespace as string];
  if (wanted.length === 0) throw new TypeError(`namespace is an empty list, which names no namespace: ${LEAVE_OUT}`);
  for (const one of wanted) {
    if (one === '') throw new TypeError(`namespace is "", which is not a namespace: ${LEAVE_OUT}`);
    checkNamespace(one);
  }
  return wanted;
}
