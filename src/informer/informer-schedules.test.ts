import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import type { HandlerRegistration, ResourceEventHandler } from '../processor/processor.ts';
import { informerFixture, type Thing } from './informer-fixture.ts';

/**
 * Follows what a handler hears and fails when the promise of `ResourceEventHandler` is broken: add, updates, delete for
 * each uid, each update from the state heard before it, versions that do not go back.
 */
class Witness implements ResourceEventHandler<Thing> {
  readonly known = new Map<string, Thing>();
  readonly #failures: string[] = [];
  calls = 0;

  get failures(): readonly string[] {
    return this.#failures;
  }

  onAdd(thing: Thing): void {
    this.calls++;
    if (this.known.has(nameOf(thing))) this.#failures.push(`add of ${label(thing)}, which was known`);
    this.known.set(nameOf(thing), thing);
  }

  onUpdate(old: Thing, thing: Thing): void {
    this.calls++;
    const known = this.known.get(nameOf(thing));
    if (label(known) !== label(old)) this.#failures.push(`update from ${label(old)}, but ${label(known)} was known`);
    if (old.metadata?.uid !== thing.metadata?.uid) this.#failures.push(`update to another uid: ${label(thing)}`);
    if (Number(thing.metadata?.resourceVersion) < Number(old.metadata?.resourceVersion)) {
      this.#failures.push(`update back to ${label(thing)}`);
    }
    this.known.set(nameOf(thing), thing);
  }

  onDelete(thing: Thing): void {
    this.calls++;
    const known = this.known.get(nameOf(thing));
    if (known?.metadata?.uid !== thing.metadata?.uid)
      this.#failures.push(`delete of ${label(thing)}, but ${label(known)} was known`);
    this.known.delete(nameOf(thing));
  }
}

const nameOf = (thing: Thing) => thing.metadata?.name ?? '';
const label = (thing: Thing | undefined) =>
  thing ? `${nameOf(thing)}@${thing.metadata?.resourceVersion} ${thing.metadata?.uid}` : 'nothing';
const labels = (things: Iterable<Thing>) => [...things].map(label).sort();

const FAULTS: (() => Error)[] = [
  () => new ApiError({ code: 500, message: 'internal' }),
  () => new ApiError({ code: 429, message: 'slow down', details: { retryAfterSeconds: 1 } }),
  () => new ApiError({ code: 410, reason: 'Expired', message: 'too old' }),
  () => new ApiError({ code: 504, reason: 'Timeout', message: 'Too large resource version' }),
  () => new ApiError({ code: 403, message: 'no' }),
  () => Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  () => new Error('socket hang up'),
];

const name = fc.constantFrom('a', 'b', 'c');
const fault = fc.nat(FAULTS.length - 1);
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('set' as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('quiet' as const), on: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cut' as const), fault: fc.option(fault) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('streamError' as const), fault: fc.constantFrom(0, 1, 2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('failList' as const), fault }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('failWatch' as const), fault }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 100, 1_000, 10_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('listen' as const), latest: fc.boolean(), resync: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), nth: fc.nat(3) }) },
);

const faultAt = (index: number) => FAULTS[index]?.() ?? new Error('no such fault');

describe.each(['delta', 'inOrder'] as const)(
  'an informer with the %s queue, under any schedule of changes and faults',
  (queue) => {
    it('ends with the state of the server, and every handler has heard a story that makes sense', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
          const { source, informer, clock, run, stop } = informerFixture({ queue });
          const witnesses: { witness: Witness; registration: HandlerRegistration; left: boolean }[] = [];
          const listen = (latest: boolean, resync: boolean) => {
            const witness = new Witness();
            const registration = informer.addEventHandler(witness, {
              delivery: latest ? 'latest' : 'all',
              resyncMs: resync ? 1_500 : 0,
            });
            witnesses.push({ witness, registration, left: false });
          };
          // A stream that leaves changes out cannot be told from a true one, so the silence ends with the stream.
          const setQuiet = (on: boolean) => {
            source.quiet = on;
            if (!on) source.cut();
          };
          listen(false, false);
          const running = run();
          for (const now of steps) {
            if (now.do === 'set') source.set(now.name);
            else if (now.do === 'remove') source.remove(now.name);
            else if (now.do === 'quiet') setQuiet(now.on);
            else if (now.do === 'cut') source.cut(now.fault === null ? undefined : faultAt(now.fault));
            else if (now.do === 'compact') source.compact();
            else if (now.do === 'failList') source.listFailures.push(faultAt(now.fault));
            else if (now.do === 'failWatch') source.watchFailures.push(faultAt(now.fault));
            else if (now.do === 'wait') await clock.advance(now.ms);
            else if (now.do === 'listen') listen(now.latest, now.resync);
            else if (now.do === 'streamError') {
              const error = faultAt(now.fault);
              if (error instanceof ApiError)
                source.send({ type: 'ERROR', object: { kind: 'Status', ...error.status } });
            } else {
              const leaving = witnesses[now.nth];
              if (leaving) {
                leaving.left = true;
                await leaving.registration.remove();
              }
            }
          }
          setQuiet(false);
          await clock.advance(300_000);
          const waits = () => witnesses.some(({ registration, left }) => !left && registration.pending > 0);
          while (waits()) await clock.advance(0);

          expect(informer.hasSynced()).toBe(true);
          expect(labels(informer.store.list())).toEqual(labels(source.objects.values()));
          for (const { witness, registration, left } of witnesses) {
            expect(witness.failures).toEqual([]);
            if (left) continue;
            expect(labels(witness.known.values())).toEqual(labels(source.objects.values()));
            expect(registration.hasSynced()).toBe(true);
            expect(registration.pending).toBe(0);
          }
          stop.abort();
          await running;
          const calls = witnesses.map(({ witness }) => witness.calls);
          source.set('a');
          await clock.advance(60_000);
          expect(witnesses.map(({ witness }) => witness.calls)).toEqual(calls);
          expect(clock.pendingTimers).toBe(0);
        }),
        { numRuns: 150 },
      );
    }, 120_000);
  },
);
