import { ApiError } from '../api/api-error.ts';
import type { BrokenObject, Cached, CachedChange, CachedFrame, CachedFrames, CachedList } from '../api/cached.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import type { Status } from '../api/status.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import type { Logger } from '../observe/logger.ts';
import { CachedReflector } from './cached-reflector.ts';
import type { CachedListerWatcher, CachedTarget, CallContext } from './lister-watcher.ts';
import type { CachedReflectorOptions, WatchErrorContext } from './reflector-options.ts';
import type { ReflectorState } from './reflector-state.ts';
import { TransformedSource } from './transformed-source.ts';

export type Pod = KubernetesObject;
export type Frame = CachedFrame<Pod>;

export function pod(name: string, resourceVersion: string): Cached<Pod> {
  return {
    key: name,
    namespace: '',
    name,
    uid: `uid-${name}`,
    resourceVersion,
    labels: {},
    view: () => ({ kind: 'Pod', apiVersion: 'v1', metadata: { name, uid: `uid-${name}`, resourceVersion } }),
  };
}

export const added = (name: string, rv: string): Frame => ({ type: 'ADDED', object: pod(name, rv) });
export const modified = (name: string, rv: string): Frame => ({ type: 'MODIFIED', object: pod(name, rv) });
export const deleted = (name: string, rv: string): Frame => ({ type: 'DELETED', object: pod(name, rv) });
export const bookmark = (resourceVersion: string): Frame => ({
  type: 'BOOKMARK',
  resourceVersion,
  initialEventsEnd: false,
});
export const initialEventsEnd = (resourceVersion: string): Frame => ({
  type: 'BOOKMARK',
  resourceVersion,
  initialEventsEnd: true,
});
export const errorFrame = (status: Status): Frame => ({ type: 'ERROR', status });
export const brokenFrame = (key?: string): Frame => ({ type: 'BROKEN', broken: brokenObject(key) });
export const brokenObject = (key?: string): BrokenObject => {
  const problem = new Error(`damaged${key === undefined ? '' : ` ${key}`}`);
  return key === undefined ? { problem } : { problem, key };
};

/** `name@version` for each item. */
export function list(
  resourceVersion: string,
  items: readonly string[] = [],
  more: { continue?: string; broken?: readonly BrokenObject[] } = {},
): CachedList<Pod> {
  return {
    items: items.map((item) => pod(item.split('@')[0] ?? '', item.split('@')[1] ?? '')),
    broken: more.broken ?? [],
    metadata: { resourceVersion, ...(more.continue !== undefined && { continue: more.continue }) },
  };
}

export const apiError = (code: number, status: Partial<Status> = {}) =>
  new ApiError({ kind: 'Status', code, ...status });
export const expired = () => apiError(410, { reason: 'Expired', message: 'too old resource version' });
export const tooManyRequests = (retryAfterSeconds?: number) =>
  apiError(429, {
    reason: 'TooManyRequests',
    ...(retryAfterSeconds !== undefined && { details: { retryAfterSeconds } }),
  });
export const systemError = (code: string) => Object.assign(new Error(`socket trouble: ${code}`), { code });
export const never = () => new Promise<never>(() => {});

/** One watch that the test feeds. */
export class ScriptedWatch implements AsyncIterable<readonly Frame[]> {
  readonly #batches: (readonly Frame[])[] = [];
  #wake: () => void = () => {};
  #end: { error?: unknown } | undefined;
  /** The reader has left, or has read the end. */
  isClosed = false;
  /** Of the call that was answered with it. */
  signal: AbortSignal | undefined;

  constructor(...frames: Frame[]) {
    if (frames.length > 0) this.send(...frames);
  }

  send(...frames: Frame[]): this {
    return this.sendBatch(frames);
  }

  sendBatch(frames: readonly Frame[]): this {
    this.#batches.push(frames);
    this.#wake();
    return this;
  }

  end(): this {
    this.#end = {};
    this.#wake();
    return this;
  }

  fail(error: unknown): this {
    this.#end = { error };
    this.#wake();
    return this;
  }

