import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeletedFinalStateUnknown } from '../api/deleted-final-state-unknown.ts';
import { DeltaFIFO } from './delta-fifo.ts';
import { InOrderQueue } from './in-order-queue.ts';
import type { Delta, Deltas, Queue, QueueOptions } from './queue.ts';

interface Thing {
  name: string;
  version: number;
}

// More than the DeltaFIFO looks through without a map.
const KEYS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', '__proto__'];
// Few enough to meet again.
const anyKey = fc.constantFrom('a', 'b', 'c', '__proto__');

type Step =
  | { do: 'add' | 'update' | 'delete'; key: string }
  | { do: 'replace'; keep: string[]; change: string[] }
  | { do: 'resync' | 'popNow' | 'popNowFails' | 'startPop' | 'settle' | 'settleFails' };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constantFrom('add', 'update', 'delete'), key: anyKey }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('replace' as const),
      keep: fc.subarray(KEYS),
      change: fc.subarray(KEYS),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('resync', 'popNow', 'popNowFails', 'startPop', 'settle', 'settleFails'),
    }),
  },
);

const anyRun = fc.record({ known: fc.subarray(KEYS), steps: fc.array(anyStep, { maxLength: 40 }) });

/** A server whose state changes, a queue, and a consumer that keeps a store as the informer does. */
class World {
  readonly server = new Map<string, number>();
  readonly store = new Map<string, Thing>();
  readonly queue: Queue<Thing>;
  readonly #lastSeen = new Map<string, number>();
  readonly #onApply: (delta: Delta<Thing>, key: string) => void;
  #version = 0;
  #processing: { settle: (error?: Error) => void; popped: Promise<unknown> } | undefined;
  /** "Everything of the first replace", keys or deltas; undefined until something has been said. */
  #initial: Set<unknown> | undefined;

