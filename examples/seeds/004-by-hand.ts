/**
 * The informer put together by hand: a reflector fills a DeltaFIFO, and a loop empties it into an indexer. Twice: on list and watch
 * functions of one's own, and on a cluster.
 */
import {
  DeltaFIFO,
  Indexer,
  type ListerWatcher,
  ListWatch,
  metaNamespaceIndex,
  NAMESPACE_INDEX,
  QueueClosedError,
  Reflector,
} from 'tidewatch';
import { type Pod, pods } from 'tidewatch/api/core/v1';
import { type ExampleContext, podGoesAway, runExample } from '../example-cluster.ts';

/** Follows what is listed and watched until the signal aborts. */
async function follow(
  listerWatcher: ListerWatcher<Pod>,
  { log, signal }: Pick<ExampleContext, 'log' | 'signal'>,
): Promise<void> {
  const indexer = new Indexer<Pod>({ indexers: { [NAMESPACE_INDEX]: metaNamespaceIndex } });
  const fifo = new DeltaFIFO<Pod>({ knownObjects: indexer });
  const reflector = new Reflector<Pod>({ name: 'pods', listerWatcher, target: fifo });
  signal.addEventListener('abort', () => fifo.close());
  const reflecting = reflector.run({ signal });
  try {
    for (;;) {
      await fifo.pop((deltas) => {
        for (const delta of deltas) {
          if (delta.type === 'Deleted') indexer.delete(delta.object);
          else indexer.update(delta.object as Pod);
          const names = indexer.byIndex(NAMESPACE_INDEX, 'default').map((pod) => pod.metadata.name);
          log(`${delta.type} ${fifo.keyOf(delta.object)}; default has ${names.sort().join(', ') || 'nothing'}`);
        }
      });
    }
  } catch (error) {
    if (!(error instanceof QueueClosedError)) throw error;
  }
  await reflecting;
}

/** Not Kubernetes at all: one pod, and one event. */
async function followOwnSource({ log, signal }: ExampleContext): Promise<void> {
  const pod = (resourceVersion: string): Pod => ({
    metadata: { namespace: 'default', name: 'own', resourceVersion },
    spec: { containers: [] },
  });
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const listWatch = new ListWatch<Pod>({
    list: () => ({ metadata: { resourceVersion: '1' }, items: [pod('1')] }),
    watch: async function* (_options, context) {
      yield { type: 'DELETED', object: pod('2') };
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve, { once: true }));
    },
  });
  await follow(listWatch, {
    log: (line) => {
      log(line);
      if (line.startsWith('Deleted')) stop.abort();
    },
    signal: ended,
  });
}

export async function main(context: ExampleContext): Promise<void> {
  await followOwnSource(context);
  await follow(ListWatch.for(context.cluster, pods, { namespace: 'default' }), context);
}

await runExample(import.meta.url, main, { story: podGoesAway });
