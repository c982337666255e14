import { ApiError } from '../api/api-error.ts';
import type { ListOptions } from '../api/list-options.ts';
import type { KubernetesList, KubernetesObject } from '../api/metadata.ts';
import type { WatchEvent } from '../api/watch-event.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import type { ResourceEventHandler } from '../processor/processor.ts';
import { logRecorder } from '../processor/processor-fixture.ts';
import { ListWatch } from '../reflector/list-watch.ts';
import type { SharedIndexInformerOptions } from './informer-options.ts';
import { SharedIndexInformer } from './shared-index-informer.ts';

export interface Thing extends KubernetesObject {
  spec?: { color?: string };
}

interface OpenWatch {
  push(event: WatchEvent<Thing>): void;
  end(error?: Error): void;
}

/**
 * The smallest thing that can be listed and watched: a revision, a history, and faults on demand. Changes made while
 * `quiet` is set are in the history, but open watches do not hear of them.
 */
export class ScriptedSource {
  readonly objects = new Map<string, Thing>();
  readonly requests: string[] = [];
  /** Thrown by the next lists, in order. */
  readonly listFailures: Error[] = [];
  /** Thrown by the next watches, in order. */
  readonly watchFailures: Error[] = [];
  quiet = false;
  #revision = 0;
  #uids = 0;
  #compacted = 0;
  readonly #history: { revision: number; event: WatchEvent<Thing> }[] = [];
  readonly #watches = new Set<OpenWatch>();

  get openWatches(): number {
    return this.#watches.size;
  }

  set(name: string, spec: Thing['spec'] = {}, labels: Record<string, string> = {}): Thing {
    const old = this.objects.get(name);
    const revision = ++this.#revision;
    const thing: Thing = {
      kind: 'Thing',
      apiVersion: 'v1',
      metadata: {
        namespace: 'default',
        name,
        uid: old?.metadata?.uid ?? `uid-${++this.#uids}`,
        resourceVersion: String(revision),
        labels,
      },
      spec,
    };
    this.objects.set(name, thing);
    this.#tell({ type: old ? 'MODIFIED' : 'ADDED', object: thing });
    return thing;
  }

  remove(name: string): void {
    const old = this.objects.get(name);
    if (!old) return;
    this.objects.delete(name);
    const metadata = { ...old.metadata, resourceVersion: String(++this.#revision) };
    this.#tell({ type: 'DELETED', object: { ...old, metadata } });
  }

  /** Ends every open watch, cleanly or with an error. */
  cut(error?: Error): void {
    for (const watch of [...this.#watches]) watch.end(error);
  }

  /** Watches from before now get a 410. */
  compact(): void {
    this.#compacted = this.#revision;
  }

  send(event: WatchEvent<Thing>): void {
    for (const watch of this.#watches) watch.push(event);
  }

  readonly listWatch = new ListWatch<Thing>({
    list: (options) => this.#list(options),
    watch: (options, { signal }) => this.#watch(options, signal),
  });

  #tell(event: WatchEvent<Thing>): void {
    this.#history.push({ revision: this.#revision, event });
    if (!this.quiet) this.send(event);
  }

  async #list({ resourceVersion }: ListOptions): Promise<KubernetesList<Thing>> {
    this.requests.push(`list ${resourceVersion ?? ''}`);
    const failure = this.listFailures.shift();
    if (failure) throw failure;
    return {
      metadata: { resourceVersion: String(this.#revision) },
      items: structuredClone([...this.objects.values()]),
    };
  }

  async #watch({ resourceVersion = '' }: ListOptions, signal: AbortSignal): Promise<AsyncIterable<WatchEvent<Thing>>> {
    this.requests.push(`watch ${resourceVersion}`);
    const failure = this.watchFailures.shift();
    if (failure) throw failure;
    const from = Number(resourceVersion);
    if (from < this.#compacted) throw new ApiError({ code: 410, reason: 'Expired', message: 'too old' });
    const pending = this.#history.filter(({ revision }) => revision > from).map(({ event }) => structuredClone(event));
    let wake = () => {};
    let ended: { error?: Error } | undefined;
    const watch: OpenWatch = {
      push: (event) => {
        pending.push(structuredClone(event));
        wake();
      },
      end: (error) => {
        ended = error ? { error } : {};
        this.#watches.delete(watch);
        wake();
      },
    };
    this.#watches.add(watch);
    signal.addEventListener('abort', () => watch.end());
    return (async function* () {
      for (;;) {
        for (let event = pending.shift(); event; event = pending.shift()) yield event;
        if (ended?.error) throw ended.error;
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    })();
  }
}

/** What a handler hears, as `add a@1`, `update a@1->2`, `delete a@2`; `!` marks an initial add or an unknown final state. */
export function listener(): ResourceEventHandler<Thing> & { heard: string[] } {
  const heard: string[] = [];
  const at = ({ metadata }: Thing) => `${metadata?.name}@${metadata?.resourceVersion}`;
  return {
    heard,
    onAdd: (thing, initial) => void heard.push(`add ${at(thing)}${initial ? '!' : ''}`),
    onUpdate: (old, thing) => void heard.push(`update ${at(old)}->${thing.metadata?.resourceVersion}`),
    onDelete: (thing, unknown) => void heard.push(`delete ${at(thing)}${unknown ? '!' : ''}`),
  };
}

type FixtureOptions = Partial<Omit<Extract<SharedIndexInformerOptions<Thing>, { listWatch: unknown }>, 'listWatch'>>;

/** An informer on a scripted source, under a clock that stands still. */
export function informerFixture(options: FixtureOptions = {}) {
  const source = new ScriptedSource();
  const clock = new FakeClock(0);
  const logger = logRecorder();
  const stop = new AbortController();
  const errors: Error[] = [];
  const informer = new SharedIndexInformer<Thing>({
    name: 'things',
    clock,
    logger,
    random: () => 0,
    watchErrorHandler: (error) => void errors.push(error),
    ...options,
    listWatch: source.listWatch,
  });
  return {
    source,
    clock,
    logger,
    errors,
    informer,
    stop,
    run: () => informer.run({ signal: stop.signal }),
    settle: (ms = 0) => clock.advance(ms),
  };
}
