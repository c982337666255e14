import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeltaFIFO } from '../queue/delta-fifo.ts';
import { CaughtUp } from './caught-up.ts';

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('CaughtUp', () => {
  it('resolves at once for what has been reached', async () => {
    const caughtUp = new CaughtUp({ length: 0 });
    caughtUp.queued('10');
    await caughtUp.waitFor('9').reached;
    await caughtUp.waitFor('10').reached;
  });

  it('resolves exactly when everything up to the version has left the queue, whatever the order of the changes', async () => {
    const change = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(3));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 40 }), async (changes) => {
        const queue = new DeltaFIFO<{ key: string; version: number }>({ keyFunction: ({ key }) => key });
        const caughtUp = new CaughtUp(queue);
        const stored = new Map<string, number>();
        const pop = () =>
          queue.popNow((deltas) => {
            for (const { object } of deltas) stored.set(object.key, (object as { version: number }).version);
          }) && caughtUp.popped();
        const reached = new Set<number>();
        const inStore = (version: number) =>
          changes.slice(0, version).every(([key], index) => (stored.get(key) ?? 0) >= index + 1);
        for (const [index, [key, pops]] of changes.entries()) {
          const version = index + 1;
          void caughtUp.waitFor(String(version)).reached.then(() => {
            expect(inStore(version)).toBe(true);
            reached.add(version);
          });
          queue.update({ key, version });
          caughtUp.queued(String(version));
          for (let n = 0; n < pops; n++) pop();
          await settle();
        }
        while (queue.length > 0) pop();
        await settle();
        expect(reached.size).toBe(changes.length);
      }),
      { numRuns: 50 },
    );
  });

  it('counts each of several that have left the queue together', async () => {
    const queue = { length: 5 };
    const caughtUp = new CaughtUp(queue);
    let reached = false;
    void caughtUp.waitFor('7').reached.then(() => {
      reached = true;
    });
    caughtUp.queued('7');
    // What came later waits behind it.
    queue.length = 2;
    caughtUp.popped(4);
    await settle();
    expect(reached).toBe(false);
    caughtUp.popped(1);
    await settle();
    expect(reached).toBe(true);
  });

  it('forgets a waiter that has cancelled', async () => {
    const caughtUp = new CaughtUp({ length: 0 });
    const wait = caughtUp.waitFor('5');
    let reached = false;
    void wait.reached.then(() => {
      reached = true;
    });
    wait.cancel();
    caughtUp.queued('6');
    await settle();
    expect(reached).toBe(false);
  });
});
