import { Cluster, type Logger } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';

/** What an example runs on, and how it speaks. The tests pass their own. */
export interface ExampleContext {
  cluster: Cluster;
  log: (line: string) => void;
  /** Ends the example. */
  signal: AbortSignal;
  logger?: Logger;
}

/** Two pods, as in the articles that the examples follow. */
export async function createExamplePods(cluster: Cluster): Promise<void> {
  for (const name of ['wordpress', 'mysql']) {
    await cluster.client(pods).create({
      metadata: { name, namespace: 'default', labels: { app: name } },
      spec: { containers: [{ name, image: `${name}:latest` }] },
    });
  }
}

/**
 * Runs an example until it ends or Ctrl-C: on the embedded server with two pods, or, with `--real`, on the cluster of
 * your kubeconfig, to which nothing is written.
 */
export async function runExample(main: (context: ExampleContext) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const context = { log: (line: string) => console.log(line), signal: stop.signal };
  if (process.argv.includes('--real')) {
    await using cluster = await Cluster.connect();
    await main({ ...context, cluster });
    return;
  }
  await using server = await ApiServer.start({ listen: false });
  await using cluster = server.cluster();
  await createExamplePods(cluster);
  // What somebody else would do meanwhile: one of the pods goes away.
  const timer = setTimeout(() => void cluster.client(pods).delete('wordpress'), 7_000);
  setTimeout(() => stop.abort(), 14_000).unref();
  await main({ ...context, cluster });
  clearTimeout(timer);
}
