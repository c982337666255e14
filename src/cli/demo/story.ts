import { ApiServer } from '../../apiserver/apiserver.ts';
import type { Client } from '../../cluster/client.ts';
import { Cluster } from '../../cluster/cluster.ts';
import { type Pod, pods } from '../../generated/api/core/v1.ts';
import { SharedInformerFactory } from '../../informer/shared-informer-factory.ts';
import { silentLogger } from '../../observe/logger.ts';
import type { CliIo } from '../cli-io.ts';
import { observedTransport } from '../exchange-observer.ts';
import { problemText } from '../informer-status.ts';
import { differences } from './cache-check.ts';
import { Narrator } from './narrator.ts';

const NAMESPACE = 'default';
/** The shortest that an informer accepts. */
const RESYNC_MS = 1_000;

/**
 * The life of an informer as lines: what was there, what changed, a resync, a cut connection, a compacted history, a
 * deletion. Ends by itself: 0 when the cache equals the server, 1 and the differences when it does not.
 */
export async function tellStory(io: CliIo): Promise<number> {
  const { clock, signal } = io;
  const told = new Narrator(io);
  const server = await ApiServer.start({ clock, logger: silentLogger });
  const cluster = await Cluster.connect({
    server: server.url,
    ...(server.token !== undefined && { token: server.token }),
    ...(server.ca !== undefined && { certificateAuthority: server.ca }),
    env: {},
    clock,
    logger: silentLogger,
  });
  const transport = observedTransport(cluster.transport, ({ path, query, isWatch, status }) => {
    if (!path.endsWith('/pods') || status !== 200) return;
    const from = query.get('resourceVersion');
    if (!isWatch) told.line('informer', 'lists the pods');
    else if (query.get('sendInitialEvents') === 'true')
      told.line('informer', 'lists and watches the pods in one stream');
    else told.line('informer', `watches the pods from version ${from}`, 'watch');
  });
  const factory = new SharedInformerFactory(
    { transport },
    {
      namespace: NAMESPACE,
      resyncMs: RESYNC_MS,
      clock,
      logger: silentLogger,
      watchErrorHandler: (error, { retryInMs = 0 }) => {
        const then = retryInMs < 50 ? 'it goes on at once' : `it begins again in ${(retryInMs / 1_000).toFixed(1)} s`;
        told.line('informer', `${problemText(error)}; ${then}`, 'problem');
      },
    },
  );
  const informer = factory.for(pods).informer();
  // The client of the story stands beside the informer, in process, so that faults meet the informer alone.
  const inside = Cluster.over(server.transport(), { clock, logger: silentLogger });
  const client = inside.client(pods, { namespace: NAMESPACE });
  try {
    told.line('server', `a Kubernetes API server listens at ${server.url}, in this process`);
    for (const name of ['web-0', 'web-1', 'web-2']) await client.create(podNamed(name));
    told.line('server', 'has three pods: web-0, web-1 and web-2');

    informer.addEventHandler(
      {
        onAdd: (pod, isInInitialList) =>
          told.event('ADD', pod, isInInitialList ? 'it was there at the start' : 'it is new'),
        onUpdate: (old, pod) =>
          told.event(
            'UPDATE',
            pod,
            pod.metadata?.deletionTimestamp ? 'it is about to go' : `from version ${versionOf(old)}`,
          ),
        onDelete: (pod, unknown) => told.event('DELETE', pod, unknown ? 'found missing by the new list' : 'it is gone'),
      },
      { name: 'story', resyncMs: 0 },
    );
    factory.start({ signal });
    for (const name of ['web-0', 'web-1', 'web-2']) await told.heard('ADD', name);

    told.line('server', 'web-0 begins to run');
    await run(client, 'web-0');
    await told.heard('UPDATE', 'web-0');

    told.line('informer', `every ${RESYNC_MS / 1_000} s a second handler hears again of all that is known: a resync`);
    const resync = informer.addEventHandler(
      {
        onUpdate: (old, pod) => {
          if (versionOf(old) === versionOf(pod)) told.event('UPDATE', pod, 'by resync, unchanged');
        },
      },
      { name: 'resync' },
    );
    for (const name of ['web-0', 'web-1', 'web-2']) await told.heard('UPDATE', name);
    await resync.remove();

    told.line('server', 'cuts the connection, and web-1 begins to run meanwhile');
    server.disconnectWatches({ abruptly: true });
    await run(client, 'web-1');
    await told.heard('watch');
    await told.heard('UPDATE', 'web-1');

    told.line('server', 'cuts the connection again, deletes web-0, and compacts its history');
    const away = server.faults.add(
      { verb: 'watch', resource: 'pods' },
      { kind: 'drop' },
      { times: Number.POSITIVE_INFINITY },
    );
    server.disconnectWatches({ abruptly: true });
    await client.delete('web-0', { gracePeriodSeconds: 0 });
    await client.create(podNamed('web-3'));
    server.compact();
    away.remove();
    await told.heard('DELETE', 'web-0');
    await told.heard('ADD', 'web-3');

    told.line('server', 'deletes web-2');
    await client.delete('web-2', { gracePeriodSeconds: 0 });
    await told.heard('DELETE', 'web-2');

    const { items, metadata } = await client.list();
    await informer.waitFor(metadata?.resourceVersion ?? '', { signal, timeoutMs: 10_000 });
    const found = differences(informer.lister().list(), items);
    for (const line of found) told.line('check', line);
    if (found.length > 0) return 1;
    told.line('check', `the cache equals the server: ${items.map(({ metadata: meta }) => meta?.name).join(' and ')}`);
    return 0;
  } finally {
    await factory.shutdown();
    await cluster.close();
    await server.stop();
  }
}

function versionOf(pod: Pod): string {
  return pod.metadata?.resourceVersion ?? '';
}

function podNamed(name: string): Pod {
  return {
    metadata: { name, labels: { app: 'web' } },
    spec: { nodeName: 'node-a', containers: [{ name: 'web', image: 'nginx' }] },
  };
}

async function run(client: Client<Pod>, name: string): Promise<void> {
  await client.patch(name, { status: { phase: 'Running' } }, { subresource: 'status' });
}
