import { ApiError } from '../api/api-error.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesList, KubernetesObject, Stored } from '../api/metadata.ts';
import { isPromise } from '../api/promise-like.ts';
import type { Status } from '../api/status.ts';
import { TidewatchError } from '../api/tidewatch-error.ts';
import type { WatchEvent } from '../api/watch-event.ts';
import { CallScope } from '../observe/interruption.ts';
import { systemRandom } from '../observe/random.ts';
import type { ApiRequests } from './api-requests.ts';

export interface ObjectWaitOptions<T extends KubernetesObject> {
  /** For messages. */
  what: string;
  name: string;
  predicate: (object: Stored<T> | undefined) => boolean;
  signal: AbortSignal | undefined;
  timeoutMs: number | undefined;
  requests: Pick<ApiRequests, 'clock' | 'pause'>;
  list: (options: ListOptions & { signal: AbortSignal }) => Promise<KubernetesList<T>>;
  watch: (options: ListOptions & { signal: AbortSignal }) => AsyncIterable<WatchEvent<T>>;
}

/** When the server ends a quiet watch, so that a connection that is dead without a sign does not last. */
const WATCH_SECONDS = 300;
/** How much longer than that a watch may last. */
const WATCH_MARGIN_MS = 30_000;
const FIRST_WAIT_MS = 800;
const LONGEST_WAIT_MS = 30_000;

/** See `Client.waitUntil`. */
export async function objectMeeting<T extends KubernetesObject>(
  options: ObjectWaitOptions<T>,
): Promise<Stored<T> | undefined> {
  const { what, predicate, signal, timeoutMs, requests } = options;
  signal?.throwIfAborted();
  const end = new CallScope(signal);
  const wait = new ObjectWait<T>(options, end.signal);
  const timeout = () => {
    const condition = predicate.name || 'the condition';
    end.abort(
      new TidewatchError('timeout', `${what} did not meet ${condition} within ${timeoutMs} ms: ${wait.standing}`),
    );
  };
  const timer = timeoutMs === undefined ? undefined : requests.clock.setTimeout(timeout, timeoutMs);
  try {
    return await wait.run();
  } finally {
    timer?.clear();
    end.release();
    end.abort();
  }
}

class ObjectWait<T extends KubernetesObject> {
  readonly #options: ObjectWaitOptions<T>;
  readonly #signal: AbortSignal;
  readonly #fieldSelector: string;
  /** "" : the state has to be listed. */
  #resourceVersion = '';
  #seen: Stored<T> | undefined;
  #lastError: Error | undefined;
  #waitMs = FIRST_WAIT_MS;
  /** What the predicate throws must not be taken for a failed request. */
  #isAsking = false;

  constructor(options: ObjectWaitOptions<T>, signal: AbortSignal) {
    this.#options = options;
    this.#signal = signal;
    this.#fieldSelector = `metadata.name=${options.name.replace(/[\\,=]/g, '\\$&')}`;
  }

  /** What is known, for messages. */
  get standing(): string {
    if (this.#lastError) return `the last request failed: ${this.#lastError.message}`;
    return this.#seen ? `it is at version ${this.#seen.metadata.resourceVersion}` : 'there is no such object';
  }

  async run(): Promise<Stored<T> | undefined> {
    for (;;) {
      try {
        if (this.#resourceVersion === '' && (await this.#list())) return this.#seen;
        if (await this.#watch()) return this.#seen;
      } catch (error) {
        this.#signal.throwIfAborted();
        if (this.#isAsking) throw error;
        await this.#afterFailure(error);
      }
    }
  }

  async #list(): Promise<boolean> {
    const { items, metadata } = await this.#options.list({ fieldSelector: this.#fieldSelector, signal: this.#signal });
    this.#resourceVersion = metadata?.resourceVersion ?? '';
    this.#recovered();
    return this.#isMetBy(items.find((item) => this.#isOurs(item)) as Stored<T> | undefined);
  }

  /** False when the watch has ended. */
  async #watch(): Promise<boolean> {
    const { watch, requests } = this.#options;
    const limit = new AbortController();
    const limitMs = WATCH_SECONDS * 1000 + WATCH_MARGIN_MS;
    const timer = requests.clock.setTimeout(() => limit.abort(), limitMs, { keepAlive: false });
    const signal = AbortSignal.any([this.#signal, limit.signal]);
    try {
      const events = watch({
        fieldSelector: this.#fieldSelector,
        resourceVersion: this.#resourceVersion,
        allowWatchBookmarks: true,
        timeoutSeconds: WATCH_SECONDS,
        signal,
      });
      let count = 0;
      for await (const event of events) {
        count++;
        if (event.type === 'ERROR') throw new ApiError(event.object as Status);
        this.#resourceVersion = event.object.metadata?.resourceVersion ?? this.#resourceVersion;
        this.#recovered();
        if (event.type === 'BOOKMARK' || !this.#isOurs(event.object)) continue;
        if (this.#isMetBy(event.type === 'DELETED' ? undefined : (event.object as Stored<T>))) return true;
      }
      this.#signal.throwIfAborted();
      if (count > 0) return false;
      // A server that was restored from a backup sends nothing until it has passed the version; one that ends watches at once needs a pause.
      this.#resourceVersion = '';
      await this.#pause();
      return false;
    } finally {
      timer.clear();
    }
  }

  /** Not every server heeds the field selector. */
  #isOurs({ metadata }: KubernetesObject): boolean {
    return metadata?.name === this.#options.name;
  }

  #isMetBy(object: Stored<T> | undefined): boolean {
    this.#seen = object;
    this.#isAsking = true;
    const answer: unknown = this.#options.predicate(object);
    if (isPromise(answer)) {
      throw new TypeError('the predicate of waitUntil returned a promise: it must answer at once, with true or false');
    }
    this.#isAsking = false;
    return Boolean(answer);
  }

  async #afterFailure(error: unknown): Promise<void> {
    const failure = TidewatchError.from(error);
    this.#lastError = failure;
    if (failure.kind === 'expired') this.#resourceVersion = '';
    else if (!failure.retryable) throw error;
    await this.#pause();
  }

  #recovered(): void {
    this.#lastError = undefined;
    this.#waitMs = FIRST_WAIT_MS;
  }

  async #pause(): Promise<void> {
    const waitMs = this.#waitMs * (1 + systemRandom());
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
    await this.#options.requests.pause(waitMs, this.#signal);
  }
}
