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
}

export function fixedCoverage(namespace: string | undefined): Coverage {
  return { namespace, isSpare: false, covers: (other) => namespace === undefined || namespace === other };
}

/**
 * Of one of several namespaces, of a type that may turn out to be cluster-scoped: then the source of the first brings
 * everything, and the others are spare.
 */
export function discoveredCoverage(scope: DiscoveredScope, namespace: string, isFirst: boolean): Coverage {
  return {
    get namespace() {
      return scope.namespaced === false ? undefined : namespace;
    },
    get isSpare() {
      return !isFirst && scope.namespaced === false;
    },
    ...(!isFirst && { settled: scope.known }),
    covers: (other) => {
      if (scope.namespaced === false) return isFirst;
      return other === namespace || (other === '' && isFirst && scope.namespaced === undefined);
    },
  };
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