  constructor(
    make: (options: QueueOptions<Thing>) => Queue<Thing>,
    known: readonly string[],
    onApply: (delta: Delta<Thing>, key: string) => void = () => {},
  ) {
    this.#onApply = onApply;
    this.queue = make({
      keyFunction: (object) => object.name,
      retryOnError: true,
      knownObjects: { listKeys: () => this.store.keys(), getByKey: (key) => this.store.get(key) },
    });
    for (const name of known) {
      this.store.set(name, this.#next(name));
      this.server.set(name, this.#version);
    }
  }

  get isProcessing(): boolean {
    return this.#processing !== undefined;
  }

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'add':
      case 'update':
        this.queue[step.do](this.#changed(step.key));
        this.#initial ??= new Set();
        break;
      case 'delete':
        this.server.delete(step.key);
        this.queue.delete(this.#next(step.key));
        this.#initial ??= new Set();
        break;
      case 'replace':
        await this.#replace(step.keep, step.change);
        break;
      case 'resync':
        this.queue.resync();
        break;
      case 'popNow':
        if (!this.isProcessing) void this.queue.popNow((deltas) => this.#apply(deltas, this.#initial));
        break;
      case 'popNowFails':
        if (!this.isProcessing && this.queue.length > 0) expect(() => this.queue.popNow(fail)).toThrow('busy');
        break;
      case 'startPop':
        if (!this.isProcessing && this.queue.length > 0) this.#startPop();
        break;
      case 'settle':
        await this.#settle();
        break;
      case 'settleFails':
        await this.#settle(new Error('busy'));
        break;
    }
    expect(this.queue.hasSynced()).toBe(this.#initial?.size === 0);
  }

  async drain(): Promise<void> {
    await this.run({ do: 'settle' });
    while (this.queue.length > 0) await this.run({ do: 'popNow' });
  }

  #next(name: string): Thing {
    return { name, version: ++this.#version };
  }

  #changed(name: string): Thing {
    const object = this.#next(name);
    this.server.set(name, object.version);
    return object;
  }

  async #replace(keep: string[], change: string[]): Promise<void> {
    for (const name of KEYS) if (!keep.includes(name)) this.server.delete(name);
    for (const name of change) this.#changed(name);
    const list = Array.from(this.server, ([name, version]) => ({ name, version }));
    await this.queue.replace(list, String(this.#version));
    if (this.#initial !== undefined) return;
    this.#initial = new Set<unknown>(
      this.queue instanceof InOrderQueue ? this.queue.list() : [...this.server.keys(), ...this.store.keys()],
    );
  }

  #startPop(): void {
    let settle: (error?: Error) => void = () => {};
    const initial = this.#initial;
    const popped = this.queue.pop(
      (deltas) =>
        new Promise((resolve, reject) => {
          settle = (error) => {
            if (error !== undefined) return reject(error);
            this.#apply(deltas, initial);
            resolve();
          };
        }),
    );
    this.#processing = { settle, popped };
  }

  async #settle(error?: Error): Promise<void> {
    const processing = this.#processing;
    if (processing === undefined) return;
    this.#processing = undefined;
    processing.settle(error);
    if (error === undefined) await processing.popped;
    else await expect(processing.popped).rejects.toBe(error);
  }

  /** `initial` as it was when the deltas were popped: what was popped before the first list is not of it. */
  #apply(deltas: Deltas<Thing>, initial: Set<unknown> | undefined): void {
    expect(deltas.length).toBeGreaterThan(0);
    for (const delta of deltas) {
      const object = delta.object instanceof DeletedFinalStateUnknown ? delta.object.obj : delta.object;
      const key = object.name;
      expect(object.version).toBeGreaterThanOrEqual(this.#lastSeen.get(key) ?? 0);
      this.#lastSeen.set(key, object.version);
      if (delta.type === 'Sync') expect(object).toBe(this.store.get(key));
      this.#onApply(delta, key);
      if (delta.type === 'Deleted') this.store.delete(key);
      else this.store.set(key, object);
      initial?.delete(key);
      initial?.delete(delta);
    }
  }
}

function fail(): void {
  throw new Error('busy');
}

function stateOf(store: ReadonlyMap<string, Thing>): Record<string, number>[] {
  return Array.from(store.values(), ({ name, version }) => ({ [name]: version })).sort(byText);
}

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

describe('whatever happens to the objects, and however processing fails and is retried', () => {
  it('the DeltaFIFO loses nothing, keeps the order of each object, deletes only what is there, and knows when it has synced', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async ({ known, steps }) => {
        const world: World = new World(
          (options) => new DeltaFIFO(options),
          known,
          (delta, key) => {
            if (delta.type === 'Deleted') expect(world.store.has(key)).toBe(true);
          },
        );
        for (const step of steps) await world.run(step);
        await world.drain();
        expect(stateOf(world.store)).toEqual(
          Array.from(world.server, ([name, version]) => ({ [name]: version })).sort(byText),
        );
      }),
      { numRuns: 1500 },
    );
  });

  it('the InOrderQueue loses nothing, hands out in exactly the order of its list, and knows when it has synced', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async ({ known, steps }) => {
        const applied: Delta<Thing>[] = [];
        const queue = { current: new InOrderQueue<Thing>() };
        const world = new World(
          (options) => {
            queue.current = new InOrderQueue(options);
            return queue.current;
          },
          known,
          (delta) => applied.push(delta),
        );
        let queued: Delta<Thing>[] = [];
        for (const step of [...steps, { do: 'settle' as const }]) {
          await world.run(step);
          if (world.isProcessing) continue;
          const now = [...applied, ...queue.current.list()];
          expect(now.slice(0, queued.length)).toEqual(queued);
          queued = now;
        }
        await world.drain();
        expect(applied).toEqual(queued);
        expect(stateOf(world.store)).toEqual(
          Array.from(world.server, ([name, version]) => ({ [name]: version })).sort(byText),
        );
      }),
      { numRuns: 1500 },
    );
  });
});
