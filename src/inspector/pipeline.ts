import type { Manager } from '../controller/manager.ts';
import type { SharedInformerFactory } from '../informer/shared-informer-factory.ts';
import type { ControllerNow, HandlerNow, InformerNow, ManagerNow } from './protocol.ts';
import type { InformerCounts, Recorder, RunCounts } from './recorder.ts';
import type { Redaction } from './redaction.ts';

const MAX_PARTS = 100;
const MAX_RUNNING = 50;
const MAX_ERROR = 300;

export interface PipelineOptions {
  factories: readonly SharedInformerFactory[];
  managers: readonly Manager[];
  redaction: Redaction;
}

/** What is there at present, with rates since the last look. */
export class Pipeline {
  readonly #options: PipelineOptions;
  readonly #recorder: Recorder;
  readonly #informersBefore = new Map<number, Omit<InformerCounts, 'calls'> & { calls: ReadonlyMap<string, number> }>();
  readonly #runsBefore = new Map<string, RunCounts>();

  constructor(options: PipelineOptions, recorder: Recorder) {
    this.#options = options;
    this.#recorder = recorder;
    this.follow();
  }

  /** Informers and controllers may come at any time. */
  follow(): void {
    const { factories, managers } = this.#options;
    for (const source of [...factories, ...managers]) this.#recorder.follow(source.informers());
    const names = managers.flatMap((manager) => manager.controllers().map(({ name }) => name));
    this.#recorder.followControllers(new Set(names));
  }

  /** @param perSecond what to multiply a count since the last look with. */
  look(perSecond: number): { informers: InformerNow[]; managers: ManagerNow[] } {
    this.follow();
    return {
      informers: this.#recorder.informers().map((followed) => this.#informer(followed, perSecond)),
      managers: this.#options.managers.map((manager) => this.#manager(manager, perSecond)),
    };
  }

  #informer({ informer, counts }: ReturnType<Recorder['informers']>[number], perSecond: number): InformerNow {
    const { id, name, resource, state, memory, parts, handlers } = informer;
    const before = this.#informersBefore.get(id);
    const callsNow = new Map(Array.from(counts.calls, ([label, { calls }]) => [label, calls]));
    this.#informersBefore.set(id, { ...counts, calls: callsNow });
    const rate = (what: 'frames' | 'bytes' | 'changes') => (counts[what] - (before?.[what] ?? 0)) * perSecond;
    const lastError = state.lastError === undefined ? undefined : short(state.lastError.message);
    return {
      id,
      name,
      kind: resource?.kind ?? '',
      showsAll: this.#options.redaction.showsAll(resource),
      phase: state.phase,
      sinceMs: state.since,
      ...(lastError !== undefined && { lastError }),
      ...(state.nextAttempt !== undefined && { nextAttemptMs: state.nextAttempt }),
      ...memory,
      parts: parts.slice(0, MAX_PARTS).map(({ namespace, phase, resourceVersion, queued }) => ({
        ...(namespace !== undefined && { namespace }),
        phase,
        version: resourceVersion,
        queued,
      })),
      handlers: handlers.map((handler): HandlerNow => {
        const { name: label, delivery, pending, lagMs, failures } = handler;
        const calls = ((callsNow.get(label) ?? 0) - (before?.calls.get(label) ?? 0)) * perSecond;
        return { name: label, delivery, pending, lagMs: Math.round(lagMs), failures, calls };
      }),
      frames: rate('frames'),
      bytes: rate('bytes'),
      changes: rate('changes'),
    };
  }

  #manager(manager: Manager, perSecond: number): ManagerNow {
    const { leader, shards } = manager;
    return {
      controllers: manager.controllers().map((controller): ControllerNow => {
        const { name, resource, phase, concurrency, queue, runs, failing, failingCount } = controller;
        const counts = this.#recorder.runCounts(name);
        const before = this.#runsBefore.get(name) ?? { runs: 0, errors: 0 };
        this.#runsBefore.set(name, { ...counts });
        return {
          name,
          kind: resource.kind,
          phase,
          concurrency,
          waiting: queue?.waiting ?? 0,
          delayed: queue?.delayed ?? 0,
          running: runs.slice(0, MAX_RUNNING).map(({ key, since }) => ({ key, sinceMs: since })),
          failing: failing.map(({ key, attempts, lastError, nextAttempt }) => ({
            key,
            attempts,
            lastError: short(lastError),
            nextAttemptMs: nextAttempt,
          })),
          failingCount,
          runs: (counts.runs - before.runs) * perSecond,
          errors: (counts.errors - before.errors) * perSecond,
        };
      }),
      ...(leader !== undefined && { leader }),
      shards: shards ?? [],
    };
  }
}

function short(text: string): string {
  return text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR)}…` : text;
}
