import { ApiError } from '../../api/api-error.ts';
import type { KubernetesObject } from '../../api/metadata.ts';
import { TidewatchError } from '../../api/tidewatch-error.ts';
import type { Clock } from '../../observe/clock.ts';
import { onAbort } from '../../observe/interruption.ts';
import type { Logger } from '../../observe/logger.ts';
import { monotonicMs } from '../../observe/scheduler.ts';
import type { Client } from '../client.ts';
import { LogStreams } from './log-streams.ts';
import { type StartedContainer, startedContainers } from './pod-containers.ts';
import type { LogOptions, LogsOfOptions, PodLogLine } from './pod-options.ts';

/** Before a watch or a log that broke is opened again. */
const RETRY_MS = 1_000;

export interface SeveralLogsOptions extends Omit<LogsOfOptions, 'signal'> {
  labelSelector: string;
  client: Client<KubernetesObject>;
  open(name: string, options: LogOptions): AsyncIterable<string>;
  clock: Clock;
  logger: Logger;
}

/**
 * The logs of all containers of the pods that the selectors mean. With `follow`, new pods join, restarted containers join again, and ended
 * ones leave; it goes on until the signal aborts. Without, it ends when each log has.
 */
export async function* severalLogs(
  options: SeveralLogsOptions,
  signal: AbortSignal,
): AsyncGenerator<PodLogLine, void, undefined> {
  const streams = new LogStreams();
  const work = new SeveralLogs(options, streams, signal);
  const forget = onAbort(signal, () => streams.end());
  // What it throws ends the reading.
  work.run().then(
    () => streams.end(),
    (error: unknown) => streams.end({ error }),
  );
  try {
    yield* streams.read();
  } finally {
    forget();
  }
}

class SeveralLogs {
  readonly #options: SeveralLogsOptions;
  readonly #streams: LogStreams;
  readonly #signal: AbortSignal;
  /** Runs of containers whose log is read, or was. */
  readonly #known = new Set<string>();
  readonly #reading = new Set<Promise<void>>();

  constructor(options: SeveralLogsOptions, streams: LogStreams, signal: AbortSignal) {
    this.#options = options;
    this.#streams = streams;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const { follow = false, clock } = this.#options;
    let resourceVersion = await this.#list(true);
    while (follow && !this.#signal.aborted) {
      try {
        await this.#watch(resourceVersion);
        if (this.#signal.aborted) break;
        await clock.sleep(RETRY_MS, this.#signal);
        resourceVersion = await this.#list(false);
      } catch (error) {
        if (this.#signal.aborted) break;
        if (!TidewatchError.from(error).retryable && !(error instanceof ApiError && error.isExpired)) throw error;
        await clock.sleep(RETRY_MS, this.#signal).catch(() => {});
        resourceVersion = '';
      }
    }
    await Promise.all(this.#reading);
  }

  async #list(isFirst: boolean): Promise<string> {
    const list = await this.#options.client.listAll(this.#selection());
    const runs = new Set<string>();
    for (const pod of list.items) {
      for (const { run } of startedContainers(pod)) runs.add(run);
      this.#join(pod, isFirst);
    }
    // Of what is gone nothing needs to be remembered.
    for (const run of this.#known) if (!runs.has(run)) this.#known.delete(run);
    return list.metadata?.resourceVersion ?? '';
  }

  async #watch(resourceVersion: string): Promise<void> {
    if (resourceVersion === '') return;
    const watch = this.#options.client.watch({ ...this.#selection(), resourceVersion, allowWatchBookmarks: true });
    for await (const { type, object } of watch) {
      if (type === 'ERROR') return;
      if (type === 'ADDED' || type === 'MODIFIED') this.#join(object as KubernetesObject, false);
    }
  }

  #selection() {
    const { labelSelector, fieldSelector, namespace } = this.#options;
    return { labelSelector, fieldSelector, namespace, signal: this.#signal };
  }

  #join(pod: KubernetesObject, isFirst: boolean): void {
    const { container: wanted, matches, follow = false } = this.#options;
    for (const started of startedContainers(pod)) {
      if (wanted !== undefined && started.container !== wanted) continue;
      if (matches !== undefined && !matches({ name: started.pod, namespace: started.namespace })) continue;
      if (this.#known.has(started.run)) continue;
      this.#known.add(started.run);
      const reading = this.#read(started, isFirst, follow).finally(() => this.#reading.delete(reading));
      this.#reading.add(reading);
    }
  }

  /** Of a container that was there at the start, what the options ask for; of one that joined, everything. */
  async #read(started: StartedContainer, isFirst: boolean, follow: boolean): Promise<void> {
    const { sinceSeconds, tailLines, timestamps, clock, logger } = this.#options;
    const { namespace, pod, container } = started;
    let range: LogOptions = isFirst ? { sinceSeconds, tailLines } : {};
    while (!this.#signal.aborted) {
      const openedMs = monotonicMs(clock);
      try {
        const options = { ...range, namespace, container, follow, timestamps, signal: this.#signal };
        for await (const line of this.#options.open(pod, options)) {
          if (!(await this.#streams.push({ namespace, pod, container, line }))) return;
        }
        return;
      } catch (error) {
        if (this.#signal.aborted || (error instanceof ApiError && error.kind === 'not-found')) return;
        const { retryable, message } = TidewatchError.from(error);
        logger.warn(
          `The log of ${namespace}/${pod} (${container}) ${retryable && follow ? 'is opened again' : 'is left out'}: ${message}`,
        );
        if (!retryable || !follow) return;
        await clock.sleep(RETRY_MS, this.#signal).catch(() => {});
        // Lines of the second in which it broke may come twice.
        range = { sinceSeconds: Math.ceil((monotonicMs(clock) - openedMs) / 1000) + 1 };
      }
    }
  }
}