  [Symbol.asyncIterator](): AsyncIterator<readonly Frame[]> {
    const done = { done: true, value: undefined } as const;
    return {
      next: async () => {
        while (!this.isClosed) {
          const batch = this.#batches.shift();
          if (batch !== undefined) return { done: false, value: batch };
          if (this.#end !== undefined) {
            this.isClosed = true;
            if ('error' in this.#end) throw this.#end.error;
            break;
          }
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        return done;
      },
      return: async () => {
        this.isClosed = true;
        this.#wake();
        return done;
      },
    };
  }
}

export interface Request {
  verb: 'list' | 'watch';
  options: ListOptions;
  /** Since the start of the test. */
  atMs: number;
}

type Answer<R> = R | Error | (() => R | Promise<R>);

/** Answers each list and each watch with the next thing in its script; the last one is repeated. */
export class ScriptedListerWatcher implements CachedListerWatcher<Pod> {
  readonly requests: Request[] = [];
  readonly watches: ScriptedWatch[] = [];
  readonly supportsWatchList: boolean;
  readonly #clock: FakeClock;
  readonly #startMs: number;
  readonly #script: Script;

  constructor(clock: FakeClock, script: Script) {
    this.#clock = clock;
    this.#startMs = clock.now();
    this.#script = script;
    this.supportsWatchList = script.watchList ?? false;
  }

  list(options: ListOptions): Promise<CachedList<Pod>> {
    this.#note('list', options);
    return answer(this.#script.lists ?? [list('1')], this.of('list').length - 1);
  }

  async watch(options: ListOptions, { signal }: CallContext): Promise<CachedFrames<Pod>> {
    this.#note('watch', options);
    const watch = await answer(this.#script.watches ?? [() => new ScriptedWatch()], this.of('watch').length - 1);
    this.watches.push(watch);
    watch.signal = signal;
    return watch;
  }

  of(verb: 'list' | 'watch'): Request[] {
    return this.requests.filter((request) => request.verb === verb);
  }

  /** `list 0`, `watch 12`: what was asked, and from which version. */
  get summary(): string[] {
    return this.requests.map(({ verb, options }) => {
      const kind = options.sendInitialEvents ? 'watchList' : verb;
      const page = options.continue === undefined ? '' : ` continue=${options.continue}`;
      return `${kind} ${options.resourceVersion ?? '-'}${page}`;
    });
  }

  /** The most requests in any 2 s, further pages aside. */
  get busiest2s(): number {
    const times = this.requests.filter(({ options }) => options.continue === undefined).map(({ atMs }) => atMs);
    return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + 2000).length));
  }

  #note(verb: 'list' | 'watch', options: ListOptions): void {
    this.requests.push({ verb, options, atMs: this.#clock.now() - this.#startMs });
  }
}

async function answer<R>(script: readonly Answer<R>[], index: number): Promise<R> {
  const step = script[Math.min(index, script.length - 1)];
  if (step === undefined) throw new Error('the script is empty');
  if (step instanceof Error) throw step;
  return typeof step === 'function' ? await (step as () => R | Promise<R>)() : step;
}

/** Keeps the state and writes down what it was told. */
export class RecordingTarget implements CachedTarget<Pod> {
  readonly objects = new Map<string, string>();
  readonly calls: string[] = [];
  /** Keys that cannot be used. */
  readonly refused = new Set<string>();
  onCall: (call: string) => void = () => {};

  write(change: CachedChange<Pod>): void | Promise<void> {
    switch (change.type) {
      case 'LIST':
        return this.replace(change.items, change.resourceVersion);
      case 'ADDED':
        return this.add(change.object);
      case 'MODIFIED':
        return this.update(change.object);
      case 'DELETED':
        return this.delete(change.object);
      case 'REPAIRED':
        return this.#note(`repair ${change.object.key}`);
      case 'BOOKMARK':
        return this.#note(`bookmark ${change.resourceVersion}`);
      default:
        throw new Error(`a target got a change of type ${change.type}`);
    }
  }

  add(object: Cached<Pod>): void {
    this.#put('add', object);
  }

  update(object: Cached<Pod>): void {
    this.#put('update', object);
  }

  delete(object: Cached<Pod>): void {
    this.#note(`delete ${object.key}@${object.resourceVersion}`);
    this.objects.delete(object.key);
  }

  replace(objects: readonly Cached<Pod>[], resourceVersion: string): void | Promise<void> {
    this.#note(`replace ${resourceVersion}: ${objects.map((object) => object.key).join(' ')}`);
    this.objects.clear();
    for (const object of objects) this.objects.set(object.key, object.resourceVersion);
  }

  resync(): void {
    this.#note('resync');
  }

  prepare(object: Cached<Pod>): Cached<Pod> {
    if (this.refused.has(object.key)) throw new Error(`no room for ${object.key}`);
    return object;
  }

  versionOf(key: string): string | undefined {
    return this.objects.get(key);
  }

  get content(): Record<string, string> {
    return Object.fromEntries(this.objects);
  }

  #put(verb: string, object: Cached<Pod>): void {
    this.#note(`${verb} ${object.key}@${object.resourceVersion}`);
    this.objects.set(object.key, object.resourceVersion);
  }

  #note(call: string): void {
    this.calls.push(call);
    this.onCall(call);
  }
}

