import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cached } from '../api/cached.ts';
import { InitialObjects } from './watch-list-cycle.ts';

const cached = (key: string, resourceVersion: string) => ({ key, resourceVersion }) as Cached;

test('holds the newest of each object, in whatever order they come and go', () => {
  const key = fc.stringMatching(/^[ab]{1,4}$/);
  const steps = fc.array(fc.record({ key, isDelete: fc.boolean() }), { maxLength: 100 });
  // Most servers begin with all objects in order.
  const sorted = fc.array(key).map((keys) => [...new Set(keys)].sort().map((it) => ({ key: it, isDelete: false })));
  fc.assert(
    fc.property(sorted, steps, (first, rest) => {
      const objects = new InitialObjects();
      const model = new Map<string, Cached>();
      for (const [version, step] of [...first, ...rest].entries()) {
        if (step.isDelete) {
          objects.delete(step.key);
          model.delete(step.key);
        } else {
          const object = cached(step.key, String(version));
          expect(objects.set(object)).toBe(!model.has(step.key));
          model.set(step.key, object);
        }
        expect(objects.size).toBe(model.size);
      }
      const all = objects.all();
      expect(all.length).toBe(model.size);
      expect(new Map(all.map((object) => [object.key, object]))).toEqual(model);
    }),
  );
});
