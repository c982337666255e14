import fc from 'fast-check';
import { expect } from 'vitest';
import type { Cached } from '../api/cached.ts';
import type { KubernetesObject } from '../api/metadata.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import type { Listener } from './listener.ts';
import { Notification } from './notification.ts';
import type { Delivery, ResourceEventHandler } from './processor.ts';
import { processorFixture, version } from './processor-fixture.ts';

/** How soon a call returns: at once, in another turn, or when the test says so. */
export type Pace = 'sync' | 'async' | 'gated';

export interface ListenerPlan {
  delivery: Delivery;
  resyncMs: number;
  isFiltered: boolean;
  pace: Pace;
}

export type Step =
  | { do: 'set'; nth: number }
  | { do: 'remove'; nth: number }
  | { do: 'recreate'; nth: number }
  | { do: 'advance'; ms: number }
  | { do: 'turns'; count: number }
  | { do: 'release'; nth: number; count: number }
  | { do: 'listen'; plan: ListenerPlan };

export const anyPlan: fc.Arbitrary<ListenerPlan> = fc.record({
  delivery: fc.constantFrom<Delivery>('all', 'latest'),
  resyncMs: fc.constantFrom(0, 1_000, 1_000, 1_700, 3_000),
  isFiltered: fc.boolean(),
  pace: fc.constantFrom<Pace>('sync', 'async', 'gated'),
});

export function anySteps(objects: number): fc.Arbitrary<Step[]> {
  const nth = fc.nat(objects - 1);
  const change = fc.constantFrom(
    'set' as const,
    'set' as const,
    'set' as const,
    'remove' as const,
    'recreate' as const,
  );
  return fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.record({ do: change, nth }) },
      { weight: 5, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(5, 700, 1_000) }) },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('turns' as const), count: fc.nat(6) }) },
      { weight: 3, arbitrary: fc.record({ do: fc.constant('release' as const), nth: fc.nat(3), count: fc.nat(60) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('listen' as const), plan: anyPlan }) },
    ),
    { minLength: 30, maxLength: 60 },
  );
}

/** Follows what one listener hears, and notes each breach of the promise of `ResourceEventHandler`. A call takes a millisecond. */
export class Witness implements ResourceEventHandler<KubernetesObject> {
  readonly known = new Map<string, string>();
  readonly failures: string[] = [];
  /** How often each object was heard of unchanged since the round began that is under way. */
  again = new Map<string, number>();
  readonly #pace: Pace;
  readonly #clock: FakeClock;
  #waiting: (() => void) | undefined;

  constructor(pace: Pace, clock: FakeClock) {
    this.#pace = pace;
    this.#clock = clock;
  }

  onAdd(object: KubernetesObject): void | Promise<void> {
    const name = nameOf(object);
    if (this.known.has(name)) this.failures.push(`add of ${at(object)}, but ${this.known.get(name)} was known`);
    this.known.set(name, at(object));
    return this.#returned();
  }

  onUpdate(old: KubernetesObject, object: KubernetesObject): void | Promise<void> {
    const name = nameOf(object);
    if (this.known.get(name) !== at(old)) {
      this.failures.push(`update from ${at(old)}, but ${this.known.get(name)} was known`);
    }
    if (at(old) === at(object)) this.again.set(name, (this.again.get(name) ?? 0) + 1);
    if (versionOf(object) < versionOf(old)) this.failures.push(`update back to ${at(object)}`);
    this.known.set(name, at(object));
    return this.#returned();
  }

  onDelete(object: KubernetesObject): void | Promise<void> {
    const name = nameOf(object);
    if (!this.known.get(name)?.endsWith(` ${object.metadata?.uid}`)) {
      this.failures.push(`delete of ${at(object)}, but ${this.known.get(name)} was known`);
    }
    this.known.delete(name);
    return this.#returned();
  }

  release(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }

  #returned(): void | Promise<void> {
    this.#clock.spend(1);
    if (this.#pace === 'sync') return;
    return new Promise((resolve) => {
      if (this.#pace === 'async') setImmediate(resolve);
      else this.#waiting = resolve;
    });
  }
}

interface Round {
  readonly stored: ReadonlyMap<string, Cached>;
  /** How often the listener has fallen due since, this round included. */
  due: number;
}

interface Heard {
  readonly plan: ListenerPlan;
  readonly sinceMs: number;
  readonly witness: Witness;
  readonly listener: Listener<KubernetesObject>;
  round: Round | undefined;
}

/** A store whose changes are distributed, and listeners of every kind. Slices end after a few calls, whatever the machine does. */
export class ListenerModel {
  readonly listeners: Heard[] = [];
  /** How many rounds have been held against the promise. */
  rounds = 0;
  /** How many periods had passed at the last resync, all listeners together. */
  get periods(): number {
    const atMs = this.#resyncedMs;
    return this.listeners.reduce((sum, { plan, sinceMs }) => sum + Math.floor((atMs - sinceMs) / plan.resyncMs), 0);
  }

  readonly #fixture: ReturnType<typeof processorFixture>;
  #version = 0;
  #resyncedMs = 0;

  constructor(objects: number) {
    this.#fixture = processorFixture(0, new FakeClock(0));
    for (let nth = 0; nth < objects; nth++) this.#set(nth);
  }

