import { describe, expect, expectTypeOf, it } from 'vitest';
import type { DeploymentCondition } from '../generated/api/apps/v1.ts';
import type { Condition as GeneratedCondition } from '../generated/api/meta/v1.ts';
import { type Condition, setCondition } from './conditions.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const LATER = NOON + 61_500;
const ready: Condition = {
  type: 'Ready',
  status: 'False',
  reason: 'Starting',
  message: 'Waits for pods.',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T12:00:00Z',
};

describe('setCondition', () => {
  it('adds a condition of a new type at the end, with the time in whole seconds', () => {
    const { lastTransitionTime: _, ...said } = ready;
    for (const none of [undefined, null, []]) {
      expect(setCondition(none, said, NOON + 500)).toEqual({ conditions: [ready], changed: true });
    }
    const { conditions } = setCondition([ready], { type: 'Stalled', status: 'False', reason: 'Fine' }, new Date(NOON));
    expect(conditions.map(({ type, message }) => [type, message])).toEqual([
      ['Ready', 'Waits for pods.'],
      ['Stalled', ''],
    ]);
  });

  it('moves lastTransitionTime when the status changes, and not when the rest does', () => {
    const reason = setCondition([ready], { ...said(ready), reason: 'Slow' }, LATER);
    expect(reason).toEqual({ conditions: [{ ...ready, reason: 'Slow' }], changed: true });
    const status = setCondition([ready], { ...said(ready), status: 'True' }, LATER);
    expect(status.conditions).toEqual([{ ...ready, status: 'True', lastTransitionTime: '2026-01-01T12:01:01Z' }]);
  });

  it('takes a given lastTransitionTime when the status changes, and only then', () => {
    const lastTransitionTime = '2020-01-01T00:00:00Z';
    expect(setCondition([ready], { ...ready, status: 'True', lastTransitionTime }, LATER).conditions[0]).toMatchObject({
      lastTransitionTime,
    });
    expect(setCondition([ready], { ...ready, lastTransitionTime }, LATER).changed).toBe(false);
  });

  it('says that nothing changed, and gives the same list', () => {
    const conditions = [ready];
    const result = setCondition(conditions, said(ready), LATER);
    expect(result.changed).toBe(false);
    expect(result.conditions).toBe(conditions);
  });

  it('replaces observedGeneration and the message, also by nothing', () => {
    const { observedGeneration: _, ...without } = said(ready);
    const { message: __, lastTransitionTime: ___, ...bare } = ready;
    expect(setCondition([ready], { ...said(ready), observedGeneration: 2 }, LATER).changed).toBe(true);
    const { conditions, changed } = setCondition([ready], without, LATER);
    expect(changed).toBe(true);
    expect(conditions[0]).not.toHaveProperty('observedGeneration');
    expect(setCondition([ready], bare, LATER).conditions[0]?.message).toBe('');
  });

  it('changes neither the list nor the conditions that it was given', () => {
    const other = Object.freeze({ ...ready, type: 'Other' });
    const conditions = Object.freeze([Object.freeze({ ...ready }), other]);
    const result = setCondition(conditions, { ...said(ready), status: 'True' }, LATER);
    expect(result.conditions[1]).toBe(other);
    expect(conditions[0]).toEqual(ready);
  });

  it('keeps fields that only some kinds have', () => {
    const progressing: DeploymentCondition = { type: 'Progressing', status: 'True', lastUpdateTime: 'x' };
    const { conditions } = setCondition([progressing], { type: 'Progressing', status: 'False', reason: 'Slow' }, NOON);
    expect(conditions).toEqual([
      {
        type: 'Progressing',
        status: 'False',
        reason: 'Slow',
        lastUpdateTime: 'x',
        lastTransitionTime: '2026-01-01T12:00:00Z',
        message: '',
      },
    ]);
  });

  it('takes the conditions of the generated types', () => {
    const generated: GeneratedCondition[] = [];
    const result = setCondition(generated, { type: 'Ready', status: 'True', reason: 'Fine' });
    expectTypeOf(result.conditions).toEqualTypeOf<GeneratedCondition[]>();
    expect(result.conditions).toHaveLength(1);
  });
});

function said(condition: Condition): Omit<Condition, 'lastTransitionTime'> {
  const { lastTransitionTime: _, ...rest } = condition;
  return rest;
}
