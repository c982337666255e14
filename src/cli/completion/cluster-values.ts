import { resolve } from 'node:path';
import type { Cluster } from '../../cluster/cluster.ts';
import { namespaces } from '../../generated/api/core/v1.ts';
import { loadKubeconfig } from '../../login/kubeconfig-loader.ts';
import { silentLogger } from '../../observe/logger.ts';
import type { CliIo } from '../cli-io.ts';
import type { FlagValues } from '../command.ts';
import { connect } from '../connection-flags.ts';
import type { DynamicValues } from './candidates.ts';

/** Nobody waits longer than this for a completion. */
const PATIENCE_MS = 2_000;
const MAX_NAMES = 500;

/** Asks the cluster that the line so far means. What cannot be found out is left out. */
export function clusterValues(io: CliIo): DynamicValues {
  const ask = async (
    flags: FlagValues,
    question: (cluster: Cluster, signal: AbortSignal) => Promise<string[]>,
  ): Promise<string[]> => {
    const late = new AbortController();
    const timer = io.clock.setTimeout(() => late.abort(), PATIENCE_MS);
    const signal = AbortSignal.any([io.signal, late.signal]);
    let cluster: Cluster | undefined;
    try {
      cluster = await connect({ flags, positionals: [], io }, { logger: silentLogger, connectTimeoutMs: PATIENCE_MS });
      const given = question(cluster, signal);
      const none = new Promise<string[]>((answer) =>
        signal.addEventListener('abort', () => answer([]), { once: true }),
      );
      return await Promise.race([given, none]);
    } catch {
      return [];
    } finally {
      timer.clear();
      await cluster?.close();
    }
  };
  return {
    async contexts(flags) {
      const file = flags.text('kubeconfig');
      const config = await loadKubeconfig({
        env: io.env,
        ...(file !== undefined && { paths: [resolve(io.cwd, file)] }),
      });
      return [...config.contexts.keys()].sort();
    },
    namespaces: (flags) =>
      ask(flags, async (cluster, signal) =>
        namesOf(await cluster.client(namespaces).list({ limit: MAX_NAMES, signal })),
      ),
    resources: (flags) =>
      ask(flags, async (cluster) => {
        const found = await cluster.discovery.preferredResources();
        const seen = new Set<string>();
        return found
          .filter(({ verbs }) => verbs.includes('list') && verbs.includes('watch'))
          .map(({ plural, group }) => {
            const taken = seen.has(plural);
            seen.add(plural);
            return taken ? `${plural}.${group}` : plural;
          })
          .sort();
      }),
    names: (resource, flags) =>
      ask(flags, async (cluster, signal) => {
        const found = await cluster.discovery.find(resource);
        if (found === undefined) return [];
        const namespace = flags.text('namespace') ?? cluster.namespace;
        const everywhere = !found.namespaced || flags.on('all-namespaces');
        const list = cluster.client(found).list({ limit: MAX_NAMES, signal, ...(!everywhere && { namespace }) });
        return namesOf(await list);
      }),
  };
}

function namesOf({ items }: { items: readonly { metadata?: { name?: string } }[] }): string[] {
  return items.flatMap(({ metadata }) => metadata?.name ?? []).sort();
}
