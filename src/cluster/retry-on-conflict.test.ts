import { describe, expect, it } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { configMaps } from '../generated/api/core/v1.ts';
import { FakeClock } from '../observe/fake-clock.ts';
import { ApiServer } from '../testing/api-server.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

const conflict = new ApiError({ kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' });

/** The lengths of all waits. */
function recordingClock() {
  const waits: number[] = [];
  return { waits, sleep: async (ms: number) => void waits.push(ms) };
}

describe('retryOnConflict', () => {
  it('reads, changes and writes again until no other writer came between', async () => {
    await using server = await ApiServer.start({ listen: false });
    const client = server.cluster().client(configMaps);
    await client.create({ metadata: { name: 'counter' }, data: { count: '0' } });
    const increment = () =>
      retryOnConflict(
        async () => {
          const { data, ...rest } = await client.get('counter');
          await client.update({ ...rest, data: { count: String(Number(data?.count) + 1) } });
        },
        { steps: 50 },
      );
    await Promise.all(Array.from({ length: 8 }, increment));
    expect((await client.get('counter')).data).toEqual({ count: '8' });
  });

  it('makes 5 calls, 10 ms and up to a tenth of it apart, and throws the last conflict', async () => {
    const clock = recordingClock();
    const attempts: number[] = [];
    const call = (attempt: number) => {
      attempts.push(attempt);
      throw conflict;
    };
    await expect(retryOnConflict(call, { clock, random: () => 0.5 })).rejects.toBe(conflict);
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
    expect(clock.waits).toEqual([10.5, 10.5, 10.5, 10.5]);
  });

  it('multiplies the waits with the factor', async () => {
    const clock = recordingClock();
    const options = { clock, steps: 4, factor: 5, jitter: 0 };
    await expect(retryOnConflict(() => Promise.reject(conflict), options)).rejects.toBe(conflict);
    expect(clock.waits).toEqual([10, 50, 250]);
  });

  it('throws every other error at once, and the conflict over a field of another manager', async () => {
    const cause = { reason: 'FieldManagerConflict', field: '.data.a', message: 'conflict with "other"' };
    const field = new ApiError({ kind: 'Status', code: 409, reason: 'Conflict', details: { causes: [cause] } });
    const exists = new ApiError({ kind: 'Status', code: 409, reason: 'AlreadyExists' });
    for (const error of [field, exists, new RangeError('mine')]) {
      let calls = 0;
      const call = () => {
        calls++;
        throw error;
      };
      await expect(retryOnConflict(call)).rejects.toBe(error);
      expect(calls).toBe(1);
    }
  });

  it('ends with the reason of its signal while it waits, and leaves no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const result = retryOnConflict(() => Promise.reject(conflict), { clock, signal: controller.signal });
    const rejected = expect(result).rejects.toBe('enough');
    await clock.advance(0);
    expect(clock.pendingTimers).toBe(1);
    controller.abort('enough');
    await rejected;
    expect(clock.pendingTimers).toBe(0);
  });

  it('refuses fewer than one step', async () => {
    await expect(retryOnConflict(() => 1, { steps: 0 })).rejects.toThrow(TypeError);
    await expect(retryOnConflict(() => 1, { steps: Number.NaN })).rejects.toThrow(TypeError);
  });
});
