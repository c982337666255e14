import { resourceName } from '../../api/resource.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { DiscoveredResource } from '../../cluster/discovered-resource.ts';
import { SharedInformerFactory } from '../../informer/shared-informer-factory.ts';
import { serveInspector } from '../../inspector/inspector.ts';
import { silentLogger } from '../../observe/logger.ts';
import { seeHelp } from '../arguments.ts';
import { UsageError } from '../cli-error.ts';
import type { FlagValues, Invocation } from '../command.ts';
import { connect, stderrLogger } from '../connection-flags.ts';
import { portOf } from '../port-flag.ts';
import { untilAborted } from '../until-aborted.ts';
import { namesOf } from '../watch/watch-several.ts';
import { watchableResource } from '../watch/watch-target.ts';

/** Runs until the signal aborts, which is how it is meant to end: the exit code is 0 then. */
export async function inspect(invocation: Invocation): Promise<number> {
  const { flags, positionals, io } = invocation;
  const names = words(positionals);
  if (names.length === 0) {
    throw new UsageError('"tidewatch inspect" needs a RESOURCE, such as pods', seeHelp({ name: 'inspect' }));
  }
  const port = portOf(flags);
  const cluster = await connect(invocation);
  const leave = () => void cluster.close();
  io.signal.addEventListener('abort', leave, { once: true });
  try {
    const resources = await resourcesOf(cluster, names);
    const show = await resourcesOf(cluster, words(flags.texts('show')));
    const factory = new SharedInformerFactory(cluster, {
      ...namespaceOf(flags, cluster),
      // The page tells of them, each once.
      logger: silentLogger,
    });
    for (const resource of resources) factory.for(resource).informer();
    try {
      const logger = stderrLogger(io.stderr);
      const inspector = await serveInspector({ factories: [factory], port, show, logger, clock: io.clock });
      try {
        factory.start({ signal: io.signal });
        io.stdout.write(usage(resources, inspector.url));
        await untilAborted(io.signal);
      } finally {
        await inspector.stop();
      }
    } finally {
      await factory.shutdown();
    }
    return 0;
  } finally {
    io.signal.removeEventListener('abort', leave);
    await cluster.close();
  }
}

/** Each once. Throws `CliError` for one that cannot be watched. */
async function resourcesOf(cluster: Cluster, names: readonly string[]): Promise<DiscoveredResource[]> {
  const expanded = (await Promise.all(names.map((name) => namesOf(cluster, name)))).flat();
  const found = await Promise.all(expanded.map((name) => watchableResource(cluster, name)));
  return [...new Map(found.map((resource) => [resourceName(resource), resource])).values()];
}

function namespaceOf(flags: FlagValues, cluster: Cluster): { namespace?: string } {
  return flags.on('all-namespaces') ? {} : { namespace: flags.text('namespace') ?? cluster.namespace };
}

function words(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(',')).filter((word) => word !== '');
}

/** What it says when it runs. */
function usage(resources: readonly DiscoveredResource[], url: string): string {
  return `Informers of ${resources.map((resource) => resourceName(resource)).join(', ')} run.
Open this address; whoever has it can look:

  ${url}

Press Ctrl-C to stop.
`;
}
