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
