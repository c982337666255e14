import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Cluster } from 'tidewatch';
import { pods } from 'tidewatch/api/core/v1';
import { ApiServer } from 'tidewatch/testing';

/** What an example runs on, and how it speaks. The tests pass their own. */
export interface ExampleContext {
  readonly cluster: Cluster;
  /** Prints a line. */
  readonly log: (line: string) => void;
  /** Aborts when the example is to end. */
  readonly signal: AbortSignal;
  /** What somebody else does at this point to the embedded cluster. On a real one nothing: there, others are busy already. */
  readonly meanwhile: (change: (others: Cluster) => Promise<unknown>) => Promise<void>;
  /** On the embedded server until nothing more is printed; on a real cluster until Ctrl-C. */
  readonly untilDone: () => Promise<void>;
  /** Instead of the example's own period, which may be longer than a run on the embedded server. */
  readonly resyncMs?: number;
  /** The kubeconfig of the embedded server, for other clients. Unset on a real cluster, which has its own. */
  readonly kubeconfig?: string;
}

/** What others do to the embedded cluster while the example runs; when it is over, so is the example. */
export type Story = (others: Cluster, signal: AbortSignal) => Promise<void>;

export interface RunOptions {
  story?: Story;
  /** Whether other clients must be able to reach the embedded server. Default false. */
  listen?: boolean;
}

/** When nothing was printed for so long, an example on the embedded server is over. */
const QUIET_MS = 1_500;
const STORY_RESYNC_MS = 2_000;

/** Two pods, as in the articles that the examples of `seeds/` follow. */
export async function createExamplePods(cluster: Cluster): Promise<void> {
  for (const name of ['wordpress', 'mysql']) {
    await cluster.client(pods).create({
      metadata: { name, namespace: 'default', labels: { app: name } },
      spec: { containers: [{ name, image: `${name}:latest` }] },
    });
  }
}

/** Of the articles: some periods pass, one of the pods goes away, and another period passes. */
export const podGoesAway: Story = async (others, signal) => {
  await sleep(2.5 * STORY_RESYNC_MS, undefined, { signal });
  await others.client(pods).delete('wordpress');
  await sleep(1.5 * STORY_RESYNC_MS, undefined, { signal });
};

/**
 * Runs an example if it is the program that was started: on the embedded server with two pods, or, with `--real`, on the
 * cluster of your kubeconfig, until Ctrl-C. What an example makes there, it removes.
 */
export async function runExample(
  url: string,
  main: (context: ExampleContext) => Promise<void>,
  options: RunOptions = {},
): Promise<void> {
  if (url !== pathToFileURL(process.argv[1] ?? '').href) return;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  if (process.argv.includes('--real')) await runOnRealCluster(main, stop.signal);
  else await runOnEmbeddedServer(main, stop, options);
}

async function runOnRealCluster(main: (context: ExampleContext) => Promise<void>, signal: AbortSignal): Promise<void> {
  await using cluster = await Cluster.connect();
  try {
    await main({
      cluster,
      log: (line) => console.log(line),
      signal,
      meanwhile: async () => {},
      untilDone: () => untilAborted(signal),
    });
  } catch (error) {
    // Whoever presses Ctrl-C early ends a wait that is under way.
    if (!signal.aborted) throw error;
  }
}

async function runOnEmbeddedServer(
  main: (context: ExampleContext) => Promise<void>,
  stop: AbortController,
  { story, listen = false }: RunOptions,
): Promise<void> {
  await using server = await ApiServer.start({ listen });
  await using cluster = server.cluster();
  await createExamplePods(cluster);
  const { signal } = stop;
  let printedMs = Date.now();
  const telling = story?.(cluster, signal)
    .catch((error: unknown) => {
      if (!signal.aborted) throw error;
    })
    .finally(() => stop.abort());
  await main({
    cluster,
    log: (line) => {
      printedMs = Date.now();
      console.log(line);
    },
    signal,
    meanwhile: async (change) => void (await change(cluster)),
    untilDone: async () => {
      while (!signal.aborted && Date.now() - printedMs < QUIET_MS) await sleep(100);
    },
    resyncMs: STORY_RESYNC_MS,
    ...(listen && { kubeconfig: server.kubeconfig() }),
  });
  stop.abort();
  await telling;
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