export interface Script extends Omit<Partial<CachedReflectorOptions<Pod>>, 'watchList'> {
  lists?: readonly Answer<CachedList<Pod>>[];
  watches?: readonly Answer<ScriptedWatch>[];
  /** Whether the source can. */
  watchList?: boolean;
  /** The reflector is told not to use WatchList. */
  isWatchListOff?: boolean;
  /** No watch error handler. */
  isUnheard?: boolean;
  /** Default: one that begins in 2026. */
  fakeClock?: FakeClock;
  /** Wraps the lister-watcher. */
  around?: (listerWatcher: CachedListerWatcher<Pod>) => CachedListerWatcher<Pod>;
}

export interface Report extends WatchErrorContext {
  error: Error;
  atMs: number;
}

/** A reflector on a script, running, with everything that can be seen of it. */
export class Scene implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly server: ScriptedListerWatcher;
  readonly target = new RecordingTarget();
  readonly reports: Report[] = [];
  readonly states: ReflectorState[] = [];
  /** All but `debug`. */
  readonly log: string[] = [];
  readonly debugLog: string[] = [];
  readonly reflector: CachedReflector<Pod>;
  readonly #stop = new AbortController();
  #run: Promise<void> | undefined;

  constructor({ lists, watches, watchList, around, isUnheard, isWatchListOff, fakeClock, ...options }: Script = {}) {
    this.clock = fakeClock ?? new FakeClock();
    const startMs = this.clock.now();
    this.server = new ScriptedListerWatcher(this.clock, {
      ...(lists && { lists }),
      ...(watches && { watches }),
      ...(watchList !== undefined && { watchList }),
    });
    const write = (message: string) => this.log.push(message);
    const debug = (message: string) => this.debugLog.push(message);
    const logger: Logger = { debug, info: write, warn: write, error: write };
    this.reflector = new CachedReflector<Pod>({
      listerWatcher: new TransformedSource<Pod>(
        around ? around(this.server) : this.server,
        () => (object) => (options.target instanceof RecordingTarget ? options.target : this.target).prepare(object),
        this.clock,
      ),
      target: this.target,
      name: 'pods',
      clock: this.clock,
      random: () => 0.5,
      logger,
      ...(!isUnheard && {
        watchErrorHandler: (error: Error, context: WatchErrorContext) => {
          this.reports.push({ error, ...context, atMs: this.clock.now() - startMs });
        },
      }),
      onState: (state) => this.states.push(state),
      ...(isWatchListOff && { watchList: false }),
      ...options,
    });
  }

  /** Starts it and waits until nothing moves. */
  static async start(script: Script = {}): Promise<Scene> {
    const scene = new Scene(script);
    await scene.start();
    return scene;
  }

  async start(): Promise<void> {
    this.#run = this.reflector.run({ signal: this.#stop.signal });
    await this.settle();
  }

  /** Resolves when the reflector has ended. */
  get ended(): Promise<void> {
    return this.#run ?? Promise.resolve();
  }

  settle(): Promise<void> {
    return this.clock.advance(0);
  }

  get phases(): string[] {
    return this.states.map(({ phase }) => phase);
  }

  get watch(): ScriptedWatch {
    const watch = this.server.watches.at(-1);
    if (watch === undefined) throw new Error('no watch has been opened');
    return watch;
  }

  stop(): void {
    this.#stop.abort(new Error('stop'));
  }

  /** Stops and checks that nothing is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#run;
    if (this.clock.pendingTimers > 0) throw new Error(`${this.clock.pendingTimers} timers are left`);
  }
}
