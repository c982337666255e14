import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cached } from '../api/cached.ts';
import { Notification } from './notification.ts';
import { EveryChange, LatestChange, type Pending, RingBuffer } from './pending.ts';
import { version } from './processor-fixture.ts';

describe('RingBuffer', () => {
  it('behaves as an array does with push and shift, and gives its memory back', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(), fc.constant('shift' as const)), { maxLength: 400 }), (operations) => {
        const ring = new RingBuffer<number>(4);
        const model: number[] = [];
        for (const operation of operations) {
          if (operation === 'shift') expect(ring.shift()).toBe(model.shift());
          else {
            ring.push(operation);
            model.push(operation);
          }
          expect(ring.length).toBe(model.length);
          expect(ring.peek()).toBe(model[0]);
          expect(ring.capacity).toBeLessThanOrEqual(Math.max(4, model.length * 4));
        }
      }),
    );
  });
});

/** A history of one object as the delta handler makes it: adds, updates and deletes that follow from each other. */
type Step = 'change' | 'delete' | 'recreate';
const steps = fc.array(fc.constantFrom<Step>('change', 'delete', 'recreate'), { minLength: 1, maxLength: 30 });

function history(ops: readonly Step[]): Notification<object>[] {
  const made: Notification<object>[] = [];
  let current: Cached | undefined;
  let uid = 0;
  for (const [index, step] of ops.entries()) {
    const rv = String(index + 1);
    if (!current) {
      current = version('a', rv, `uid-${++uid}`);
      made.push(Notification.add(current, index === 0, 0));
    } else if (step === 'change') {
      const next = version('a', rv, current.uid);
      made.push(Notification.update(current, next, 0));
      current = next;
    } else {
      made.push(Notification.delete(current, false, 0));
      current = step === 'recreate' ? version('a', rv, `uid-${++uid}`) : undefined;
      if (current) made.push(Notification.add(current, false, 0));
    }
  }
  return made;
}

/** Follows what a listener hears and fails when it breaks the promise of `ResourceEventHandler`. */
function listen(knownUid: string | undefined, notification: Notification<object>): string | undefined {
  const { type, object, old } = notification;
  if (type === 'add') {
    expect(knownUid).toBeUndefined();
    return object.uid;
  }
  expect(object.uid).toBe(knownUid);
  if (type === 'update') expect(old?.uid).toBe(knownUid);
  return type === 'delete' ? undefined : knownUid;
}

describe.each<[string, () => Pending<object>]>([
  ['EveryChange', () => new EveryChange()],
  ['LatestChange', () => new LatestChange()],
])('%s', (name, make) => {
  it('delivers add, updates, delete for each uid, ends with the last state, and settles the initial list', () => {
    fc.assert(
      fc.property(steps, fc.infiniteStream(fc.boolean()), fc.boolean(), (ops, takes, isShared) => {
        const pending = make();
        let uid: string | undefined;
        let heard: Cached | undefined;
        let initial = 0;
        const take = () => {
          const next = pending.shift();
          if (next === undefined) return;
          const isOne = next instanceof Notification;
          initial += isOne ? Number(next.isInitial) : next.initial;
          for (const notification of isOne ? [next] : next.notifications()) {
            uid = listen(uid, notification);
            heard = notification.type === 'delete' ? undefined : notification.object;
          }
        };
        const all = history(ops);
        for (const notification of all) {
          initial += pending.push(notification, isShared);
          const isLive = notification.type !== 'delete';
          if (name === 'LatestChange') expect(pending.length).toBeLessThanOrEqual(isLive || uid !== undefined ? 1 : 0);
          if (takes.next().value) take();
        }
        while (pending.length > 0) take();
        const last = all.at(-1);
        expect(heard).toBe(last?.type === 'delete' ? undefined : last?.object);
        expect(initial).toBe(1);
      }),
    );
  });
});

describe('EveryChange', () => {
  it('holds an addition of the initial list as the object alone, unless others share its view or somebody has looked', () => {
    const pending = new EveryChange();
    const additions = ['a', 'b', 'c'].map((name) => Notification.add(version(name, '1'), true, 5));
    const [alone, shared, seen] = additions;
    if (!alone || !shared || !seen) throw new Error('there are three');
    seen.view();
    pending.push(alone, false);
    expect(pending.oldestAtMs).toBe(5);
    pending.push(shared, true);
    pending.push(seen, false);
    const made = pending.shift();
    expect(made).not.toBe(alone);
    expect(made).toMatchObject({ type: 'add', object: alone.object, flag: true, atMs: 5 });
    expect(pending.shift()).toBe(shared);
    expect(pending.shift()).toBe(seen);
    expect(pending.oldestAtMs).toBeUndefined();
  });
});
