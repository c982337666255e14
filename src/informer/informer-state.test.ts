import { describe, expect, it } from 'vitest';
import type { ReflectorState } from '../reflector/reflector-state.ts';
import { combinedState as combined } from './informer-state.ts';

const combinedState = (states: readonly ReflectorState[]) => combined(states, (state) => state);

const watching: ReflectorState = { phase: 'watching', since: 50, lastContact: 90 };

describe('the state of an informer of several namespaces', () => {
  it('is that of the only one', () => {
    expect(combinedState([watching])).toEqual(watching);
    expect(combinedState([])).toEqual({ phase: 'idle', since: 0 });
  });

  it.each([
    ['unauthorized', 'forbidden'],
    ['forbidden', 'backoff'],
    ['backoff', 'listing'],
    ['listing', 'watching'],
    ['gone', 'unauthorized'],
    ['idle', 'watching'],
  ] as const)('has the phase %s rather than %s', (worse, better) => {
    const states = [
      { phase: better, since: 1 },
      { phase: worse, since: 2 },
    ];
    expect(combinedState(states)).toEqual({ phase: worse, since: 2 });
    expect(combinedState(states.toReversed())).toEqual({ phase: worse, since: 2 });
  });

  it('has been behind for as long as the one that has been so for longest', () => {
    const gone: ReflectorState = { phase: 'gone', since: 80, behindSince: 70, lastContact: 65 };
    const behind: ReflectorState = { phase: 'backoff', since: 99, behindSince: 30, lastContact: 25 };
    expect(combinedState([watching, gone, behind])).toEqual({
      phase: 'gone',
      since: 80,
      behindSince: 30,
      lastContact: 25,
    });
  });

  it('has had no contact while one of them has had none', () => {
    expect(combinedState([watching, { phase: 'listing', since: 1, behindSince: 1 }])).toEqual({
      phase: 'listing',
      since: 1,
      behindSince: 1,
    });
  });

  it('names what is left out in all of them', () => {
    const a = { key: 'a/x', reason: 'no' };
    const b = { key: 'b/x', reason: 'no' };
    const parts = [a, b].map((left) => ({ ...watching, leftOut: [left], leftOutCount: 1 }));
    expect(combinedState([watching, ...parts])).toMatchObject({ leftOut: [a, b], leftOutCount: 2 });
  });

  it('names the first hundred of what is left out, and counts all', () => {
    const leftOut = Array.from({ length: 70 }, (_, i) => ({ key: `a/${i}`, reason: 'no' }));
    const part = { ...watching, leftOut, leftOutCount: 1_000 };
    const both = combinedState([part, part]);
    expect(both.leftOut).toHaveLength(100);
    expect(both.leftOutCount).toBe(2_000);
  });

  it('asks for one whole state, however many namespaces there are', () => {
    const parts = Array.from({ length: 1_000 }, (_, i): ReflectorState => ({ ...watching, since: i }));
    const asked: ReflectorState[] = [];
    const all = [...parts, { phase: 'backoff', since: 7 } as const];
    const both = combined(all, (state) => {
      asked.push(state);
      return state;
    });
    expect(both).toEqual({ phase: 'backoff', since: 7 });
    expect(asked).toHaveLength(1);
  });
});
