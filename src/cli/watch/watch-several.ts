import { ApiError } from '../../api/api-error.ts';
import { resourceName } from '../../api/resource.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { CliIo } from '../cli-io.ts';
import { safeText } from '../terminal/safe-text.ts';
import type { WatchRequest } from './watch-request.ts';

type WatchOne = (cluster: Cluster, request: WatchRequest, io: CliIo) => Promise<number>;

/**
 * What a command line with several resources asks for, one by one: `pods,deployments`, or a category such as `all`. Undefined when it
 * is a single resource.
 */
export async function severalRequests(cluster: Cluster, request: WatchRequest): Promise<WatchRequest[] | undefined> {
  const names = request.resource.split(',').filter((name) => name !== '');
  const expanded = await Promise.all(names.map((name) => namesOf(cluster, name)));
  const all = [...new Set(expanded.flat())];
  if (all.length === 0) throw new UsageError(`"${request.resource}" names no resource`);
  if (names.length === 1 && all.length === 1 && all[0] === names[0]) return undefined;
  if (request.output === 'wide') {
    throw new UsageError('-o wide shows one resource', 'With several, use the default, or -o events, json or name.');
  }
  const output = request.output === 'default' ? 'events' : request.output;
  return all.map((resource) => ({ ...request, resource, output, isOneOfSeveral: true }));
}

/** A resource as it is; a category as what is in it and can be watched. */
export async function namesOf(cluster: Cluster, name: string): Promise<string[]> {
  // A name that the cluster has is never taken for a category.
  if ((await cluster.discovery.find(name)) !== undefined) return [name];
  const members = (await cluster.discovery.preferredResources()).filter(
    ({ categories, verbs }) => categories.includes(name) && verbs.includes('list') && verbs.includes('watch'),
  );
  return members.length === 0 ? [name] : members.map((resource) => resourceName(resource));
}

/** All at once, until the user ends it. What is forbidden is left out, with a warning; without anything left it fails. */
export async function watchSeveral(
  cluster: Cluster,
  requests: readonly WatchRequest[],
  io: CliIo,
  watchOne: WatchOne,
): Promise<number> {
  const stop = new AbortController();
  const signal = AbortSignal.any([io.signal, stop.signal]);
  let forbidden = 0;
  const runs = requests.map((request) =>
    watchOne(cluster, request, { ...io, signal }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.kind !== 'forbidden') throw error;
      forbidden += 1;
      io.stderr.write(`warning: ${request.resource} is left out: ${safeText(error.message)}\n`);
      if (forbidden === requests.length) throw new CliError('none of these resources may be watched', { cause: error });
      return 0;
    }),
  );
  try {
    await Promise.all(runs);
    return 0;
  } finally {
    stop.abort();
    await Promise.allSettled(runs);
  }
}
