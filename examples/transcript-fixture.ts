import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, silentLogger } from 'tidewatch';
import { ApiServer } from 'tidewatch/testing';
import { createExamplePods, type ExampleContext } from './example-cluster.ts';

const PATIENCE_MS = 15_000;

/** What an example has printed. */
export class Transcript {
  readonly lines: string[] = [];
  readonly log = (line: string): void => void this.lines.push(line);

  /** Resolves when the lines are as wanted; rejects with all that was printed when they never are. */
  async until(wanted: (lines: readonly string[]) => boolean): Promise<void> {
    for (let waitedMs = 0; !wanted(this.lines); waitedMs += 20) {
      if (waitedMs > PATIENCE_MS)
        throw new Error(`this was printed, and not what was waited for:\n${this.lines.join('\n')}`);
      await sleep(20);
    }
  }
}

export interface Performance {
  readonly transcript: Transcript;
  readonly others: Cluster;
  readonly server: ApiServer;
}

export interface PerformOptions {
  /** Until what was printed the example goes on; after that it is ended. Default: it ends by itself. */
  until?: (lines: readonly string[]) => boolean;
  /** What others do while it runs. */
  story?: (performance: Performance) => Promise<void>;
  listen?: boolean;
}

/** Runs an example on an embedded server of its own, and returns what it printed. Fails when a watch is left open. */
export async function perform(
  main: (context: ExampleContext) => Promise<void>,
  { until, story, listen = false }: PerformOptions,
): Promise<string[]> {
  await using server = await ApiServer.start({ listen, logger: silentLogger });
  await using cluster = server.cluster();
  await createExamplePods(cluster);
  const transcript = new Transcript();
  const stop = new AbortController();
  const { signal } = stop;
  const running = main({
    cluster,
    log: transcript.log,
    signal,
    meanwhile: async (change) => void (await change(cluster)),
    untilDone: async () => void (until && (await transcript.until(until))),
    resyncMs: 1_000,
    ...(listen && { kubeconfig: server.kubeconfig() }),
  });
  try {
    await story?.({ transcript, others: cluster, server });
    if (story) stop.abort();
    await running;
  } finally {
    stop.abort();
  }
  // Nothing more is printed; this waits for the watches alone.
  await transcript.until(() => server.openWatches === 0);
  return transcript.lines;
}
