import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TimerHeap } from './timer-heap.ts';

describe('TimerHeap', () => {
  it('gives the entry that is due first, of equals the one that was added first, whatever was removed', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), dueMs: fc.nat(20) }),
      fc.record({ do: fc.constant('remove' as const), nth: fc.nat(50) }),
      fc.record({ do: fc.constant('take' as const) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const heap = new TimerHeap();
        const added: ReturnType<TimerHeap['add']>[] = [];
        let model: typeof added = [];
        for (const step of steps) {
          if (step.do === 'add') {
            const entry = heap.add(step.dueMs, () => {});
            added.push(entry);
            model.push(entry);
          } else {
            const gone =
              step.do === 'take'
                ? [...model].sort((a, b) => a.dueMs - b.dueMs || added.indexOf(a) - added.indexOf(b))[0]
                : added[step.nth];
            if (step.do === 'take') expect(heap.first).toBe(gone);
            if (gone) heap.remove(gone);
            model = model.filter((entry) => entry !== gone);
          }
          expect(heap.size).toBe(model.length);
        }
      }),
    );
  });
});
