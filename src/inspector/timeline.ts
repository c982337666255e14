import type { ChannelValues } from '../observe/channels.ts';
import type { Clock } from '../observe/clock.ts';
import type { TimelineEvent, TimelineKind } from './protocol.ts';
import { Ring } from './ring.ts';

const MAX_EVENTS = 10_000;
/** Failures of one handler or controller between two ticks; further ones are counted. */
const MAX_ALIKE = 10;
/** Of a message. */
const MAX_TEXT = 300;

/** What happened that is worth a look, in words. */
export class Timeline {
  readonly events = new Ring<TimelineEvent>(MAX_EVENTS);
  readonly #clock: Clock;
  readonly #phases = new Map<number, string>();
  /** By who failed, since the last tick. */
  readonly #failures = new Map<string, { kind: TimelineKind; count: number }>();
  #seq = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  listed({ name, namespace, how, items, resourceVersion, failure, startMs, atMs }: ChannelValues['list']): void {
    const what = how === 'list' ? 'list' : 'list by watch';
    const where = inNamespace(namespace);
    const tookMs = atMs - startMs;
    if (failure === undefined) {
      this.#add('list', name, `${what}${where}: ${items ?? 0} objects at version ${resourceVersion ?? ''}`, tookMs);
    } else this.#add('failure', name, `${what}${where} failed: ${failure}`, tookMs);
  }

  watched({ name, namespace, step, resourceVersion, events, failure, startMs, atMs }: ChannelValues['watch']): void {
    const where = inNamespace(namespace);
    const from = resourceVersion === '' ? 'now' : `version ${resourceVersion}`;
    const tookMs = atMs - startMs;
    if (step === 'opened') this.#add('watch', name, `watch${where} from ${from}`);
    else if (step === 'failed') this.#add('failure', name, `watch${where} from ${from} failed: ${failure}`, tookMs);
    else if (failure === undefined) this.#add('end', name, `watch${where} ended at ${from}, ${events} events`, tookMs);
    else this.#add('failure', name, `watch${where} broke at ${from}, ${events} events: ${failure}`, tookMs);
  }

  handlerFailed({ handler, type, key }: ChannelValues['handler']): void {
    if (this.#isOneTooMany('handler', handler)) return;
    this.#add('handler', handler, `the handler failed on the ${type} of ${key}`);
  }

  runFailed({ controller, key, attempt, error = '', startMs, atMs }: ChannelValues['run']): void {
    if (this.#isOneTooMany('run', controller)) return;
    this.#add(
      'run',
      controller,
      `the run of ${key} failed, attempt ${attempt}: ${error.slice(0, MAX_TEXT)}`,
      atMs - startMs,
    );
  }

  /** To be called with each state of an informer. */
  fares(informer: number, name: string, phase: string, error: string | undefined): void {
    const before = this.#phases.get(informer);
    this.#phases.set(informer, phase);
    if (before === undefined || before === phase) return;
    this.#add('state', name, `${before} → ${phase}${error === undefined ? '' : `: ${error.slice(0, MAX_TEXT)}`}`);
  }

  /** To be called at each tick. */
  endOfTick(): void {
    for (const [who, { kind, count }] of this.#failures) {
      if (count > MAX_ALIKE) this.#add(kind, who, `and ${count - MAX_ALIKE} more failures`);
    }
    this.#failures.clear();
  }

  #isOneTooMany(kind: TimelineKind, who: string): boolean {
    const failures = this.#failures.get(who) ?? { kind, count: 0 };
    this.#failures.set(who, failures);
    return ++failures.count > MAX_ALIKE;
  }

  #add(kind: TimelineKind, who: string, text: string, tookMs?: number): void {
    const event = { seq: ++this.#seq, atMs: this.#clock.now(), kind, who, text };
    this.events.push(tookMs === undefined ? event : { ...event, tookMs });
  }
}

function inNamespace(namespace: string | undefined): string {
  return namespace === undefined ? '' : ` in ${namespace}`;
}
