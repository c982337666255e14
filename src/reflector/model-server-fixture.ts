import type { CachedFrames, CachedList } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { CachedListerWatcher, CallContext } from './lister-watcher.ts';
import {
  apiError,
  bookmark,
  brokenFrame,
  expired,
  type Frame,
  initialEventsEnd,
  type Pod,
  pod,
  ScriptedWatch,
} from './scripted-fixture.ts';

interface Change {
  revision: number;
  frame: Frame;
}

interface OpenWatch {
  stream: ScriptedWatch;
  signal: AbortSignal;
}

/** A small honest server, with a history that can be compacted, whose connections can be made to fail. */
export class ModelServer implements CachedListerWatcher<Pod> {
  readonly supportsWatchList: boolean;
  readonly #objects = new Map<string, number>();
  readonly #history: Change[] = [];
  readonly #watches = new Set<OpenWatch>();
  #revision = 1;
  #compacted = 0;
  /** Each is thrown by one coming request. */
  readonly failures: Error[] = [];
  /** How many coming events are damaged on the way. */
  damaged = 0;
  /** How many coming events are sent twice. */
  doubled = 0;
  requests = 0;

  constructor(supportsWatchList: boolean) {
    this.supportsWatchList = supportsWatchList;
  }

  get content(): Record<string, string> {
    return Object.fromEntries([...this.#objects].map(([name, revision]) => [name, String(revision)]));
  }

  put(name: string): void {
    const isNew = !this.#objects.has(name);
    this.#objects.set(name, ++this.#revision);
    this.#happened({ type: isNew ? 'ADDED' : 'MODIFIED', object: pod(name, String(this.#revision)) });
  }

  remove(name: string): void {
    if (!this.#objects.delete(name)) return;
    this.#happened({ type: 'DELETED', object: pod(name, String(++this.#revision)) });
  }

  compact(): void {
    this.#compacted = this.#revision;
  }

  sendBookmarks(): void {
    for (const watch of this.#open()) watch.stream.send(bookmark(String(this.#revision)));
  }

  endWatches(): void {
    for (const watch of this.#open()) watch.stream.end();
    this.#watches.clear();
  }

  breakWatches(error: Error): void {
    for (const watch of this.#open()) watch.stream.fail(error);
    this.#watches.clear();
  }

  /** An ERROR event. */
  interruptWatches(frame: Frame): void {
    for (const watch of this.#open()) watch.stream.send(frame);
    this.#watches.clear();
  }

  async list(options: ListOptions): Promise<CachedList<Pod>> {
    this.#request();
    const all = [...this.#objects].map(([name, revision]) => pod(name, String(revision)));
    const from = Number(options.continue ?? 0);
    const to = options.limit === undefined ? all.length : from + options.limit;
    const metadata = {
      resourceVersion: String(this.#revision),
      ...(to < all.length && { continue: String(to) }),
    };
    return { items: all.slice(from, to), broken: [], metadata };
  }

  async watch(options: ListOptions, { signal }: CallContext): Promise<CachedFrames<Pod>> {
    this.#request();
    const stream = new ScriptedWatch();
    if (options.sendInitialEvents) {
      for (const [name, revision] of this.#objects) stream.send({ type: 'ADDED', object: pod(name, String(revision)) });
      stream.send(initialEventsEnd(String(this.#revision)));
    } else {
      const from = Number(options.resourceVersion);
      if (from < this.#compacted) throw expired();
      for (const { revision, frame } of this.#history) if (revision > from) this.#send(stream, frame);
    }
    this.#watches.add({ stream, signal });
    return stream;
  }

  #request(): void {
    this.requests++;
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }

  #happened(frame: Frame): void {
    this.#history.push({ revision: this.#revision, frame });
    for (const { stream } of this.#open()) this.#send(stream, frame);
  }

  #send(stream: ScriptedWatch, frame: Frame): void {
    if (this.damaged > 0) {
      this.damaged--;
      stream.send(brokenFrame());
      return;
    }
    if (this.doubled > 0) {
      this.doubled--;
      stream.send(frame, frame);
      return;
    }
    stream.send(frame);
  }

  #open(): OpenWatch[] {
    for (const watch of this.#watches) if (watch.signal.aborted) this.#watches.delete(watch);
    return [...this.#watches];
  }
}

export const REQUEST_FAILURES = [
  () => apiError(429),
  () => apiError(500),
  () => apiError(403),
  () => apiError(401),
  () => apiError(404),
  () => apiError(400),
  () => expired(),
  () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  () => new Error('whatever'),
];