  async run(step: Step): Promise<void> {
    const { clock } = this.#fixture;
    if (step.do === 'set') this.#set(step.nth);
    else if (step.do === 'remove') this.#remove(step.nth);
    else if (step.do === 'recreate') this.#recreate(step.nth);
    else if (step.do === 'listen') this.listen(step.plan);
    else if (step.do === 'advance') {
      await clock.advance(step.ms);
      this.#resync();
    } else if (step.do === 'turns') for (let n = 0; n < step.count; n++) await turn();
    else {
      for (let n = 0; n < step.count; n++) {
        this.listeners[step.nth]?.witness.release();
        await turn();
      }
    }
    this.#checkBounds();
    this.#closeRounds();
  }

  listen(plan: ListenerPlan): void {
    const { processor, store, clock } = this.#fixture;
    const witness = new Witness(plan.pace, clock);
    const { delivery, resyncMs } = plan;
    const options = { delivery, resyncMs, ...(plan.isFiltered && { filter: passes }) };
    const listener = processor.addHandler(witness, options, [...store.values()]);
    this.listeners.push({ plan, sinceMs: clock.monotonicMs(), witness, listener, round: undefined });
  }

  /** Lets all that waits be delivered, and holds what each listener knows against the store. */
  async settle(): Promise<void> {
    while (this.listeners.some(({ listener }) => listener.pending > 0)) {
      for (const { witness } of this.listeners) witness.release();
      await turn();
      this.#closeRounds();
    }
    for (const { plan, witness, listener } of this.listeners) {
      expect(witness.failures).toEqual([]);
      const shown = [...this.#fixture.store.values()].filter((object) => !plan.isFiltered || passes(object));
      expect([...witness.known.values()].sort()).toEqual(shown.map((object) => at(object.view())).sort());
      expect(listener.hasSynced()).toBe(true);
    }
    expect(this.#fixture.logger.lines.filter((line) => !line.includes('resync') && !line.includes('wait'))).toEqual([]);
  }

  #resync(): void {
    const { processor, store, clock } = this.#fixture;
    this.#resyncedMs = clock.monotonicMs();
    for (const heard of this.listeners) {
      const { listener } = heard;
      if (listener.nextResyncMs === undefined || listener.nextResyncMs > this.#resyncedMs) continue;
      if (heard.round !== undefined) heard.round.due++;
      else if (listener.hasSynced()) {
        heard.witness.again = new Map();
        heard.round = { stored: new Map(store), due: 1 };
      }
    }
    processor.resync(() => [...store.values()]);
  }

  /** `latest` keeps one entry at most for each object that is stored or known. */
  #checkBounds(): void {
    const { store } = this.#fixture;
    for (const { plan, listener, witness, round } of this.listeners) {
      if (plan.delivery !== 'latest' || !listener.hasSynced()) continue;
      const liveOrKnown = new Set(witness.known.keys());
      for (const { name } of store.values()) liveOrKnown.add(name);
      // What is left of a round is not an entry, and a call that runs does not wait any more.
      const besides = 1 + (round === undefined ? 0 : round.stored.size);
      expect(listener.pending).toBeLessThanOrEqual(liveOrKnown.size + besides);
    }
  }

  #closeRounds(): void {
    const { store } = this.#fixture;
    for (const heard of this.listeners) {
      const { plan, listener, witness, round } = heard;
      if (round === undefined || listener.pending > 0) continue;
      heard.round = undefined;
      this.rounds++;
      const wrong: string[] = [];
      for (const [key, object] of round.stored) {
        const isShown = store.get(key) === object && (!plan.isFiltered || passes(object));
        const again = witness.again.get(object.name) ?? 0;
        if ((isShown && again === 0) || again > round.due) wrong.push(`${key} was heard of ${again} times`);
      }
      expect(wrong).toEqual([]);
    }
  }

  #set(nth: number): void {
    const name = `object-${nth}`;
    const old = this.#fixture.store.get(`default/${name}`);
    const object = this.#next(name, old?.uid);
    this.#fixture.store.set(object.key, object);
    if (old) this.#distribute(Notification.update(old, object, 0));
    else this.#distribute(Notification.add(object, false, 0));
  }

  #remove(nth: number): void {
    const key = `default/object-${nth}`;
    const old = this.#fixture.store.get(key);
    if (!old) return;
    this.#fixture.store.delete(key);
    this.#distribute(Notification.delete(this.#next(old.name, old.uid), false, 0, old));
  }

  #recreate(nth: number): void {
    const old = this.#fixture.store.get(`default/object-${nth}`);
    if (!old) return;
    const object = this.#next(old.name);
    this.#fixture.store.set(object.key, object);
    this.#distribute(Notification.delete(old, true, 0));
    this.#distribute(Notification.add(object, false, 0));
  }

  #next(name: string, uid?: string): Cached {
    const resourceVersion = String(++this.#version);
    return version(name, resourceVersion, uid ?? `uid-${resourceVersion}`);
  }

  #distribute(notification: Notification<KubernetesObject>): void {
    this.#fixture.processor.distribute(notification, false);
  }
}

/** A part of the versions of every object. */
function passes(object: Cached): boolean {
  return Number(object.resourceVersion) % 3 !== 0;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const nameOf = ({ metadata }: KubernetesObject) => metadata?.name ?? '';
const versionOf = ({ metadata }: KubernetesObject) => Number(metadata?.resourceVersion);
const at = ({ metadata }: KubernetesObject) => `${metadata?.name}@${metadata?.resourceVersion} ${metadata?.uid}`;
