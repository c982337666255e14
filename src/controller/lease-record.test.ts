import { describe, expect, it } from 'vitest';
import { differences, microTime, recordOf, specOf } from './lease-record.ts';

const SPEC = {
  holderIdentity: 'us',
  leaseDurationSeconds: 15,
  acquireTime: '2026-01-01T00:00:00.000001Z',
  renewTime: '2026-01-01T00:00:02.000002Z',
  leaseTransitions: 3,
};

describe('the record of a Lease', () => {
  it('is the same after a way through a Lease and back', () => {
    const record = recordOf({ spec: SPEC });
    expect(specOf(record)).toEqual(SPEC);
    expect(recordOf({ spec: specOf(record) })).toEqual(record);
  });

  it('of a Lease without one has no holder and no duration', () => {
    const empty = { holder: '', durationSeconds: 0, acquireTime: '', renewTime: '', transitions: 0 };
    expect(recordOf({})).toEqual(empty);
    expect(recordOf({ spec: {} })).toEqual(empty);
  });

  it('differs by each of its fields, also by a microsecond', () => {
    const record = recordOf({ spec: SPEC });
    expect(differences(record, { ...record })).toEqual([]);
    const others = { ...SPEC, renewTime: '2026-01-01T00:00:02.000003Z', leaseTransitions: 4 };
    expect(differences(record, recordOf({ spec: others }))).toEqual([
      'renewTime was "2026-01-01T00:00:02.000002Z" and is "2026-01-01T00:00:02.000003Z"',
      'leaseTransitions was 3 and is 4',
    ]);
  });
});

describe('a time of a Lease', () => {
  it.each([
    [0, 0, '1970-01-01T00:00:00.000000Z'],
    [Date.UTC(2026, 0, 1, 12, 30, 5, 7), 0.042, '2026-01-01T12:30:05.007042Z'],
    [Date.UTC(2026, 0, 1) + 0.75, 0.999_999, '2026-01-01T00:00:00.000999Z'],
  ])('has six fraction digits and is in UTC (%d, %d)', (epochMs, random, text) => {
    expect(microTime(epochMs, () => random)).toBe(text);
  });
});
