import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyPlan, anySteps, ListenerModel } from './listener-model-fixture.ts';

const OBJECTS = 200;
/** All of them are heard of within a small part of a period. */
const FEW_OBJECTS = 20;

describe('listeners of every pace, period, delivery and filter, whatever changes meanwhile', () => {
  it('hear a story that makes sense, end with what is stored, and in each round hear of all that has not changed', async () => {
    let rounds = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyPlan, { minLength: 2, maxLength: 4 }), anySteps(OBJECTS), async (plans, steps) => {
        const model = new ListenerModel(OBJECTS);
        for (const plan of plans) {
          model.listen(plan);
          await model.run({ do: 'advance', ms: 5 });
        }
        await model.settle();
        for (const step of steps) await model.run(step);
        await model.settle();
        rounds += model.rounds;
      }),
      { numRuns: 40 },
    );
    expect(rounds).toBeGreaterThan(40);
  });

  it('hear of every object again exactly once in each period when they are quick enough, whatever the offsets', async () => {
    const periods = [1_000, 1_700, 3_000];
    const anyOffsets = fc.array(fc.nat(900), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(anyOffsets, fc.constantFrom('sync' as const, 'async' as const), async (offsets, pace) => {
        const model = new ListenerModel(FEW_OBJECTS);
        const advance = async (ms: number) => {
          await model.run({ do: 'advance', ms });
          await model.settle();
        };
        for (const [nth, offset] of offsets.entries()) {
          const delivery = nth % 2 === 0 ? 'all' : 'latest';
          model.listen({ delivery, pace, isFiltered: nth % 3 === 2, resyncMs: periods[nth % 3] ?? 0 });
          await model.settle();
          await advance(offset);
        }
        for (let ms = 0; ms < 6_000; ms += 450) await advance(450);
        expect(model.rounds).toBe(model.periods);
      }),
      { numRuns: 10 },
    );
  });
});
