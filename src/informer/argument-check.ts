import { aSignal, checkedOptions, isSignal, shown } from '../api/option-check.ts';
import { isPromise } from '../api/promise-like.ts';
import type { ClusterConnection } from './informer-origin.ts';

/** When what is started ends: a signal, or an object that holds one. */
export type StopArgument =
  | AbortSignal
  | {
      /** Ends it. Default: only `stop` or `shutdown` does. */
      signal?: AbortSignal | undefined;
    };

export function signalOf(where: string, stop: StopArgument | undefined): AbortSignal | undefined {
  if (isSignal(stop)) return stop;
  checkedOptions<{ signal?: AbortSignal | undefined }>(where, stop, { signal: aSignal });
  // Not what was checked: an AbortController fits, too, and has its signal elsewhere.
  return stop?.signal;
}

/** Throws a `TypeError` that says what it got instead. */
export function mustBeFunction(where: string, given: unknown): void {
  if (typeof given !== 'function') throw new TypeError(`${where} needs a function, and got ${shown(given)}`);
}

const CONNECT = 'pass what `await Cluster.connect()` gives';

/** Throws a `TypeError` that says what is wanted. */
export function mustBeCluster(where: string, cluster: ClusterConnection): void {
  const given: unknown = cluster;
  if (typeof given === 'object' && given !== null) {
    const { transport, getCurrentCluster } = given as { transport?: unknown; getCurrentCluster?: unknown };
    if (typeof (transport as { request?: unknown } | undefined)?.request === 'function') return;
    if (isPromise(given)) throw new TypeError(`${where} got a promise in place of a cluster: await Cluster.connect()`);
    if (typeof getCurrentCluster === 'function') {
      throw new TypeError(`${where} got a KubeConfig in place of a cluster: pass Cluster.from(kubeConfig)`);
    }
  }
  const what = given === undefined ? 'nothing' : shown(given);
  throw new TypeError(`${where} needs a cluster, and got ${what}: ${CONNECT}`);
}
